// Elementwise ops that are words of the field.
#include "Operations.h"

#include <cmath>

using namespace mlir;

namespace adze::llm::reference {

template <class Function> static LogicalResult map(Operands operands, Results &results, Function function) {
  const Tensor &lhs = operands[0].tensor(), &rhs = operands.back().tensor();
  Tensor out = Tensor::zeros(lhs.element, lhs.shape);
  for (int64_t i = 0; i < lhs.size(); ++i)
    out.floats[i] = roundTo(out.element, function(double(lhs.floats[i]), double(rhs.floats[i])));
  results.push_back(std::move(out));
  return success();
}

static LogicalResult checkExtents(Operation *op, Operands operands) {
  if (operands[0].tensor().shape != operands[1].tensor().shape)
    return op->emitOpError() << "has operands of " << operands[0].tensor().rows() << " and "
                             << operands[1].tensor().rows() << " rows";
  return success();
}

LogicalResult evaluate(SiluOp, Operands operands, Results &results, Machine &) {
  // exp(-x) may be infinite, which makes the quotient the limit -0; x itself minus infinity needs the limit by name.
  return map(operands, results,
             [](double x, double) { return std::isinf(x) && x < 0 ? -0.0 : x / (1 + std::exp(-x)); });
}

LogicalResult evaluate(MulOp op, Operands operands, Results &results, Machine &) {
  if (failed(checkExtents(op, operands)))
    return failure();
  return map(operands, results, [](double a, double b) { return a * b; });
}

LogicalResult evaluate(AddOp op, Operands operands, Results &results, Machine &) {
  if (failed(checkExtents(op, operands)))
    return failure();
  return map(operands, results, [](double a, double b) { return a + b; });
}

} // namespace adze::llm::reference
