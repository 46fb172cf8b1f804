// Rounding to bf16 happens where the value is made, unless something else wants the value unrounded.
#include "GroupPlan.h"
#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze::llm;

void adze::llm::groupCasts(GroupPlan &plan) {
  llvm::SmallVector<Operation *> ops(plan.ops());
  for (Operation *op : ops) {
    auto cast = mlir::dyn_cast<arith::TruncFOp>(op);
    if (!cast)
      continue;
    Operation *maker = cast.getIn().getDefiningOp();
    if (!maker || !llvm::is_contained(plan.ops(), maker) || plan.together(maker, cast))
      continue;
    if (!llvm::hasSingleElement(cast.getIn().getUsers()) && !ADZE_MUTANT("round-what-others-read"))
      plan.leave(cast, "cast", "the unrounded value has other readers");
    else
      plan.merge(maker, cast, "cast");
  }
}
