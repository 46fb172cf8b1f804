// Elements as numbers, and what two of them may differ by.
#include "adze/Runtime/Check/ValueComparison.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

using namespace adze;

namespace {
constexpr uint8_t kNan = 0xff;             // of f32 and bf16
constexpr uint8_t kUnusedInteger = 0x80;   // -128 as a code, which llm.quantize never makes; far off as i32
constexpr double kExact = 1e-4;            // f32: other orders of sums
constexpr double kRounded = 0.03;          // one flip of a rounding inside the kernel shows
constexpr double kCode = 1.0 / 127 + 1e-9; // i8

template <class T> T load(const uint8_t *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

double numberAt(const ValueBytes &bytes, size_t index, char kind) {
  switch (kind) {
  case 'b':
    return std::bit_cast<float>(uint32_t(load<uint16_t>(bytes.data() + index * 2)) << 16);
  case 'c':
    return load<int8_t>(bytes.data() + index);
  case 'i':
    return load<int32_t>(bytes.data() + index * 4);
  default:
    return load<float>(bytes.data() + index * 4);
  }
}

char kindOf(std::string_view element) {
  return element == "bf16" ? 'b' : element == "i8" ? 'c' : element == "i32" ? 'i' : 'f';
}
} // namespace

uint8_t adze::poisonOf(std::string_view element) { return element == "i8" || element == "i32" ? kUnusedInteger : kNan; }

double adze::boundOf(const StepValue &value, std::string_view numerics) {
  if (value.element == "i32")
    return 0;
  if (value.element == "i8")
    return kCode;
  return numerics == "f32" ? kExact : kRounded;
}

ValueComparison adze::compareValue(const StepValue &value, const ValueBytes &expected, const ValueBytes &found,
                                   double bound, bool poisoned) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const char kind = kindOf(value.element);
  const bool floats = kind == 'f' || kind == 'b';
  const size_t size = size_t(stepElementBytes(value.element)), columns = size_t(value.columns);
  const size_t rows = expected.size() / (size * columns);
  const ValueBytes poison(size, poisonOf(value.element));
  ValueComparison result;
  for (size_t row = 0; row < rows; ++row) {
    double largest = floats ? 0 : kind == 'c' ? 127 : 1;
    for (size_t i = row * columns; floats && i < (row + 1) * columns; ++i)
      if (double number = std::fabs(numberAt(expected, i, kind)); number > largest)
        largest = number;
    for (size_t column = 0; column < columns; ++column) {
      size_t i = row * columns + column;
      double wanted = numberAt(expected, i, kind), got = numberAt(found, i, kind), error = std::fabs(wanted - got);
      bool unwritten = poisoned && std::memcmp(found.data() + i * size, poison.data(), size) == 0;
      error = unwritten || !std::isfinite(error) ? kInfinity : error == 0 ? 0 : error / largest;
      if (error > result.worst)
        result.worst = error;
      if (error <= bound)
        continue;
      if (result.differences++ == 0)
        result.first = {int64_t(row), int64_t(column), wanted, got, unwritten};
    }
  }
  return result;
}

ValueBytes adze::bestTokens(const ValueBytes &logits, int64_t vocabulary, int64_t legal) {
  const size_t rows = logits.size() / (size_t(vocabulary) * sizeof(float));
  ValueBytes best(rows * sizeof(int32_t));
  for (size_t row = 0; row < rows; ++row) {
    const size_t start = row * size_t(vocabulary);
    int32_t chosen = 0;
    bool finite = true;
    for (int64_t id = 0; id < legal; ++id) {
      double number = numberAt(logits, start + size_t(id), 'f');
      finite = finite && std::isfinite(number);
      if (number > numberAt(logits, start + size_t(chosen), 'f'))
        chosen = int32_t(id);
    }
    if (!finite)
      chosen = -1;
    std::memcpy(best.data() + row * sizeof(int32_t), &chosen, sizeof(int32_t));
  }
  return best;
}

ValueBytes adze::sumsOfCodes(const ValueBytes &codes, int64_t columns, int64_t groups) {
  const size_t group = size_t(columns / groups);
  ValueBytes sums(codes.size() / group * sizeof(int32_t));
  for (size_t i = 0; i < codes.size() / group; ++i) {
    int32_t sum = 0;
    for (size_t j = 0; j < group; ++j)
      sum += int8_t(codes[i * group + j]);
    std::memcpy(sums.data() + i * sizeof(int32_t), &sum, sizeof(int32_t));
  }
  return sums;
}
