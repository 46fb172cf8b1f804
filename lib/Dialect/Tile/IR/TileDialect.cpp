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

LogicalResult TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() == kKernelAttr) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function)
      return op->emitOpError("only a func.func can be a kernel, found `tile.kernel` on ") << op->getName();
    if (function.getNumResults())
      return op->emitOpError("a kernel has no results: it writes through its pointers");
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

LogicalResult StorageAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> block,
                                  StringRef map) {
  std::string error;
  if (!PackedOrder::make(block, map, &error))
    return emitError() << error;
  return success();
}
