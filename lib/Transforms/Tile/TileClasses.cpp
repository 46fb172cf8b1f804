#include "TileClasses.h"

using namespace mlir;
using namespace adze::tile;

static bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

TileClasses::TileClasses(Region &region) {
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
  region.walk([&](Operation *op) { visit(op); });
}

void TileClasses::add(Value tile) {
  if (!isTile(tile) || !number.try_emplace(tile, order.size()).second)
    return;
  parent.push_back(order.size());
  order.push_back(tile);
}

unsigned TileClasses::find(unsigned tile) {
  while (parent[tile] != tile)
    tile = parent[tile] = parent[parent[tile]];
  return tile;
}

void TileClasses::tie(Value a, Value b) {
  unsigned x = find(number.lookup(a)), y = find(number.lookup(b));
  parent[std::max(x, y)] = std::min(x, y);
}

void TileClasses::visit(Operation *op) {
  if (auto dot = dyn_cast<DotOp>(op)) {
    tie(dot.getAcc(), dot.getResult());
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    Operation *yield = loop.getBody()->getTerminator();
    for (auto [i, result] : llvm::enumerate(loop.getResults()))
      if (isTile(result)) {
        tie(result, loop.getInitArgs()[i]);
        tie(result, loop.getRegionIterArg(i));
        tie(result, yield->getOperand(i));
      }
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
      if (!region->empty())
        for (auto [result, value] : llvm::zip(branch.getResults(), region->front().getTerminator()->getOperands()))
          if (isTile(result))
            tie(result, value);
  } else if (OpTrait::hasElementwiseMappableTraits(op) && op->getNumResults() == 1 && isTile(op->getResult(0))) {
    for (Value operand : op->getOperands())
      if (isTile(operand))
        tie(op->getResult(0), operand);
  }
}
