// `adze bench weights`: the file that an artifact without weights lacks.
#include "BenchReport.h"
#include "Terminal.h"

#include "adze/Runtime/Artifact/StandInWeights.h"
#include "adze/Support/ScratchOutput.h"

#include <chrono>
#include <fmt/format.h>

using namespace adze;

int adze::runBenchWeights(const ToolOptions &options) {
  installScratchSignalHandler();
  auto start = std::chrono::steady_clock::now();
  double seconds = 0;
  int64_t bytes = 0;
  auto progress = [&](int64_t done, int64_t all) {
    bytes = all;
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!options.quiet)
      writeProgress(fmt::format("{:.2f} of {:.2f} GB", double(done) * 1e-9, double(all) * 1e-9), false);
  };
  Status status = makeStandInWeights(options.artifact, options.bench.seed, options.device.cpu.threads, progress);
  if (!options.quiet)
    writeProgress("", false);
  if (!status.ok())
    return reportError(status);
  if (!options.quiet)
    writeNote(fmt::format("{} has weights from seed {}: {:.2f} GB in {:.2f} s", options.artifact, options.bench.seed,
                          double(bytes) * 1e-9, seconds));
  return 0;
}
