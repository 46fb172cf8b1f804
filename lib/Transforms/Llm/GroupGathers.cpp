// The rows whose logits are wanted are chosen by the norm that reads them: it normalises no other row.
#include "GroupPlan.h"
#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze::llm;

void adze::llm::groupGathers(GroupPlan &plan) {
  llvm::SmallVector<Operation *> ops(plan.ops());
  for (Operation *op : ops) {
    auto gather = mlir::dyn_cast<GatherRowsOp>(op);
    if (!gather)
      continue;
    if (!gather.getResult().hasOneUse() && !ADZE_MUTANT("gather-for-one-of-two-readers")) {
      plan.leave(gather, "rows", "it has several readers");
      continue;
    }
    Operation *reader = *gather.getResult().getUsers().begin();
    if (mlir::isa<RmsNormOp>(reader))
      plan.merge(gather, reader, "rows");
    else
      plan.leave(gather, "rows", "its reader is no norm");
  }
}
