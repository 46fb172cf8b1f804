// Verifier and cost of the choice of tokens.
#include "Verify.h"
#include "adze/Dialect/Llm/IR/CostForms.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace adze::llm;

void BestTokenOp::build(OpBuilder &builder, OperationState &state, Value logits, int64_t legal) {
  build(builder, state, RankedTensorType::get({tensorOf(logits).getDimSize(0), 1}, builder.getI32Type()), logits,
        legal);
}

LogicalResult BestTokenOp::verify() {
  RankedTensorType logits = tensorOf(getLogits()), result = tensorOf(getResult());
  int64_t legal = getLegal();
  if (logits.isDynamicDim(1) || legal < 1 || legal > logits.getDimSize(1))
    return violates(*this, /*c1*/ 1) << "the logits' columns are static and legal is from 1 to their number, found "
                                     << legal << " of " << logits;
  if (!agree(logits.getDimSize(0), result.getDimSize(0)) || result.getDimSize(1) != 1)
    return violates(*this, /*c2*/ 2) << "the result has the logits' rows and one column, found " << result;
  return success();
}

Cost BestTokenOp::getCost() { // a comparison each
  return {bytesMovedBy(getOperation()), leadingExtent(getLogits()) * int64_t(getLegal())};
}
