#include "adze/Dialect/Tile/IR/Tile.h"
#include "adze/Layout/PackedOrder.h"
#include "adze/Layout/SharedSwizzle.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace adze::tile;

#include "adze/Dialect/Tile/IR/TileDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "adze/Dialect/Tile/IR/TileAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "adze/Dialect/Tile/IR/TileTypes.cpp.inc"

void TileDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "adze/Dialect/Tile/IR/TileOps.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "adze/Dialect/Tile/IR/TileTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "adze/Dialect/Tile/IR/TileAttrs.cpp.inc"
      >();
}

bool adze::tile::isNumber(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() && llvm::is_contained({1u, 4u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
}

std::string adze::tile::whyNotInKernel(Type type) {
  if (type.isIndex() || isa<PtrType>(type) || isa<ViewType>(type) || isNumber(type))
    return "";
  if (auto ring = dyn_cast<RingType>(type)) {
    for (Type field : ring.getFields())
      if (std::string why = whyNotInKernel(field); !why.empty())
        return why;
    return "";
  }
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile)
    return "a kernel holds pointers, views, rings, index, numbers and tiles";
  if (!tile.hasStaticShape() || tile.getRank() > int64_t(kMaxDims))
    return "a tile has a static shape of up to " + std::to_string(kMaxDims) + " dimensions";
  if (!isNumber(tile.getElementType()))
    return "elements of a tile are i1, i4, i8, i16, i32, i64, f16, bf16, f32 or f64";
  int64_t elements = 1;
  for (int64_t extent : tile.getShape())
    if (extent < 1 || extent > kMaxTileElements || (elements *= extent) > kMaxTileElements)
      return "a tile has 1 to " + std::to_string(kMaxTileElements) + " elements";
  return "";
}

/// Passes compute with shapes and enumerate registers, so sizes are bounded before any of them runs.
static LogicalResult verifyKernelTypes(Operation *kernel) {
  WalkResult result = kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto check = [&](Type type) {
      std::string why = whyNotInKernel(type);
      if (why.empty())
        return true;
      op->emitOpError("has a value of type ") << type << " in a kernel; " << why;
      return false;
    };
    for (Type type : op->getResultTypes())
      if (!check(type))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          if (!check(type))
            return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() == kKernelAttr) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function)
      return op->emitOpError("only a func.func can be a kernel, found `tile.kernel` on ") << op->getName();
    // Attributes are looked at before the function's own verifier has seen that it has a type.
    auto type = function->getAttrOfType<TypeAttr>(function.getFunctionTypeAttrName());
    if (!type || !isa<FunctionType>(type.getValue()))
      return success();
    if (function.getNumResults())
      return op->emitOpError("a kernel has no results: it writes through its pointers");
    if (failed(verifyKernelTypes(op)))
      return failure();
  }
  return success();
}

LogicalResult RegsAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                       llvm::function_ref<InFlightDiagnostic()> emitError) const {
  std::string error;
  std::optional<LinearMap> map = LinearMap::parse(getMap(), &error);
  if (!map)
    return emitError() << error;
  for (const Coord &basis : map->all())
    for (unsigned d = shape.size(); d < kMaxDims; ++d)
      if (basis[d])
        return emitError() << "layout \"" << getMap() << "\" moves a dimension that the tile of rank " << shape.size()
                           << " lacks";
  // A register part says where everything is; without one the rest of the tile is row-major in units of the lanes.
  if (!map->reg.empty() && !map->covers(shape))
    return emitError() << "layout \"" << getMap() << "\" does not cover the tile exactly once";
  return success();
}

LogicalResult SharedAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, int64_t swizzle) {
  if (!llvm::is_contained(kSwizzles, swizzle))
    return emitError() << "a swizzle is 0, 32, 64 or 128 bytes, found " << swizzle;
  return success();
}

LogicalResult SharedAttr::verifyEncoding(ArrayRef<int64_t> shape, Type element,
                                         llvm::function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != 2 || !element.isIntOrFloat())
    return emitError() << "a tile in shared memory is a matrix of numbers, found rank " << shape.size() << " of "
                       << element;
  std::string reason;
  if (getSwizzle() && !sharedStorage(shape[0], shape[1], element.getIntOrFloatBitWidth(), getSwizzle(), &reason))
    return emitError() << reason;
  return success();
}

LogicalResult SharedOrderAttr::verifyEncoding(ArrayRef<int64_t> shape, Type element,
                                              llvm::function_ref<InFlightDiagnostic()> emitError) const {
  std::string error;
  std::optional<LinearMap> map = LinearMap::parse(getMap(), &error);
  if (!map)
    return emitError() << error;
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() < 4)
    return emitError() << "a tile in shared memory holds numbers of at least 4 bits, found " << element;
  if (map->bits() != map->reg.size() || shape.size() > kMaxDims || map->rank() != map->bits() || !map->covers(shape))
    return emitError() << "order \"" << getMap() << "\" does not give every element of the tile one address";
  return success();
}

LogicalResult RingType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, unsigned stages,
                               ArrayRef<Type> fields) {
  if (stages < 2 || stages > kMostStages)
    return emitError() << "a ring has 2 to " << kMostStages << " slots, found " << stages;
  if (fields.empty())
    return emitError() << "a ring has at least one field";
  for (Type field : fields) {
    auto tile = dyn_cast<RankedTensorType>(field);
    if (!tile || !tile.hasStaticShape() || !isa_and_nonnull<SharedOrderAttr>(tile.getEncoding()))
      return emitError() << "a field is a tile in #tile.shared_order, found " << field;
  }
  return success();
}

LogicalResult StorageAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> block,
                                  StringRef map) {
  std::string error;
  if (!PackedOrder::make(block, map, &error))
    return emitError() << error;
  return success();
}
