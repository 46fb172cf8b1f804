// Products with weights. Float sums are f64: the product of two f32 numbers is exact in f64, so the error of a sum of K
// products is about K * 2^-53 of the sum of their sizes, which is what docs/Numerics.md may neglect.
#include "Operations.h"

#include <cmath>

using namespace mlir;

namespace adze::llm::reference {

#pragma STDC FP_CONTRACT OFF

static double dot(const float *a, const float *b, int64_t count) {
  double sum = 0;
  for (int64_t k = 0; k < count; ++k)
    sum += double(a[k]) * double(b[k]);
  return sum;
}

LogicalResult evaluate(LinearOp op, Operands operands, Results &results, Machine &) {
  const Tensor &input = operands[0].tensor(), &weight = operands[1].tensor();
  const Tensor *bias = operands.size() > 2 ? &operands[2].tensor() : nullptr;
  Tensor out = Tensor::zeros(resultElement(op.getResult()), {input.rows(), weight.rows()});
  for (int64_t t = 0; t < input.rows(); ++t)
    for (int64_t n = 0; n < weight.rows(); ++n) {
      double sum = dot(input.row(t), weight.row(n), weight.columns());
      out.row(t)[n] = roundTo(out.element, bias ? sum + double(bias->floats[n]) : sum);
    }
  results.push_back(std::move(out));
  return success();
}

/// The exact sequence of f32 operations that llm.quantized_linear states for an i8 input.
static float sumOfGroups(const QuantizedWeight &weight, int64_t n, const Tensor &input, const Tensor &inputScale,
                         const Tensor &inputSum, int64_t t, int64_t group, Scheme scheme) {
  int64_t groups = weight.columns() / group, perInputGroup = groups / inputScale.columns();
  const int64_t *codes = input.ints.data() + t * input.columns();
  float sum = 0;
  for (int64_t g = 0; g < groups; ++g) {
    int32_t product = 0;
    for (int64_t k = g * group; k < (g + 1) * group; ++k)
      product += int32_t(codes[k] * weight.code(n, k));
    float scale = inputScale.row(t)[g / perInputGroup];
    sum = std::fma(weight.scale(n, g) * scale, float(product), sum);
    if (scheme != Scheme::Symmetric) {
      int64_t codeSum = inputSum.ints[t * inputSum.columns() + g / perInputGroup];
      sum = std::fma(weight.shift(n, g) * scale, float(int32_t(codeSum)), sum);
    }
  }
  return sum;
}

LogicalResult evaluate(QuantizedLinearOp op, Operands operands, Results &results, Machine &) {
  auto optional = [&](unsigned index) { return optionalTensor(operands, op.getODSOperandIndexAndLength(index)); };
  const Tensor &input = operands[0].tensor();
  const Tensor *inputScale = optional(1), *inputSum = optional(2), *bias = optional(7);
  QuantizedWeight weight(operands[op.getODSOperandIndexAndLength(3).first].tensor(),
                         operands[op.getODSOperandIndexAndLength(4).first].tensor(), optional(5), optional(6),
                         op.getGroup(), op.getScheme());
  Tensor out = Tensor::zeros(resultElement(op.getResult()), {input.rows(), weight.rows()});
  std::vector<float> numbers(weight.columns());
  for (int64_t n = 0; n < weight.rows(); ++n) {
    if (!inputScale)
      for (int64_t k = 0; k < weight.columns(); ++k)
        numbers[k] = weight.number(n, k);
    for (int64_t t = 0; t < input.rows(); ++t) {
      if (!inputScale) {
        double sum = dot(input.row(t), numbers.data(), weight.columns());
        out.row(t)[n] = roundTo(out.element, bias ? sum + double(bias->floats[n]) : sum);
        continue;
      }
      float sum = sumOfGroups(weight, n, input, *inputScale, *inputSum, t, op.getGroup(), op.getScheme());
      out.row(t)[n] = roundTo(out.element, bias ? sum + bias->floats[n] : sum);
    }
  }
  results.push_back(std::move(out));
  return success();
}

} // namespace adze::llm::reference
