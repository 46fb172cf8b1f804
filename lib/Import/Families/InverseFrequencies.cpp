// Every kind of rotary scaling, folded into one table: angle = position * table[i].
//
// Computed in double from the exact base and rounded to f32 once. The reference implementations compute in f32
// throughout, which differs in the last bits of a few entries; docs/Numerics.md counts that among the tolerances of a
// whole model.
#include "adze/Import/Family.h"

#include <cmath>
#include <numbers>

namespace adze::import {
namespace {

// Llama 3.1: wavelengths shorter than originalContext / highFrequency stay, those longer than originalContext /
// lowFrequency are divided by the factor, between them the two are mixed linearly in the number of turns.
double llama3(double frequency, const RopeSettings &rope) {
  double wavelength = 2 * std::numbers::pi / frequency;
  if (wavelength < rope.originalContext / rope.highFrequency)
    return frequency;
  if (wavelength > rope.originalContext / rope.lowFrequency)
    return frequency / rope.factor;
  double turns = rope.originalContext / wavelength;
  double keep = (turns - rope.lowFrequency) / (rope.highFrequency - rope.lowFrequency);
  return (1 - keep) * frequency / rope.factor + keep * frequency;
}

} // namespace

std::vector<float> inverseFrequencies(const RopeSettings &rope, int64_t headDim) {
  std::vector<float> table;
  for (int64_t i = 0; i < headDim / 2; ++i) {
    double frequency = std::pow(rope.base, -2.0 * double(i) / double(headDim));
    if (rope.kind == RopeSettings::Kind::Linear)
      frequency /= rope.factor;
    if (rope.kind == RopeSettings::Kind::Llama3)
      frequency = llama3(frequency, rope);
    if (!rope.divisors.empty())
      frequency /= double(rope.divisors[size_t(i)]);
    table.push_back(float(frequency));
  }
  return table;
}

} // namespace adze::import
