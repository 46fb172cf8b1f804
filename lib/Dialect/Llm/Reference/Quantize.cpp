// Activations as codes: single f32 operations, exactly as llm.quantize states them.
#include "Operations.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;

namespace adze::llm::reference {

#pragma STDC FP_CONTRACT OFF

LogicalResult evaluate(QuantizeOp op, Operands operands, Results &results, Machine &) {
  const Tensor &input = operands[0].tensor();
  int64_t group = op.getGroup() == 0 ? input.columns() : int64_t(op.getGroup());
  int64_t groups = input.columns() / group;
  Tensor codes = Tensor::zeros(Element::I8, input.shape);
  Tensor scale = Tensor::zeros(Element::F32, {input.rows(), groups});
  Tensor sum = Tensor::zeros(Element::I32, {input.rows(), groups});
  for (int64_t i = 0; i < input.rows() * groups; ++i) {
    const float *x = input.floats.data() + i * group;
    float largest = 0;
    for (int64_t k = 0; k < group; ++k)
      largest = std::max(largest, std::fabs(x[k]));
    float s = largest / 127.0f;
    if (s < std::numeric_limits<float>::min())
      continue; // scale, codes and sum stay 0
    float r = 1.0f / s;
    scale.floats[i] = s;
    for (int64_t k = 0; k < group; ++k) {
      float code = std::nearbyint(x[k] * r);
      codes.ints[i * group + k] = std::isfinite(code) ? int64_t(std::clamp(code, -127.0f, 127.0f)) : 0;
      sum.ints[i] += codes.ints[i * group + k];
    }
  }
  results.push_back(std::move(codes));
  results.push_back(std::move(scale));
  results.push_back(std::move(sum));
  return success();
}

} // namespace adze::llm::reference
