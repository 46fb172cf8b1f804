// Ranges of the sampling parameters and their one-line description.
#include "adze/Runtime/Engine/SamplingParameters.h"

#include <cmath>
#include <fmt/format.h>

using namespace adze;

namespace {
Status outOfRange(const char *name, double value, const char *accepted) {
  return invalidInput(fmt::format("sampling parameter {} is {}; accepted: {}", name, value, accepted));
}
bool within(double value, double low, double high) { return std::isfinite(value) && value >= low && value <= high; }
} // namespace

Status adze::checkSampling(const SamplingParameters &p) {
  if (!(std::isfinite(p.temperature) && p.temperature > 0 && p.temperature <= 100))
    return outOfRange("temperature", p.temperature, "above 0, up to 100 (ask for greedy choice to get the best token)");
  if (p.topK < 0)
    return outOfRange("top-k", double(p.topK), "0 (off) or more");
  if (!within(p.topP, 0, 1))
    return outOfRange("top-p", p.topP, "0 to 1");
  if (!within(p.minP, 0, 1))
    return outOfRange("min-p", p.minP, "0 to 1");
  if (!(within(p.repetitionPenalty, 0, 100) && p.repetitionPenalty >= 0.01))
    return outOfRange("repetition-penalty", p.repetitionPenalty, "0.01 to 100 (1 is off)");
  if (!within(p.presencePenalty, -2, 2))
    return outOfRange("presence-penalty", p.presencePenalty, "-2 to 2");
  if (!within(p.frequencyPenalty, -2, 2))
    return outOfRange("frequency-penalty", p.frequencyPenalty, "-2 to 2");
  if (p.topLogprobs < -1 || p.topLogprobs > kMaxTopLogprobs)
    return outOfRange("logprobs", double(p.topLogprobs), "0 to 100");
  return Status();
}

SamplingParameters adze::samplingFromDefaults(const GenerationDefaults &defaults) {
  SamplingParameters result;
  result.mode = defaults.sample ? ChoiceMode::Sample : ChoiceMode::Greedy;
  result.temperature = defaults.temperature;
  result.topK = defaults.topK;
  result.topP = defaults.topP;
  result.minP = defaults.minP;
  result.repetitionPenalty = defaults.repetitionPenalty;
  return result;
}

std::string adze::describeSampling(const SamplingParameters &p) {
  std::string text = p.mode == ChoiceMode::Greedy ? "greedy" : fmt::format("temperature {}", p.temperature);
  if (p.mode == ChoiceMode::Sample) {
    if (p.topK != 0)
      text += fmt::format(", top-k {}", p.topK);
    if (p.topP < 1)
      text += fmt::format(", top-p {}", p.topP);
    if (p.minP > 0)
      text += fmt::format(", min-p {}", p.minP);
  }
  if (p.repetitionPenalty != 1)
    text += fmt::format(", repetition-penalty {}", p.repetitionPenalty);
  if (p.presencePenalty != 0)
    text += fmt::format(", presence-penalty {}", p.presencePenalty);
  if (p.frequencyPenalty != 0)
    text += fmt::format(", frequency-penalty {}", p.frequencyPenalty);
  if (p.mode == ChoiceMode::Sample)
    text += fmt::format(", seed {}", p.seed);
  return text;
}
