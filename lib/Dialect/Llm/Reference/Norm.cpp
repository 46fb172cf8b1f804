// Norms.
#include "Operations.h"

#include <cmath>

using namespace mlir;

namespace adze::llm::reference {

LogicalResult evaluate(RmsNormOp op, Operands operands, Results &results, Machine &) {
  const Tensor &input = operands[0].tensor(), &weight = operands[1].tensor();
  double epsilon = op.getEpsilon().convertToFloat();
  int64_t width = weight.size();
  Tensor out = Tensor::zeros(input.element, input.shape);
  for (int64_t start = 0; start < input.size(); start += width) {
    const float *x = input.floats.data() + start;
    double squares = 0;
    for (int64_t i = 0; i < width; ++i)
      squares += double(x[i]) * double(x[i]);
    double factor = 1 / std::sqrt(squares / double(width) + epsilon);
    for (int64_t i = 0; i < width; ++i)
      out.floats[start + i] = roundTo(out.element, double(x[i]) * factor * double(weight.floats[i]));
  }
  results.push_back(std::move(out));
  return success();
}

} // namespace adze::llm::reference
