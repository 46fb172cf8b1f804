// Columns of an activation are read where they lie: a slice joins each of its readers, and no copy is made.
#include "GroupPlan.h"
#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze::llm;

void adze::llm::groupSlices(GroupPlan &plan) {
  llvm::SmallVector<SliceColumnsOp> slices;
  for (Operation *op : plan.ops())
    if (auto slice = mlir::dyn_cast<SliceColumnsOp>(op))
      slices.push_back(slice);
  for (SliceColumnsOp slice : slices) {
    llvm::SetVector<Operation *> readers;
    for (Operation *reader : slice.getResult().getUsers())
      if (!reader->hasTrait<OpTrait::IsTerminator>())
        readers.insert(reader);
      else
        plan.leave(slice, "slice", "the step returns it");
    for (auto [number, reader] : llvm::enumerate(readers)) {
      // The last reader takes the slice itself, the others a copy of it.
      bool last = number + 1 == readers.size() && llvm::hasSingleElement(slice.getResult().getUsers());
      Operation *mine =
          last || ADZE_MUTANT("give-one-slice-to-all") ? slice.getOperation() : plan.cloneFor(slice, reader);
      plan.merge(mine, reader, "slice");
    }
  }
}
