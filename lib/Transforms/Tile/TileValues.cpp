#include "TileValues.h"

using namespace mlir;

void adze::tile::forEachTile(Region &region, llvm::function_ref<void(Value)> body) {
  auto see = [&](Value value) {
    if (isTile(value))
      body(value);
  };
  region.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value operand : op->getOperands())
      see(operand);
    for (Value result : op->getResults())
      see(result);
    for (Region &inner : op->getRegions())
      for (Block &block : inner)
        for (Value argument : block.getArguments())
          see(argument);
  });
}

void adze::tile::forEachAlike(Operation *op, llvm::function_ref<void(Value, Value)> body) {
  if (auto dot = dyn_cast<DotOp>(op)) {
    body(dot.getAcc(), dot.getResult());
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    Operation *yield = loop.getBody()->getTerminator();
    for (auto [i, result] : llvm::enumerate(loop.getResults()))
      if (isTile(result)) {
        body(result, loop.getInitArgs()[i]);
        body(result, loop.getRegionIterArg(i));
        body(result, yield->getOperand(i));
      }
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
      if (!region->empty())
        for (auto [result, value] : llvm::zip(branch.getResults(), region->front().getTerminator()->getOperands()))
          if (isTile(result))
            body(result, value);
  } else if (OpTrait::hasElementwiseMappableTraits(op) && op->getNumResults() == 1 && isTile(op->getResult(0))) {
    for (Value operand : op->getOperands())
      if (isTile(operand))
        body(op->getResult(0), operand);
  }
}
