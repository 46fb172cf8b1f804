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

/// One row of each part of a table is read for each token; the tokens themselves whole.
static SizeForm bytesOfRows(OpOperand &operand, Value result) {
  if (operand.getOperandNumber() == 0)
    return bytesOf(operand.get());
  return leadingExtent(result) * ((tensorOf(operand.get()).getDimSize(1) * bitsOf(operand.get()) + 7) / 8);
}

SizeForm EmbeddingOp::getBytesMoved(OpOperand &operand) { return bytesOfRows(operand, getResult()); }

Cost EmbeddingOp::getCost() { return {bytesMovedBy(getOperation()), {}}; }

LogicalResult QuantizedEmbeddingOp::verify() {
  if (failed(verifyQuantizedWeight(*this, getCodes(), getScales(), getOffsets(), getOuter(), getGroup(), getScheme())))
    return failure();
  return verifyRowsOfTable(*this, /*c6*/ 6, getTokens(), tensorOf(getCodes()).getDimSize(1), getResult());
}

SizeForm QuantizedEmbeddingOp::getBytesMoved(OpOperand &operand) { return bytesOfRows(operand, getResult()); }

Cost QuantizedEmbeddingOp::getCost() { // a product and a sum for each number
  return {bytesMovedBy(getOperation()), leadingExtent(getResult()) * (2 * tensorOf(getResult()).getDimSize(1))};
}
