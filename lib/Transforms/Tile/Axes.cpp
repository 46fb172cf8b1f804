#include "Axes.h"

using namespace mlir;
using namespace adze::tile;

Axes::Axes(Region &region, bool tieDepth) {
  region.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value operand : op->getOperands())
      add(operand);
    for (Value result : op->getResults())
      add(result);
    for (Region &inner : op->getRegions())
      for (Block &block : inner)
        for (Value argument : block.getArguments())
          add(argument);
  });
  region.walk([&](Operation *op) { visit(op, tieDepth); });
}

void Axes::add(Value tile) {
  if (!isTile(tile) || !firstSlot.try_emplace(tile, parent.size()).second)
    return;
  order.push_back(tile);
  for (int64_t d = 0; d < cast<RankedTensorType>(tile.getType()).getRank(); ++d)
    parent.push_back(parent.size());
}

unsigned Axes::find(unsigned slot) {
  while (parent[slot] != slot)
    slot = parent[slot] = parent[parent[slot]];
  return slot;
}

unsigned Axes::of(Value tile, unsigned dim) { return find(firstSlot.lookup(tile) + dim); }

void Axes::tie(Value a, unsigned dimA, Value b, unsigned dimB) {
  unsigned x = of(a, dimA), y = of(b, dimB);
  parent[std::max(x, y)] = std::min(x, y);
}

void Axes::tieAll(Value a, Value b) {
  for (int64_t d = 0; d < cast<RankedTensorType>(a.getType()).getRank(); ++d)
    tie(a, d, b, d);
}

void Axes::visit(Operation *op, bool tieDepth) {
  if (auto dot = dyn_cast<DotOp>(op)) {
    tieAll(dot.getAcc(), dot.getResult());
    tie(dot.getB(), 0, dot.getResult(), 1);
    if (tieDepth) {
      tie(dot.getA(), 0, dot.getResult(), 0);
      tie(dot.getA(), 1, dot.getB(), 1);
    }
  } else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    for (int64_t d = 0; d < cast<RankedTensorType>(broadcast.getValue().getType()).getRank(); ++d)
      tie(broadcast.getValue(), d, broadcast.getResult(), d + (d >= int64_t(broadcast.getDim())));
  } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
    for (int64_t d = 0; d < reduce.getResult().getType().getRank(); ++d)
      tie(reduce.getResult(), d, reduce.getValue(), d + (d >= int64_t(reduce.getDim())));
  } else if (auto transpose = dyn_cast<TransposeOp>(op)) {
    tie(transpose.getValue(), 0, transpose.getResult(), 1);
    tie(transpose.getValue(), 1, transpose.getResult(), 0);
  } else if (auto extract = dyn_cast<ExtractOp>(op)) {
    // A piece shares the lanes of the whole, and its size only where it takes all.
    auto whole = extract.getValue().getType(), piece = extract.getResult().getType();
    for (int64_t d = 0; d < piece.getRank(); ++d)
      if (!tieDepth || whole.getDimSize(d) == piece.getDimSize(d))
        tie(extract.getValue(), d, extract.getResult(), d);
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    Operation *yield = loop.getBody()->getTerminator();
    for (auto [i, result] : llvm::enumerate(loop.getResults()))
      if (isTile(result)) {
        tieAll(result, loop.getInitArgs()[i]);
        tieAll(result, loop.getRegionIterArg(i));
        tieAll(result, yield->getOperand(i));
      }
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
      if (!region->empty())
        for (auto [result, value] : llvm::zip(branch.getResults(), region->front().getTerminator()->getOperands()))
          if (isTile(result))
            tieAll(result, value);
  } else if (OpTrait::hasElementwiseMappableTraits(op) && op->getNumResults() == 1 && isTile(op->getResult(0))) {
    for (Value operand : op->getOperands())
      if (isTile(operand))
        tieAll(op->getResult(0), operand);
  }
}
