// Rows of tables; the numbers of quantized weights.
#include "Operations.h"

using namespace mlir;

namespace adze::llm::reference {

// The file's products and sums are single f32 operations with their own rounding.
#pragma STDC FP_CONTRACT OFF

int64_t QuantizedWeight::code(int64_t n, int64_t k) const {
  int64_t stored = codes.ints[n * columns() + k];
  return scheme == Scheme::Symmetric ? stored : stored & 15;
}

float QuantizedWeight::scale(int64_t n, int64_t g) const {
  if (!outer)
    return scales.row(n)[g];
  return outer->row(n)[g * group / 256] * float(scales.ints[n * scales.columns() + g]);
}

float QuantizedWeight::shift(int64_t n, int64_t g) const {
  switch (scheme) {
  case Scheme::Symmetric:
    return 0;
  case Scheme::ZeroPoint:
    return -8.0f * scale(n, g);
  case Scheme::Affine:
    return offsets->row(n)[g];
  }
  return 0;
}

float QuantizedWeight::number(int64_t n, int64_t k) const {
  int64_t g = k / group;
  if (scheme == Scheme::ZeroPoint)
    return scale(n, g) * float(code(n, k) - 8);
  float scaled = scale(n, g) * float(code(n, k));
  return scheme == Scheme::Affine ? scaled + shift(n, g) : scaled;
}

template <class Number>
static LogicalResult lookUp(Operation *op, const Tensor &tokens, int64_t rows, int64_t columns, Results &results,
                            Number number) {
  Tensor out = Tensor::zeros(resultElement(op->getResult(0)), {tokens.size(), columns});
  for (int64_t t = 0; t < tokens.size(); ++t) {
    int64_t token = tokens.ints[t];
    if (token < 0 || token >= rows)
      return op->emitOpError() << "token " << t << " is " << token << ", the table has " << rows << " rows";
    for (int64_t k = 0; k < columns; ++k)
      out.row(t)[k] = roundTo(out.element, number(token, k));
  }
  results.push_back(std::move(out));
  return success();
}

LogicalResult evaluate(EmbeddingOp op, Operands operands, Results &results, Machine &) {
  const Tensor &table = operands[1].tensor();
  return lookUp(op, operands[0].tensor(), table.rows(), table.columns(), results,
                [&](int64_t n, int64_t k) { return table.row(n)[k]; });
}

LogicalResult evaluate(QuantizedEmbeddingOp op, Operands operands, Results &results, Machine &) {
  QuantizedWeight table(operands[1].tensor(), operands[2].tensor(),
                        optionalTensor(operands, op.getODSOperandIndexAndLength(3)),
                        optionalTensor(operands, op.getODSOperandIndexAndLength(4)), op.getGroup(), op.getScheme());
  return lookUp(op, operands[0].tensor(), table.rows(), table.columns(), results,
                [&](int64_t n, int64_t k) { return table.number(n, k); });
}

} // namespace adze::llm::reference
