// FloatFormats.h: the 16-bit float formats as bit patterns, converted with integer arithmetic only.
//
// Weights arrive as f16 or bf16 and are read on machines that may lack instructions for them; doing the conversion on
// bits gives the same answer everywhere. Widening is exact. Narrowing rounds to nearest, ties to even, as IEEE 754
// does; what is too large becomes infinity, a NaN stays a NaN (quiet, sign and leading payload bits kept). Pure
// functions.
#ifndef ADZE_FORMAT_FLOATFORMATS_H
#define ADZE_FORMAT_FLOATFORMATS_H

#include <bit>
#include <cstdint>

namespace adze {

inline float halfToFloat(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 31, fraction = bits & 0x3ff;
  if (exponent == 31) // infinity or NaN; a NaN comes out quiet, as hardware makes it
    return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13) | (fraction ? 0x400000u : 0u));
  if (exponent != 0)
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
  // Zero or subnormal: fraction * 2^-24 is exact in f32.
  float magnitude = float(fraction) * 0x1p-24f;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) | sign);
}

inline uint16_t floatToHalf(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint16_t sign = uint16_t((bits >> 16) & 0x8000);
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return uint16_t(sign | 0x7e00 | ((magnitude >> 13) & 0x3ff));
  if (magnitude >= 0x477ff000) // 65520 and above round to infinity
    return uint16_t(sign | 0x7c00);
  if (magnitude <
      0x33000000) // below 2^-25 rounds to zero (2^-25 itself ties to even, which is zero too, handled below)
    return sign;
  uint32_t exponent = magnitude >> 23;
  uint32_t significand = (magnitude & 0x7fffff) | 0x800000;
  // Normal halves keep 11 of the 24 significand bits; subnormal ones lose one more for each step below 2^-14.
  uint32_t drop = exponent >= 113 ? 13 : 13 + (113 - exponent);
  uint32_t kept = significand >> drop;
  uint32_t rest = significand & ((1u << drop) - 1), tie = 1u << (drop - 1);
  if (rest > tie || (rest == tie && (kept & 1)))
    ++kept;
  // The implicit bit of `kept` adds one to the exponent field, and a carry out of the fraction does the right thing.
  uint32_t base = exponent >= 113 ? (exponent - 113) << 10 : 0;
  return uint16_t(sign | (base + kept));
}

inline float bfloatToFloat(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }

inline uint16_t floatToBfloat(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return uint16_t((bits >> 16) | 0x40);
  return uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

} // namespace adze
#endif
