// adze: runs compiled models, describes and verifies them. Links the runtime only and starts in milliseconds.
//
// Exit codes: 0 done, 1 the input, the options or the machine do not allow it, 2 a fault of Adze, 130 ended by Ctrl-C.
#include "Session.h"
#include "Terminal.h"

#include "adze/Support/Mutant.h"

#include <string_view>

using namespace adze;

int main(int argc, char **argv) {
  if (argc > 1 && std::string_view(argv[1]) == "compile")
    return runCompiler(argc, argv);
  if (Status status = takeMutantFlag(argc, argv); !status.ok())
    return reportError(status);
  ParsedOptions parsed = parseOptions(argc, argv);
  if (parsed.exitCode)
    return *parsed.exitCode;
  const ToolOptions &options = parsed.options;
  if (options.command == Command::Eval)
    return runEval(options);
  if (options.command == Command::Inspect)
    return runInspect(options);
  if (options.command == Command::Verify)
    return runVerify(options);
  if (options.command == Command::Bench)
    return runBench(options);
  if (options.command == Command::Check)
    return runCheck(options);

  Expected<std::unique_ptr<Session>> session = Session::open(options);
  if (!session)
    return reportError(session.status());
  if (options.interactive)
    return runInteractive(**session);
  if (!options.batchFile.empty())
    return runBatch(**session);
  if (!options.scoreFile.empty())
    return runScore(**session);
  return runPrompt(**session);
}
