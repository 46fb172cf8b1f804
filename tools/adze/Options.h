// Options.h: every flag of `adze`, in one struct, parsed in one place.
#ifndef ADZE_TOOLS_ADZE_OPTIONS_H
#define ADZE_TOOLS_ADZE_OPTIONS_H

#include "adze/Runtime/Device/Choice/DeviceChoice.h"
#include "adze/Runtime/Engine/EngineLimits.h"
#include "adze/Runtime/Engine/SamplingParameters.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace adze {

/// What the user said about sampling; what is absent comes from the model's generation defaults.
struct SamplingFlags {
  bool greedy = false;
  std::optional<double> temperature, topP, minP, repetitionPenalty, presencePenalty, frequencyPenalty;
  std::optional<int64_t> topK, logprobs;
  std::optional<uint64_t> seed;

  /// `base` with the flags on top. A temperature of 0 is a spelling of greedy; any other choice flag asks for sampling.
  SamplingParameters apply(SamplingParameters base) const;
};

enum class Command { Run, Eval, Inspect, Verify, Bench, Check };
enum class BenchWhat { Kernel, Step, Model, Weights };

/// What `adze bench` measures. Lists of one entry stand for as many as the longest has.
struct BenchFlags {
  BenchWhat what = BenchWhat::Kernel;
  std::vector<int64_t> tokens{1}, requests{1}, history{0}; // kernel and step: shapes of a step
  std::vector<int64_t> prompts{512}, batch{1, 8};          // model
  int64_t decodeTokens = 64;                               // model: of each request of a batch
  int64_t repetitions = 7;
  int64_t copyBytes = int64_t(2) << 30;
  std::string output; // a file for the JSON as well
  std::string match;  // kernel: part of the name or family
  uint64_t seed = 0;  // weights
};

/// What `adze check` compares with, and how often.
struct CheckFlags {
  std::string against;
  int64_t rounds = 8;
  std::optional<uint64_t> seed; // absent: a fresh one
};

struct ToolOptions {
  Command command = Command::Run;
  std::string artifact;
  EngineLimits limits;
  bool json = false;

  // run: exactly one of the first six says what to do
  std::optional<std::string> prompt, chat;
  bool interactive = false;
  std::string batchFile, scoreFile;
  std::vector<int32_t> tokens;

  // eval
  std::string textFile;
  std::optional<std::string> against;
  std::optional<int64_t> window, windows;
  int64_t skip = 0;

  BenchFlags bench;
  CheckFlags check;

  std::string system;
  int64_t maxTokens = -1;
  std::vector<std::string> stop;
  bool ignoreEos = false;
  bool profile = false;
  bool quiet = false;
  bool reversePages = false;
  bool poison = false;
  DeviceOptions device;
  std::optional<int64_t> dumpLayer;
  std::string dumpFile = "values.safetensors";
  SamplingFlags sampling;
};

/// The options, or the exit code after help, version or an error has been printed.
struct ParsedOptions {
  std::optional<int> exitCode;
  ToolOptions options;
};
ParsedOptions parseOptions(int argc, char **argv);

/// "512M" and the like: a number with an optional K, M or G (powers of 1024). Nothing for anything else.
std::optional<int64_t> parseBytes(const std::string &text);

} // namespace adze
#endif
