// Choosing rows and columns of activations.
#include "Operations.h"

#include <algorithm>

using namespace mlir;

namespace adze::llm::reference {

LogicalResult evaluate(GatherRowsOp op, Operands operands, Results &results, Machine &) {
  const Tensor &input = operands[0].tensor();
  const Batch &batch = operands[1].batch();
  if (input.rows() != batch.tokens())
    return op.emitOpError() << "has " << input.rows() << " rows, the batch " << batch.tokens() << " tokens";
  Tensor out = Tensor::zeros(input.element, {int64_t(batch.outputRow.size()), input.columns()});
  for (auto [r, row] : llvm::enumerate(batch.outputRow))
    std::copy_n(input.row(row), input.columns(), out.row(r));
  results.push_back(std::move(out));
  return success();
}

LogicalResult evaluate(SliceColumnsOp op, Operands operands, Results &results, Machine &) {
  const Tensor &input = operands[0].tensor();
  Tensor out = Tensor::zeros(input.element, {input.rows(), int64_t(op.getSize())});
  for (int64_t t = 0; t < input.rows(); ++t)
    std::copy_n(input.row(t) + op.getOffset(), op.getSize(), out.row(t));
  results.push_back(std::move(out));
  return success();
}

} // namespace adze::llm::reference
