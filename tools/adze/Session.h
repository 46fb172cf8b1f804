// Session.h: an opened model with the options of the command line: what every mode of `adze run` starts from.
#ifndef ADZE_TOOLS_ADZE_SESSION_H
#define ADZE_TOOLS_ADZE_SESSION_H

#include "Options.h"

#include "adze/Runtime/Engine/Model.h"

#include <memory>

namespace adze {

struct Session {
  ToolOptions options;
  std::unique_ptr<Model> model;
  SamplingParameters sampling; // the model's defaults with the flags on top

  /// `device`: that of a session that is open already.
  static Expected<std::unique_ptr<Session>> open(const ToolOptions &options, std::shared_ptr<Device> device = nullptr);

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
int runEval(const ToolOptions &options);
int runInspect(const ToolOptions &options);
int runVerify(const ToolOptions &options);
int runBench(const ToolOptions &options);
int runCheck(const ToolOptions &options);
/// Replaces the process by adze-compile. Returns an exit code only where that fails.
int runCompiler(int argc, char **argv);

} // namespace adze
#endif
