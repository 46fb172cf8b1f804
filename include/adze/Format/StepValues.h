// StepValues.h: values.json of an artifact: what each launch of a step writes.
//
// It is read only by who wants to look at activations (`adze run --dump-values`); a step does not need it. Names are
// those of adze/Conversion/KernelAbi/ValueNames.h.
#ifndef ADZE_FORMAT_STEPVALUES_H
#define ADZE_FORMAT_STEPVALUES_H

#include "adze/Support/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace adze {

/// A matrix that a launch writes: one row for each token of the step, or for each row of logits.
struct StepValue {
  std::string name;
  int64_t layer = -1; // of the model; -1 for what is in none
  int64_t word = 0;   // of the launch's argument block that points to it
  bool outputRows = false;
  int64_t columns = 0;
  std::string element; // f32, bf16, i8 or i32
};

/// The values of each launch, in the order of the step.
struct StepValues {
  std::vector<std::vector<StepValue>> launches;
};

inline constexpr const char *kValuesFile = "values.json";

std::string writeStepValues(const StepValues &values);
/// `fileName` appears in messages. Checks types and ranges.
Expected<StepValues> readStepValues(std::string_view text, std::string_view fileName);

/// Bytes of an element, 0 for a name that no value has.
int64_t stepElementBytes(std::string_view element);

} // namespace adze
#endif
