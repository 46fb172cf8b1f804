// Events, and the graph of one kernel's launches.
#include "CudaTimer.h"

#include "CudaGraphCache.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace adze;
using namespace adze::cuda;

namespace {
constexpr size_t kMostLaunches = 4096; // of one graph

// Two events, freed at the end unless the GPU hangs on them.
struct Events {
  explicit Events(CudaContext &gpu) : gpu(gpu) {}
  ~Events() {
    for (Event event : {start, end})
      if (event && !gpu.hung)
        gpu.driver->eventDestroy(event);
  }
  Status make() {
    for (Event *event : {&start, &end})
      if (Status status = gpu.check(gpu.driver->eventCreate(event, kEventDefault), "make an event"); !status.ok())
        return status;
    return Status();
  }
  CudaContext &gpu;
  Event start = nullptr, end = nullptr;
};

// The launches of one kernel, in a form that is given at once.
class KernelLaunches {
public:
  KernelLaunches(CudaContext &gpu, const CudaModule &module) : gpu(gpu), module(module) {}
  ~KernelLaunches() {
    if (graph && !gpu.hung)
      gpu.driver->graphExecDestroy(graph);
  }
  /// `rounds` times the launches of `kernel` in `all`.
  Status set(const LaunchList &all, uint32_t kernel, int64_t rounds) {
    if (graph)
      gpu.driver->graphExecDestroy(std::exchange(graph, nullptr));
    list = {all.tokens, all.requests, all.rows, {}, all.arguments};
    for (int64_t round = 0; round < rounds; ++round)
      for (const CudaLaunch &launch : all.launches)
        if (launch.kernel == kernel && launch.blocks > 0)
          list.launches.push_back(launch);
    return gpu.options.graphs ? captureGraph(gpu, module, list, graph) : Status();
  }
  Expected<double> time() {
    return timeStream(gpu, fmt::format("time {} launches", list.launches.size()), [&] {
      return graph ? gpu.check(gpu.driver->graphLaunch(graph, gpu.stream), "launch a graph of one kernel")
                   : launchPlain(module, list);
    });
  }
  size_t count() const { return list.launches.size(); }

private:
  CudaContext &gpu;
  const CudaModule &module;
  LaunchList list;
  GraphExec graph = nullptr;
};

Status timeKernel(KernelLaunches &launches, const LaunchList &all, const TimingOptions &options, KernelTiming &timing) {
  if (Status status = launches.set(all, timing.kernel, 1); !status.ok())
    return status;
  timing.launches = int64_t(launches.count());
  double once = 0;
  for (int i = 0; i < 2; ++i) { // the first warms up
    Expected<double> time = launches.time();
    if (!time)
      return time.takeStatus();
    once = std::max(1.0, *time);
  }
  double most = std::max(1.0, double(kMostLaunches / launches.count()));
  if (auto rounds = int64_t(std::clamp(std::ceil(options.leastNanoseconds / once), 1.0, most)); rounds > 1) {
    if (Status status = launches.set(all, timing.kernel, rounds); !status.ok())
      return status;
    if (Expected<double> warm = launches.time(); !warm)
      return warm.takeStatus();
  }
  for (int64_t i = 0; i < options.repetitions; ++i) {
    Expected<double> time = launches.time();
    if (!time)
      return time.takeStatus();
    timing.nanoseconds.push_back(*time / double(launches.count()));
  }
  return Status();
}
} // namespace

Expected<double> adze::cuda::timeStream(CudaContext &gpu, std::string_view what, const std::function<Status()> &give) {
  Events events(gpu);
  gpu.duty = what;
  Status status = events.make();
  if (status.ok())
    status = gpu.check(gpu.driver->eventRecord(events.start, gpu.stream), what);
  if (status.ok())
    status = give();
  if (status.ok())
    status = gpu.check(gpu.driver->eventRecord(events.end, gpu.stream), what);
  // Waited for in any case: what was given before a refusal still runs.
  Status ended = gpu.lost.ok() ? gpu.drain(what) : gpu.lost;
  if (!status.ok() || !ended.ok())
    return status.ok() ? ended : status;
  float milliseconds = 0;
  if (Status told = gpu.check(gpu.driver->eventElapsedTime(&milliseconds, events.start, events.end), "tell a time");
      !told.ok())
    return told;
  return double(milliseconds) * 1e6;
}

Expected<std::vector<KernelTiming>> adze::cuda::timeLaunches(CudaContext &gpu, const CudaModule &module,
                                                             const LaunchList &list, const TimingOptions &options) {
  std::vector<KernelTiming> timings;
  for (const CudaLaunch &launch : list.launches) {
    bool known = std::any_of(timings.begin(), timings.end(),
                             [&](const KernelTiming &timing) { return timing.kernel == launch.kernel; });
    if (launch.blocks == 0 || known)
      continue;
    KernelLaunches launches(gpu, module);
    if (Status status = timeKernel(launches, list, options, timings.emplace_back(KernelTiming{launch.kernel, 0, {}}));
        !status.ok())
      return status;
  }
  return timings;
}
