#include "adze/Dialect/Tile/IR/KnownDivisor.h"
#include "adze/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace adze::tile;

static int64_t divisor(Value value, unsigned depth) {
  if (std::optional<int64_t> fixed = getConstantIntValue(value))
    return *fixed ? lowestBit(*fixed) : kMostKnown;
  if (depth > 8)
    return 1;
  auto of = [&](Value operand) { return divisor(operand, depth + 1); };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto grid = dyn_cast<GridOp>(parent)) {
      return lowestBit(grid.getTile()[argument.getArgNumber()]);
    }
    if (auto loopOp = dyn_cast<scf::ForOp>(parent); loopOp && argument == loopOp.getInductionVar())
      return std::min(of(loopOp.getLowerBound()), of(loopOp.getStep()));
    return 1;
  }
  Operation *op = value.getDefiningOp();
  if (isa<arith::AddIOp>(op))
    return std::min(of(op->getOperand(0)), of(op->getOperand(1)));
  if (isa<arith::MulIOp>(op))
    return std::min(kMostKnown, of(op->getOperand(0)) * of(op->getOperand(1)));
  if (auto sub = dyn_cast<arith::SubIOp>(op)) {
    if (auto rem = sub.getRhs().getDefiningOp<arith::RemUIOp>(); rem && rem.getLhs() == sub.getLhs())
      return of(rem.getRhs());
    return std::min(of(sub.getLhs()), of(sub.getRhs()));
  }
  if (isa<arith::DivUIOp>(op) || isa<arith::DivSIOp>(op))
    if (std::optional<int64_t> by = getConstantIntValue(op->getOperand(1)); by && *by > 0 && (*by & -*by) == *by)
      return std::max<int64_t>(1, of(op->getOperand(0)) / *by);
  return 1;
}

int64_t adze::tile::knownDivisor(Value index) { return divisor(index, 0); }
