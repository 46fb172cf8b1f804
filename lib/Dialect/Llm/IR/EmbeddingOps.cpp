// Verifiers of the embedding ops.
#include "Verify.h"
#include "adze/Dialect/Llm/IR/CostForms.h"

using namespace mlir;
using namespace adze::llm;

static LogicalResult verifyRowsOfTable(Operation *op, int constraint, Value tokens, int64_t columns, Value result) {
  RankedTensorType type = tensorOf(result);
  if (!agree(tensorOf(tokens).getDimSize(0), type.getDimSize(0)) || type.getDimSize(1) != columns)
    return violates(op, constraint) << "the result has one row for each token and the table's " << columns
                                    << " columns, found " << type;
  return success();
}

LogicalResult EmbeddingOp::verify() {
  RankedTensorType table = tensorOf(getTable());
  if (!table.hasStaticShape())
    return violates(*this, /*c1*/ 1) << "the table's shape is static, found " << table;
  return verifyRowsOfTable(*this, /*c2*/ 2, getTokens(), table.getDimSize(1), getResult());
}

Cost EmbeddingOp::getCost() { // one row of the table is read for each token
  SizeForm row = bytesOf(getResult());
  int64_t rowBytes = tensorOf(getTable()).getDimSize(1) * bitsOf(getTable()) / 8;
  return {bytesOf(getTokens()) + leadingExtent(getResult()) * rowBytes + row, {}};
}

LogicalResult QuantizedEmbeddingOp::verify() {
  if (failed(verifyQuantizedWeight(*this, getCodes(), getScales(), getOffsets(), getOuter(), getGroup(), getScheme())))
    return failure();
  return verifyRowsOfTable(*this, /*c6*/ 6, getTokens(), tensorOf(getCodes()).getDimSize(1), getResult());
}

Cost QuantizedEmbeddingOp::getCost() {
  int64_t bits = 0;
  for (Value part : {getCodes(), getScales(), getOffsets(), getOuter()})
    if (part)
      bits += tensorOf(part).getDimSize(1) * bitsOf(part);
  SizeForm rows = leadingExtent(getResult());
  int64_t columns = tensorOf(getResult()).getDimSize(1);
  return {bytesOf(getTokens()) + rows * (bits / 8) + bytesOf(getResult()), rows * (2 * columns)};
}
