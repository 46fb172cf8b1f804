// Verifiers, folds and costs of the ops that choose rows and columns.
#include "Verify.h"
#include "adze/Dialect/Llm/IR/CostForms.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace adze::llm;

LogicalResult GatherRowsOp::verify() {
  RankedTensorType in = tensorOf(getInput()), out = tensorOf(getResult());
  if (in.isDynamicDim(1) || in.getDimSize(1) != out.getDimSize(1) || in.getElementType() != out.getElementType())
    return violates(*this, /*c1*/ 1) << "input and result have one element type and the same static columns, found "
                                     << in << " and " << out;
  return success();
}

SizeForm GatherRowsOp::getBytesMoved(OpOperand &operand) { // only the chosen rows are read
  return operand.getOperandNumber() == 0 ? bytesOf(getResult()) : SizeForm();
}

Cost GatherRowsOp::getCost() { return {bytesMovedBy(getOperation()), {}}; }

void SliceColumnsOp::build(OpBuilder &builder, OperationState &state, Value input, int64_t offset, int64_t size) {
  RankedTensorType in = tensorOf(input);
  build(builder, state, RankedTensorType::get({in.getDimSize(0), size}, in.getElementType()), input, offset, size);
}

LogicalResult SliceColumnsOp::verify() {
  RankedTensorType in = tensorOf(getInput()), out = tensorOf(getResult());
  int64_t offset = getOffset(), size = getSize();
  if (in.isDynamicDim(1) || offset < 0 || size < 1 || size > in.getDimSize(1) || offset > in.getDimSize(1) - size)
    return violates(*this, /*c1*/ 1) << "the columns " << offset << " + " << size << " lie inside the input, found "
                                     << in;
  if (!agree(in.getDimSize(0), out.getDimSize(0)) || out.getDimSize(1) != size ||
      in.getElementType() != out.getElementType())
    return violates(*this, /*c2*/ 2) << "the result has the input's rows and element type and " << size
                                     << " columns, found " << out;
  return success();
}

OpFoldResult SliceColumnsOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType()) // the whole
    return getInput();
  if (auto inner = getInput().getDefiningOp<SliceColumnsOp>()) { // a slice of a slice
    setOffset(getOffset() + inner.getOffset());
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  return {};
}

SizeForm SliceColumnsOp::getBytesMoved(OpOperand &) { return bytesOf(getResult()); }

Cost SliceColumnsOp::getCost() { return {bytesMovedBy(getOperation()), {}}; }
