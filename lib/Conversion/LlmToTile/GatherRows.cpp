// Rows whose logits are wanted: the row of a place is looked up in output_row.
#include "KernelBuilder.h"
#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze;

Value adze::makeGatherRows(KernelBuilder &k, llm::GatherRowsOp op, const Place &place) {
  assert(place.rows == 1 && "rows are gathered one by one");
  Place source = place;
  if (!ADZE_MUTANT("gather-first-rows"))
    source.row = k.rowLookup(BatchArray::OutputRow, place.row);
  return k.pull(op.getInput(), source);
}
