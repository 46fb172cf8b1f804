// CudaGraphCache.h: the steps that repeat, as graphs.
//
// A decode step launches hundreds of kernels whose arguments do not change from token to token while the number of
// requests stays: giving them to the GPU one by one costs more than some of them take. A graph is given in one call.
//
// A graph has everything baked in: kernels, grids, and argument blocks with their pointers, T, B and R. The key is
// therefore the whole LaunchList, compared byte for byte: nothing that a graph holds can be forgotten in it. Lists are
// looked up by their bucket (T, B, R) first, so a step compares with one or two entries. A list is only remembered when
// it is first seen and becomes a graph when it comes again, so that steps that never repeat cost no capture. Past the
// limit the entry that was used longest ago goes.
#ifndef ADZE_LIB_RUNTIME_DEVICE_CUDA_CUDAGRAPHCACHE_H
#define ADZE_LIB_RUNTIME_DEVICE_CUDA_CUDAGRAPHCACHE_H

#include "CudaModule.h"

namespace adze::cuda {

/// The list as a graph, which the caller destroys; null after an error.
Status captureGraph(CudaContext &gpu, const CudaModule &module, const LaunchList &list, GraphExec &graph);
/// Gives a list to the stream launch by launch.
Status launchPlain(const CudaModule &module, const LaunchList &list);

class CudaGraphCache {
public:
  explicit CudaGraphCache(CudaContext &gpu) : gpu(gpu) {}
  ~CudaGraphCache() { clear(); }

  /// Gives a step to the stream, by whatever way is right for it.
  Status run(const CudaModule &module, const LaunchList &list);
  /// Forgets the graphs of a module, before the module goes.
  void forget(const CudaModule &module);
  void clear();

  GraphCounters counters;

private:
  struct Entry {
    const CudaModule *module;
    LaunchList list;
    GraphExec graph; // null: seen once
    uint64_t lastUse;
  };
  void destroy(Entry &entry);

  CudaContext &gpu;
  std::vector<Entry> entries;
  uint64_t clock = 0;
};

} // namespace adze::cuda
#endif
