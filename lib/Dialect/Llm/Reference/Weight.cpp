// Weight expressions on whole tensors. The artifact writer has its own evaluator that works in row ranges; this one is
// what it is compared with.
#include "Operations.h"

#include <algorithm>

using namespace mlir;

namespace adze::llm::reference {

LogicalResult evaluate(GetWeightOp op, Operands, Results &results, Machine &machine) {
  FailureOr<Value> value = machine.weight(op);
  if (failed(value))
    return failure();
  results.push_back(std::move(*value));
  return success();
}

LogicalResult evaluate(SourceTensorOp op, Operands, Results &results, Machine &machine) {
  FailureOr<Value> value = machine.source(op);
  if (failed(value))
    return failure();
  results.push_back(std::move(*value));
  return success();
}

/// Row `to` of `out` becomes row `from` of `in`.
static void copyRow(const Tensor &in, int64_t from, Tensor &out, int64_t to) {
  int64_t width = in.rows() == 0 ? 0 : in.size() / in.rows();
  if (isFloat(in.element))
    std::copy_n(in.floats.begin() + from * width, width, out.floats.begin() + to * width);
  else
    std::copy_n(in.ints.begin() + from * width, width, out.ints.begin() + to * width);
}

static std::vector<int64_t> withRows(std::vector<int64_t> shape, int64_t rows) {
  shape.front() = rows;
  return shape;
}

LogicalResult evaluate(PermuteRowsOp op, Operands operands, Results &results, Machine &) {
  const Tensor &input = operands[0].tensor();
  int64_t heads = op.getHeads(), d = input.rows() / heads;
  Tensor out = Tensor::zeros(input.element, input.shape);
  for (int64_t h = 0; h < heads; ++h)
    for (int64_t i = 0; i < 2; ++i)
      for (int64_t j = 0; j < d / 2; ++j)
        copyRow(input, h * d + 2 * j + i, out, h * d + j + i * (d / 2));
  results.push_back(std::move(out));
  return success();
}

LogicalResult evaluate(ConcatRowsOp op, Operands operands, Results &results, Machine &) {
  int64_t rows = 0, next = 0;
  for (const Value &input : operands)
    rows += input.tensor().rows();
  const Tensor &first = operands[0].tensor();
  Tensor out = Tensor::zeros(first.element, withRows(first.shape, rows));
  for (const Value &input : operands)
    for (int64_t r = 0; r < input.tensor().rows(); ++r)
      copyRow(input.tensor(), r, out, next++);
  results.push_back(std::move(out));
  return success();
}

LogicalResult evaluate(SliceRowsOp op, Operands operands, Results &results, Machine &) {
  const Tensor &input = operands[0].tensor();
  Tensor out = Tensor::zeros(input.element, withRows(input.shape, op.getSize()));
  for (int64_t r = 0; r < out.rows(); ++r)
    copyRow(input, op.getOffset() + r, out, r);
  results.push_back(std::move(out));
  return success();
}

LogicalResult evaluate(ConvertOp op, Operands operands, Results &results, Machine &) {
  const Tensor &input = operands[0].tensor();
  results.push_back(Tensor::ofFloats(resultElement(op.getResult()), input.shape, input.floats));
  return success();
}

LogicalResult evaluate(RepackOp, Operands operands, Results &results, Machine &) { // the same numbers
  results.push_back(std::move(operands[0]));
  return success();
}

} // namespace adze::llm::reference
