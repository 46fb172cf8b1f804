// The batch from its arrays, checked.
#include "Operations.h"

using namespace mlir;

namespace adze::llm::reference {

LogicalResult evaluate(MakeBatchOp op, Operands operands, Results &results, Machine &) {
  Batch batch;
  std::vector<int64_t> *arrays[] = {&batch.position,   &batch.request,  &batch.kvSlot,
                                    &batch.queryStart, &batch.kvLength, &batch.promptLength,
                                    &batch.pageStart,  &batch.pages,    &batch.outputRow};
  for (auto [array, operand] : llvm::zip_equal(arrays, operands))
    *array = operand.tensor().ints;
  if (Status status = batch.check(); !status.ok())
    return op.emitOpError() << status.message();
  results.push_back(std::move(batch));
  return success();
}

} // namespace adze::llm::reference
