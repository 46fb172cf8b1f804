// SamplingParameters.h: how the next token is chosen from a row of logits, as one checked value.
//
// docs/Numerics.md ("Token choice") is the specification; TokenChooser carries it out. Greedy is a mode of its own and
// not a temperature: code that wants the best token says so.
#ifndef ADZE_RUNTIME_ENGINE_SAMPLINGPARAMETERS_H
#define ADZE_RUNTIME_ENGINE_SAMPLINGPARAMETERS_H

#include "adze/Format/GenerationDefaults.h"
#include "adze/Support/Status.h"

#include <cstdint>
#include <string>

namespace adze {

enum class ChoiceMode { Greedy, Sample };

struct SamplingParameters {
  ChoiceMode mode = ChoiceMode::Greedy;
  double temperature = 1.0;       // 0 < t <= 100; read in Sample only
  int64_t topK = 0;               // >= 0; 0: off; more than the vocabulary: everything
  double topP = 1.0;              // 0 <= p <= 1; 1: off; 0: the best token
  double minP = 0.0;              // 0 <= p <= 1; 0: off
  double repetitionPenalty = 1.0; // 0 < r <= 100; 1: off; over prompt and output
  double presencePenalty = 0.0;   // -2 .. 2; over the output
  double frequencyPenalty = 0.0;  // -2 .. 2; over the output
  uint64_t seed = 0;              // any; read in Sample only
  int64_t topLogprobs = -1;       // -1: no logprobs; n >= 0: the chosen token's and the n best, n <= kMaxTopLogprobs

  /// The best token of the model's own logits is all that is asked for.
  bool takesBestToken() const { return mode == ChoiceMode::Greedy && !hasPenalties() && topLogprobs < 0; }
  bool hasPenalties() const { return repetitionPenalty != 1.0 || presencePenalty != 0.0 || frequencyPenalty != 0.0; }
};

inline constexpr int64_t kMaxTopLogprobs = 100;

/// Ok, or InvalidInput that names the parameter, its value and the accepted range.
Status checkSampling(const SamplingParameters &parameters);

/// What the model's makers ask for. A request that changes nothing gets this.
SamplingParameters samplingFromDefaults(const GenerationDefaults &defaults);

/// One line for people: "greedy", or "temperature 0.7, top-p 0.9, seed 42".
std::string describeSampling(const SamplingParameters &parameters);

} // namespace adze
#endif
