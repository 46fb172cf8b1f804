// ValueComparison.h: one value of a launch against the reference's value of that name.
//
// Bounds, each of one kernel that has the reference's inputs (docs/Numerics.md): numbers are compared to the largest of
// their row, codes of activations may differ by one where a quotient lies between two, everything else is equal.
#ifndef ADZE_RUNTIME_CHECK_VALUECOMPARISON_H
#define ADZE_RUNTIME_CHECK_VALUECOMPARISON_H

#include "adze/Format/StepValues.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace adze {

/// A value's bytes: rows * columns elements, row after row.
using ValueBytes = std::vector<uint8_t>;

/// What an output is filled with before its launch: NaN, or a number that no kernel writes.
uint8_t poisonOf(std::string_view element);

/// The largest error that is no difference, of the row's largest number (f32, bf16), in units of 127 (i8) or 1 (i32).
/// `numerics` is the artifact's: "f32" rounds nothing in between.
double boundOf(const StepValue &value, std::string_view numerics);

struct ElementDifference {
  int64_t row = 0, column = 0;
  double expected = 0, found = 0;
  bool unwritten = false; ///< what is found is the poison
};

struct ValueComparison {
  double worst = 0;          ///< error, in the units of boundOf; infinite where a number is not finite or not written
  int64_t differences = 0;   ///< elements beyond the bound
  ElementDifference first{}; ///< of them
};

/// `found` was poisoned before its launch if `poisoned`. Equally long.
ValueComparison compareValue(const StepValue &value, const ValueBytes &expected, const ValueBytes &found, double bound,
                             bool poisoned);

/// What a launch that chooses tokens must write, from rows of f32 logits: the best of the first `legal` of each row,
/// ties to the lowest id, -1 where one of them is not finite (Program.h, choice_slot).
ValueBytes bestTokens(const ValueBytes &logits, int64_t vocabulary, int64_t legal);

/// The sums of the groups of a row's codes; `groups` of them in `columns` columns.
ValueBytes sumsOfCodes(const ValueBytes &codes, int64_t columns, int64_t groups);

} // namespace adze
#endif
