//===- ConversionSteps.h - the two moving steps of a conversion, planned apart -----------------------------------===//
//
// Internal to this library. Both take byte maps of the same tile and leave the permutes around them to the caller.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_LIB_LAYOUT_CONVERSIONSTEPS_H
#define ADZE_LIB_LAYOUT_CONVERSIONSTEPS_H

#include "ByteMap.h"

#include "adze/Layout/ConversionPlan.h"

namespace adze {

template <class Step> struct MovingStep {
  Step step;
  WordRegisters sent, received;
};

/// Empty when data crosses warps.
std::optional<MovingStep<ShuffleStep>> planShuffle(const ByteMap &from, const ByteMap &to);
std::optional<MovingStep<SharedStep>> planShared(const ByteMap &from, const ByteMap &to, const ConversionTarget &target,
                                                 std::string &reason);

/// Everything of `to` is made by the first groups of `from` (registers and lanes; `block`: warps too), and the bits
/// above differ by such vectors only. `span` is the space of these groups.
struct Scope {
  bool block;
  BitVectors generators; ///< of `from`
  bool holds(const ByteMap &from, const ByteMap &to) const;
  /// `map` with the bits above the scope replaced: zero for `from`, what they differ by for `to`.
  ByteMap within(const ByteMap &map, const ByteMap *from) const;
  static Scope of(const ByteMap &from, bool block);
};

} // namespace adze

#endif // ADZE_LIB_LAYOUT_CONVERSIONSTEPS_H
