#include "Axes.h"
#include "SinkConstants.h"
#include "adze/Layout/PackedOrder.h"
#include "adze/Support/Mutant.h"
#include "adze/Target/TargetInfo.h"
#include "adze/Transforms/Tile/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace adze::tile {
#define GEN_PASS_DEF_TILEASSIGNLAYOUTSPASS
#include "adze/Transforms/Tile/Passes.h.inc"

namespace {

/// "| c1 c2 c4" for dimension 1 and eight lanes, "|" for none.
std::string lanesAlong(int dim, int64_t lanes) {
  std::string text = "|";
  if (dim >= 0)
    for (int64_t step = 1; step < lanes; step *= 2)
      text += " " + std::string(1, "rcde"[dim]) + std::to_string(step);
  return text;
}

RankedTensorType withLanes(RankedTensorType type, int dim, int64_t lanes) {
  // A map without words is spelled with its bar alone.
  auto encoding = RegsAttr::get(type.getContext(), lanesAlong(dim, lanes));
  return RankedTensorType::get(type.getShape(), type.getElementType(), encoding);
}

struct AssignLayouts : impl::TileAssignLayoutsPassBase<AssignLayouts> {
  using TileAssignLayoutsPassBase::TileAssignLayoutsPassBase;

  void runOnOperation() override {
    const TargetInfo *info = findTarget(target);
    if (!info) {
      getOperation().emitError("unknown target \"") << target << "\"";
      return signalPassFailure();
    }
    if (info->gpu()) {
      getOperation().emitError("\"") << target
                                     << "\" is a GPU, and this pass makes code for a CPU; for a GPU there are "
                                     << "tile-assign-thread-layouts and convert-tile-to-gpu";
      return signalPassFailure();
    }
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (kernel->hasAttr(kKernelAttr) && failed(assign(kernel, info->lanes())))
        return signalPassFailure();
  }

  LogicalResult assign(func::FuncOp kernel, int64_t lanes) {
    sinkConstants(kernel.getBody());
    Axes axes(kernel.getBody(), /*tieDepth=*/false);
    llvm::DenseSet<unsigned> laneAxes;
    kernel.walk(
        [&](DotOp dot) { laneAxes.insert(axes.of(dot.getResult(), ADZE_MUTANT("put-lanes-along-rows") ? 0 : 1)); });
    auto rank = [](Value tile) { return cast<RankedTensorType>(tile.getType()).getRank(); };
    auto lanesOf = [&](Value tile) {
      SmallVector<int> dims;
      for (int64_t d = 0; d < rank(tile); ++d)
        if (laneAxes.contains(axes.of(tile, d)))
          dims.push_back(d);
      return dims;
    };
    // Where no dot speaks: the last dimension, larger tiles first, so that what was reduced from them follows.
    llvm::DenseMap<unsigned, SmallVector<Value>> members;
    for (Value tile : axes.tiles())
      for (int64_t d = 0; d < rank(tile); ++d)
        members[axes.of(tile, d)].push_back(tile);
    SmallVector<Value> order(axes.tiles());
    llvm::stable_sort(order, [&](Value a, Value b) { return rank(a) > rank(b); });
    for (Value tile : order) {
      if (rank(tile) == 0 || !lanesOf(tile).empty())
        continue;
      unsigned axis = axes.of(tile, rank(tile) - 1);
      if (llvm::all_of(members[axis], [&](Value member) { return lanesOf(member).empty(); }))
        laneAxes.insert(axis);
    }
    for (Value tile : axes.tiles()) {
      SmallVector<int> dims = lanesOf(tile);
      if (dims.size() > 1)
        return emitError(tile.getLoc(), "two products want the lanes of this tile along different dimensions (")
               << dims[0] << " and " << dims[1] << "): load it twice, or multiply with the other operand as `b`";
      auto type = withLanes(cast<RankedTensorType>(tile.getType()), dims.empty() ? -1 : dims[0], lanes);
      tile.setType(type);
      ++tileCount;
      if (auto constant = tile.getDefiningOp<arith::ConstantOp>())
        if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
          constant.setValueAttr(dense.reshape(type));
    }
    return success(!kernel.walk([&](LoadOp load) { return checkPack(load); }).wasInterrupted());
  }

  /// The pack was chosen with the weight expression and travels on the argument: what reads it must agree.
  WalkResult checkPack(LoadOp load) {
    auto view = load.getView().getDefiningOp<ViewOp>();
    if (!view || !view.getStorage())
      return WalkResult::advance();
    auto argument = dyn_cast<BlockArgument>(view.getBase());
    auto kernel = load->getParentOfType<func::FuncOp>();
    if (argument && argument.getOwner()->getParentOp() == kernel)
      if (Attribute packed = kernel.getArgAttr(argument.getArgNumber(), kPackedAttr);
          packed && packed != view.getStorageAttr()) {
        load.emitOpError("reads ") << view.getStorageAttr() << ", but the argument is packed as " << packed;
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  }
};

} // namespace
} // namespace adze::tile
