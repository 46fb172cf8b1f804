// A norm writes what its readers want: rounded to bf16 or quantized, each from the same f32 value.
#include "GroupPlan.h"
#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze::llm;

void adze::llm::groupNorms(GroupPlan &plan) {
  llvm::SmallVector<Operation *> ops(plan.ops());
  for (Operation *op : ops) {
    auto norm = mlir::dyn_cast<RmsNormOp>(op);
    if (!norm || plan.memberOf<KvAppendOp>(op) || plan.memberOf<RopeOp>(op))
      continue;
    QuantizeOp first;
    llvm::SmallVector<Operation *> readers(norm.getResult().getUsers());
    for (Operation *reader : llvm::reverse(readers)) {
      if (auto quantize = mlir::dyn_cast<QuantizeOp>(reader)) {
        if (first && first.getGroup() != quantize.getGroup() && !ADZE_MUTANT("join-groups-of-two-sizes"))
          plan.leave(quantize, "norm", "the norm is quantized in groups of another size already");
        else if (plan.merge(norm, quantize, "norm"))
          first = quantize;
      } else if (mlir::isa<arith::TruncFOp>(reader)) {
        plan.merge(norm, reader, "norm");
      }
    }
  }
}
