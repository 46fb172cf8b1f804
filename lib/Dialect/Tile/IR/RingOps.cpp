// Verifiers of copies in flight.
#include "adze/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace adze::tile;

/// The tile of a field, or nothing and an error.
static RankedTensorType fieldOf(Operation *op, RingType ring, int64_t field) {
  if (field >= 0 && field < int64_t(ring.getFields().size()))
    return cast<RankedTensorType>(ring.getFields()[field]);
  op->emitOpError("names field ") << field << " of a ring that has " << ring.getFields().size();
  return {};
}

static LogicalResult checkInGrid(Operation *op) {
  if (!op->getParentOfType<GridOp>())
    return op->emitOpError("stands outside a tile.grid; copies and their memory belong to a block");
  return success();
}

LogicalResult RingOp::verify() { return checkInGrid(*this); }
LogicalResult CommitOp::verify() { return checkInGrid(*this); }

LogicalResult PutOp::verify() {
  RankedTensorType tile = fieldOf(*this, getRing().getType(), getField());
  if (!tile)
    return failure();
  ViewType view = getView().getType();
  if (view.getRank() != getOffsets().size())
    return emitOpError("needs one offset for each of the view's ")
           << view.getRank() << " dimensions, found " << getOffsets().size();
  if (tile.getElementType() != view.getElementType())
    return emitOpError("field holds ") << tile.getElementType() << ", view " << view.getElementType();
  if (tile.getRank() > view.getRank() || (getDims() && getDims()->size() != size_t(tile.getRank())))
    return emitOpError("`dims` names one view dimension for each of the field's ") << tile.getRank();
  return RankedTensorType::verify([&] { return emitOpError(); }, tile.getShape(), tile.getElementType(), getThreads());
}

LogicalResult WaitOp::verify() {
  if (int64_t(getPending()) < 0 || int64_t(getPending()) >= int64_t(kMostStages))
    return emitOpError("leaves 0 to ") << kMostStages - 1 << " groups in flight, found " << int64_t(getPending());
  return success();
}

LogicalResult GetOp::verify() {
  RankedTensorType tile = fieldOf(*this, getRing().getType(), getField());
  if (!tile)
    return failure();
  if (tile != getResult().getType())
    return emitOpError("field ") << getField() << " holds " << tile << ", found " << getResult().getType();
  return success();
}
