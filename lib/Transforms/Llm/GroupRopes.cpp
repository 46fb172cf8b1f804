// Norms of heads, rotation of queries and keys, and the append to the cache are one kernel: they read the product of
// queries, keys and values once, head by head, and share the sines and cosines of a token.
#include "GroupPlan.h"
#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze::llm;

namespace {
constexpr llvm::StringLiteral kRule = "rope";

/// Joins the ops that make `value`, back to what a head's columns do not determine.
void absorb(GroupPlan &plan, Value value, int64_t dim, Operation *into) {
  while (Operation *op = value.getDefiningOp()) {
    bool cast = mlir::isa<arith::TruncFOp>(op), rotation = mlir::isa<RopeOp>(op);
    auto norm = mlir::dyn_cast<RmsNormOp>(op);
    if (!cast && !rotation && !norm)
      return;
    if (norm && mlir::cast<RankedTensorType>(norm.getWeight().getType()).getDimSize(0) != dim)
      return plan.leave(op, kRule, "the norm is not one of single heads");
    if (rotation && mlir::cast<RopeOp>(op).getHeadDim() != static_cast<uint64_t>(dim))
      return plan.leave(op, kRule, "rotation and cache differ in the width of a head");
    if (!plan.readOnlyBy(value, into) && !llvm::hasSingleElement(value.getUsers()) &&
        !ADZE_MUTANT("swallow-a-key-that-is-read"))
      return plan.leave(op, kRule, "it has other readers");
    if (!plan.merge(op, into, kRule))
      return;
    value = op->getOperand(0);
  }
}
} // namespace

void adze::llm::groupRopes(GroupPlan &plan) {
  llvm::SmallVector<Operation *> ops(plan.ops());
  for (Operation *op : ops) {
    auto append = mlir::dyn_cast<KvAppendOp>(op);
    if (!append)
      continue;
    int64_t dim = append.getKv().getType().getDim();
    absorb(plan, append.getKey(), dim, append);
    absorb(plan, append.getValue(), dim, append);
    for (Operation *reader : append.getResult().getUsers())
      if (auto attention = mlir::dyn_cast<PagedAttentionOp>(reader))
        if (attention.getLayer() == append.getLayer())
          absorb(plan, attention.getQuery(), dim, append);
  }
}
