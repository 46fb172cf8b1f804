// Session.h: an opened model with its device, tokenizer and engine: what every mode of `adze run` starts from.
#ifndef ADZE_TOOLS_ADZE_SESSION_H
#define ADZE_TOOLS_ADZE_SESSION_H

#include "Options.h"

#include "adze/Runtime/Device/CpuDevice.h"
#include "adze/Runtime/Engine/Engine.h"
#include "adze/Text/ChatTemplate.h"
#include "adze/Text/Tokenizer.h"

#include <memory>
#include <optional>

namespace adze {

struct Session {
  ToolOptions options;
  std::shared_ptr<const Artifact> artifact;
  std::unique_ptr<CpuDevice> device;
  std::optional<Tokenizer> tokenizer;
  std::unique_ptr<Engine> engine;
  SamplingParameters sampling; // the model's defaults with the flags on top

  static Expected<std::unique_ptr<Session>> open(const ToolOptions &options);

  /// Ids of a text that continues as it is.
  Expected<std::vector<int32_t>> encodeText(std::string_view text) const;
  /// Ids of a conversation by the model's template, ready for an answer.
  Expected<std::vector<int32_t>> encodeChat(const OrderedJson &messages) const;
  /// Messages with the --system message first, where one was given.
  OrderedJson startMessages() const;

  /// A request with the options of the command line and this prompt.
  AnswerRequest request(std::vector<int32_t> prompt, bool atTextStart) const;

  /// Steps until nothing is left; the first Ctrl-C cancels `id`. Returns whether that happened.
  bool runUntilIdle(RequestId id);
};

/// "prompt 12 tokens, first token after 0.041 s; 45 tokens, 37.5 tok/s; stop".
std::string describeSpeed(const AnswerEnd &end);
/// Prints describeSpeed, and the table of --profile, unless --quiet.
void printEnd(const Session &session, const AnswerEnd &end);
/// The table of --profile on standard error.
void printProfile(const Session &session);

/// One mode each; they return the exit code.
int runPrompt(Session &session);
int runInteractive(Session &session);
int runBatch(Session &session);
int runScore(Session &session);
int runInspect(const ToolOptions &options);
int runVerify(const ToolOptions &options);
/// Replaces the process by adze-compile. Returns an exit code only where that fails.
int runCompiler(int argc, char **argv);

/// A message as templates read it.
OrderedJson chatMessage(std::string_view role, std::string_view content);

} // namespace adze
#endif
