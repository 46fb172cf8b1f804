// Finding, capturing and replaying.
#include "CudaGraphCache.h"

#include <algorithm>
#include <fmt/format.h>

using namespace adze;
using namespace adze::cuda;

Status CudaGraphCache::run(const CudaModule &module, const LaunchList &list) {
  if (gpu.options.graphs == 0 || list.tokens > gpu.options.graphTokens || list.launches.empty()) {
    ++counters.plain;
    return launchPlain(module, list);
  }
  auto entry = std::find_if(entries.begin(), entries.end(),
                            [&](const Entry &e) { return e.module == &module && e.list == list; });
  if (entry == entries.end()) {
    if (entries.size() >= gpu.options.graphs) {
      auto oldest = std::min_element(entries.begin(), entries.end(),
                                     [](const Entry &a, const Entry &b) { return a.lastUse < b.lastUse; });
      destroy(*oldest);
      entries.erase(oldest);
      ++counters.dropped;
    }
    entries.push_back({&module, list, nullptr, ++clock});
    ++counters.plain;
    return launchPlain(module, list);
  }
  entry->lastUse = ++clock;
  if (!entry->graph) {
    if (Status status = captureGraph(gpu, module, list, entry->graph); !status.ok())
      return status;
    ++counters.captured;
  }
  ++counters.replayed;
  return gpu.check(gpu.driver->graphLaunch(entry->graph, gpu.stream),
                   fmt::format("launch the graph of a step of {} tokens", list.tokens));
}

Status adze::cuda::launchPlain(const CudaModule &module, const LaunchList &list) {
  for (const CudaLaunch &launch : list.launches)
    if (Status status = module.launch(list, launch); !status.ok())
      return status;
  return Status();
}

Status adze::cuda::captureGraph(CudaContext &gpu, const CudaModule &module, const LaunchList &list, GraphExec &graph) {
  const DriverTable &driver = *gpu.driver;
  std::string what = fmt::format("capture a step of {} tokens", list.tokens);
  if (Status status = gpu.check(driver.streamBeginCapture(gpu.stream, kCaptureThreadLocal), what); !status.ok())
    return status;
  Status launched = launchPlain(module, list);
  Graph captured = nullptr;
  // Ended whatever happened in it: a stream that still captures runs nothing.
  Status ended = gpu.check(driver.streamEndCapture(gpu.stream, &captured), what);
  Status status = !launched.ok() ? launched : ended;
  if (status.ok())
    status = gpu.check(driver.graphInstantiate(&graph, captured, 0), what);
  if (captured)
    driver.graphDestroy(captured);
  if (!status.ok())
    graph = nullptr;
  return status;
}

void CudaGraphCache::destroy(Entry &entry) {
  if (entry.graph && !gpu.hung)
    gpu.driver->graphExecDestroy(entry.graph);
}

void CudaGraphCache::forget(const CudaModule &module) {
  for (Entry &entry : entries)
    if (entry.module == &module)
      destroy(entry);
  std::erase_if(entries, [&](const Entry &entry) { return entry.module == &module; });
}

void CudaGraphCache::clear() {
  for (Entry &entry : entries)
    destroy(entry);
  entries.clear();
}
