// What an op must move and do, as forms in the sizes of one step.
#ifndef ADZE_DIALECT_LLM_IR_COST_H
#define ADZE_DIALECT_LLM_IR_COST_H

#include "mlir/IR/Value.h"

#include <cstdint>

namespace adze::llm {

/// constant + tokens * T + requests * B + rows * R + keys * K + pairs * P, where K is the sum of kv_length over the
/// requests and P is the sum over the tokens of the keys that each can see without a window (position + 1).
struct SizeForm {
  int64_t constant = 0, tokens = 0, requests = 0, rows = 0, keys = 0, pairs = 0;

  SizeForm &operator+=(const SizeForm &other) {
    constant += other.constant, tokens += other.tokens, requests += other.requests, rows += other.rows;
    keys += other.keys, pairs += other.pairs;
    return *this;
  }
  friend SizeForm operator+(SizeForm a, const SizeForm &b) { return a += b; }
  friend SizeForm operator*(const SizeForm &a, int64_t f) {
    return {a.constant * f, a.tokens * f, a.requests * f, a.rows * f, a.keys * f, a.pairs * f};
  }
  friend bool operator==(const SizeForm &, const SizeForm &) = default;

  int64_t evaluate(int64_t T, int64_t B, int64_t R, int64_t K, int64_t P) const {
    return constant + tokens * T + requests * B + rows * R + keys * K + pairs * P;
  }
};

/// Bytes read and written, and arithmetic operations (a multiply and an add count as two, a special function as one).
struct Cost {
  SizeForm bytes, operations;
  Cost &operator+=(const Cost &other) {
    bytes += other.bytes, operations += other.operations;
    return *this;
  }
};

/// Bytes of a tensor; 0 for what is no tensor (batch, cache, layer). In CostForms.cpp.
SizeForm bytesOf(mlir::Value value);

} // namespace adze::llm

#endif // ADZE_DIALECT_LLM_IR_COST_H
