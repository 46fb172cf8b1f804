// Rotary positions. The angle is one f32 product, as checkpoints are trained with; its sine and cosine are exact to
// f64.
#include "Operations.h"

#include <cmath>

using namespace mlir;

namespace adze::llm::reference {

LogicalResult evaluate(RopeOp op, Operands operands, Results &results, Machine &) {
  const Tensor &input = operands[0].tensor(), &frequency = operands[1].tensor();
  const Batch &batch = operands[2].batch();
  if (input.rows() != batch.tokens())
    return op.emitOpError() << "has " << input.rows() << " rows, the batch " << batch.tokens() << " tokens";
  double factor = op.getAttentionFactor().convertToFloat();
  int64_t dim = op.getHeadDim(), half = dim / 2;
  Tensor out = Tensor::zeros(input.element, input.shape);
  for (int64_t t = 0; t < input.rows(); ++t)
    for (int64_t i = 0; i < half; ++i) {
      float angle = float(batch.position[t]) * frequency.floats[i];
      double c = factor * std::cos(double(angle)), s = factor * std::sin(double(angle));
      for (int64_t head = 0; head < input.columns(); head += dim) {
        const float *x = input.row(t) + head;
        float *y = out.row(t) + head;
        y[i] = roundTo(out.element, x[i] * c - x[i + half] * s);
        y[i + half] = roundTo(out.element, x[i + half] * c + x[i] * s);
      }
    }
  results.push_back(std::move(out));
  return success();
}

} // namespace adze::llm::reference
