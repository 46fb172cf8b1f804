// Verifiers, and the one op with a syntax of its own (grid).
#include "adze/Dialect/Tile/IR/Tile.h"
#include "adze/Layout/LinearMap.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace adze::tile;

#define GET_OP_CLASSES
#include "adze/Dialect/Tile/IR/TileOps.cpp.inc"

// ---------------------------------------------------------------- place
LogicalResult GridOp::verify() {
  size_t rank = getExtents().size();
  if (rank == 0 || getTile().size() != rank || getBody().getNumArguments() != rank)
    return emitOpError("needs one tile size and one origin for each extent, found ")
           << rank << " extents, " << getTile().size() << " sizes, " << getBody().getNumArguments() << " origins";
  // Each dimension may be peeled, which doubles the grids.
  if (rank > kMaxDims)
    return emitOpError("has up to ") << kMaxDims << " dimensions, found " << rank;
  for (Value extent : getExtents()) {
    // Not by a matcher, which folds: the constant may stand behind this op and not be verified yet.
    auto constant = extent.getDefiningOp<arith::ConstantOp>();
    auto fixed = constant ? dyn_cast_if_present<IntegerAttr>(Attribute(constant.getProperties().value)) : IntegerAttr();
    if (fixed && (fixed.getValue().isNegative() || fixed.getValue().getSignificantBits() > 62))
      return emitOpError("extents are 0 to 2^61, found ") << fixed.getValue().getSExtValue();
  }
  for (int64_t size : getTile())
    if (size <= 0)
      return emitOpError("tile sizes are positive, found ") << size;
  for (BlockArgument origin : getBody().getArguments())
    if (!origin.getType().isIndex())
      return emitOpError("origins are of type index");
  return success();
}

// tile.grid (%n, %t) = (%N, %T) by [32, 4] { ... }
ParseResult GridOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> origins;
  SmallVector<OpAsmParser::UnresolvedOperand> extents;
  DenseI64ArrayAttr tile;
  Type index = parser.getBuilder().getIndexType();
  if (parser.parseArgumentList(origins, OpAsmParser::Delimiter::Paren) || parser.parseEqual() ||
      parser.parseOperandList(extents, OpAsmParser::Delimiter::Paren) || parser.parseKeyword("by") ||
      parser.parseCustomAttributeWithFallback(tile) || parser.resolveOperands(extents, index, state.operands))
    return failure();
  state.addAttribute("tile", tile);
  for (OpAsmParser::Argument &origin : origins)
    origin.type = index;
  Region *body = state.addRegion();
  if (parser.parseRegion(*body, origins))
    return failure();
  if (body->empty())
    body->emplaceBlock();
  return parser.parseOptionalAttrDict(state.attributes);
}

void GridOp::print(OpAsmPrinter &printer) {
  printer << " (";
  llvm::interleaveComma(getBody().getArguments(), printer);
  printer << ") = (" << getExtents() << ") by ";
  printer.printStrippedAttrOrType(getTileAttr());
  printer << ' ';
  printer.printRegion(getBody(), false);
  printer.printOptionalAttrDict((*this)->getAttrs(), {"tile"});
}

/// A page of a cache has five dimensions.
static constexpr unsigned kMaxViewDims = 8;

LogicalResult ViewOp::verify() {
  ViewType type = getResult().getType();
  if (type.getRank() > kMaxViewDims)
    return emitOpError("has up to ") << kMaxViewDims << " dimensions, found " << type.getRank();
  if (getExtents().size() != type.getRank())
    return emitOpError("needs one extent for each of the view's ")
           << type.getRank() << " dimensions, found " << getExtents().size();
  if (getStrides() && getStrides()->size() != type.getRank())
    return emitOpError("needs one stride for each dimension, found ") << getStrides()->size();
  if (getStorage() && getStrides())
    return emitOpError("packed memory has no strides");
  if (getStorage() && getStorage()->getBlock().size() != type.getRank())
    return emitOpError("storage block has ")
           << getStorage()->getBlock().size() << " dimensions, the view " << type.getRank();
  if (!isNumber(type.getElementType()) || type.getElementType().isInteger(1))
    return emitOpError("elements in memory are i4, i8, i16, i32, i64, f16, bf16, f32 or f64, found ")
           << type.getElementType();
  return success();
}

// ---------------------------------------------------------------- memory
static LogicalResult checkAccess(Operation *op, ViewType view, size_t offsets, RankedTensorType tile,
                                 std::optional<ArrayRef<int64_t>> dims = {},
                                 std::optional<ArrayRef<int64_t>> inBounds = {}) {
  if (view.getRank() != offsets)
    return op->emitOpError("needs one offset for each of the view's ")
           << view.getRank() << " dimensions, found " << offsets;
  if (tile && tile.getRank() > view.getRank())
    return op->emitOpError("tile of rank ") << tile.getRank() << " in a view of rank " << view.getRank();
  if (tile && tile.getElementType() != view.getElementType())
    return op->emitOpError("tile has elements ") << tile.getElementType() << ", view " << view.getElementType();
  if (dims && dims->size() != size_t(tile.getRank()))
    return op->emitOpError("`dims` must name one view dimension for each of the tile's ") << tile.getRank();
  for (ArrayRef<int64_t> list : {dims.value_or(ArrayRef<int64_t>()), inBounds.value_or(ArrayRef<int64_t>())})
    for (auto [i, dim] : llvm::enumerate(list))
      if (dim < 0 || dim >= int64_t(view.getRank()) || llvm::is_contained(list.take_front(i), dim))
        return op->emitOpError("`dims` and `in_bounds` name different dimensions of the view, found ") << dim;
  return success();
}
static RankedTensorType tileOf(Value value) { return cast<RankedTensorType>(value.getType()); }

LogicalResult LoadOp::verify() {
  return checkAccess(*this, getView().getType(), getOffsets().size(), tileOf(getResult()), getDims(), getInBounds());
}
LogicalResult StoreOp::verify() {
  return checkAccess(*this, getView().getType(), getOffsets().size(), tileOf(getValue()), getDims(), getInBounds());
}
LogicalResult LookupOp::verify() {
  if (!getView().getType().getElementType().isSignlessInteger())
    return emitOpError("looks up integers, found ") << getView().getType().getElementType();
  return checkAccess(*this, getView().getType(), getOffsets().size(), {});
}

// ---------------------------------------------------------------- compute
LogicalResult DotOp::verify() {
  RankedTensorType a = tileOf(getA()), b = tileOf(getB()), acc = tileOf(getAcc());
  if (a.getRank() != 2 || b.getRank() != 2 || acc.getRank() != 2 || a.getDimSize(1) != b.getDimSize(1) ||
      a.getDimSize(0) != acc.getDimSize(0) || b.getDimSize(0) != acc.getDimSize(1))
    return emitOpError("shapes must be [m, k], [n, k], [m, n], found ") << a << ", " << b << ", " << acc;
  Type x = a.getElementType(), y = b.getElementType(), z = acc.getElementType();
  auto code = [](Type type) { return type.isInteger(8) || type.isInteger(4); };
  bool floats = isa<FloatType>(x) && x == y && (x.isF32() || x.isBF16()) && z.isF32();
  if (!floats && !(code(x) && code(y) && z.isInteger(32)))
    return emitOpError("multiplies f32 or bf16 into f32, or i8 and i4 into i32, found ")
           << x << " and " << y << " into " << z;
  if (floats && (getAUnsigned() || getBUnsigned()))
    return emitOpError("floats have no unsigned form");
  return success();
}

LogicalResult ReduceOp::verify() {
  RankedTensorType from = tileOf(getValue()), to = tileOf(getResult());
  if (getKind() != "add" && getKind() != "max")
    return emitOpError("knows \"add\" and \"max\", found \"") << getKind() << "\"";
  int64_t dim = getDim();
  if (dim < 0 || dim >= from.getRank() || to.getRank() != from.getRank() - 1)
    return emitOpError("dim must be one of the tile's, and the result lack it");
  SmallVector<int64_t> shape(from.getShape());
  shape.erase(shape.begin() + dim);
  if (to.getShape() != ArrayRef(shape) || to.getElementType() != from.getElementType())
    return emitOpError("result must be ") << RankedTensorType::get(shape, from.getElementType());
  return success();
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType from = tileOf(getValue()), to = tileOf(getResult());
  int64_t dim = getDim();
  if (dim < 0 || dim >= to.getRank() || to.getRank() != from.getRank() + 1)
    return emitOpError("dim must be one of the result's, and the operand lack it");
  SmallVector<int64_t> shape(to.getShape());
  shape.erase(shape.begin() + dim);
  if (from.getShape() != ArrayRef(shape) || to.getElementType() != from.getElementType())
    return emitOpError("operand must be ") << RankedTensorType::get(shape, to.getElementType());
  return success();
}

LogicalResult SplatOp::verify() {
  if (getValue().getType() != tileOf(getResult()).getElementType())
    return emitOpError("scalar has type ")
           << getValue().getType() << ", elements " << tileOf(getResult()).getElementType();
  return success();
}

LogicalResult IotaOp::verify() {
  RankedTensorType type = tileOf(getResult());
  if (!type.getElementType().isSignlessInteger() || int64_t(getDim()) < 0 || int64_t(getDim()) >= type.getRank())
    return emitOpError("makes integers along one of the tile's dimensions");
  return success();
}

LogicalResult TransposeOp::verify() {
  RankedTensorType from = tileOf(getValue()), to = tileOf(getResult());
  if (from.getRank() != 2 || to.getRank() != 2 || from.getDimSize(0) != to.getDimSize(1) ||
      from.getDimSize(1) != to.getDimSize(0) || from.getElementType() != to.getElementType())
    return emitOpError("swaps the two dimensions of a matrix");
  return success();
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = tileOf(getValue()), to = tileOf(getResult());
  if (from.getNumElements() != to.getNumElements() || from.getElementType() != to.getElementType())
    return emitOpError("keeps the elements, found ") << from << " and " << to;
  return success();
}

// ---------------------------------------------------------------- layout
LogicalResult ConvertLayoutOp::verify() {
  RankedTensorType from = tileOf(getValue()), to = tileOf(getResult());
  if (from.getShape() != to.getShape() || from.getElementType() != to.getElementType())
    return emitOpError("changes the layout alone");
  return success();
}

LogicalResult ExtractOp::verify() {
  RankedTensorType from = tileOf(getValue()), to = tileOf(getResult());
  if (from.getRank() != to.getRank() || getOffsets().size() != size_t(from.getRank()) ||
      from.getElementType() != to.getElementType())
    return emitOpError("needs one offset for each dimension, and equal ranks and elements");
  for (auto [offset, size, result] : llvm::zip(getOffsets(), from.getShape(), to.getShape()))
    if (offset < 0 || result < 1 || size < 1 || offset > size || offset % result || offset + result > size)
      return emitOpError("sub-tile must lie in the tile and be aligned to its own size");
  return success();
}
