// CudaModule.h: a program's code on a GPU, and the launches that one step asks for.
//
// load() checks architecture and driver before the driver sees the code, then looks every function up and checks what
// the manifest says of it (threads, shared memory, size of the argument block) against what the code says. The driver's
// own log goes into the message where code does not assemble.
#ifndef ADZE_LIB_RUNTIME_DEVICE_CUDA_CUDAMODULE_H
#define ADZE_LIB_RUNTIME_DEVICE_CUDA_CUDAMODULE_H

#include "CudaContext.h"

namespace adze::cuda {

/// One launch of a list.
struct CudaLaunch {
  uint32_t kernel = 0, blocks = 0; // no block: the launch counts, and nothing runs
  uint32_t arguments = 0;          // where its block starts in LaunchList::arguments
  friend bool operator==(const CudaLaunch &, const CudaLaunch &) = default;
};

/// What one step launches, in order, argument blocks copied.
struct LaunchList {
  int64_t tokens = 0, requests = 0, rows = 0;
  std::vector<CudaLaunch> launches;
  std::vector<uint8_t> arguments; // blocks start at multiples of 16

  /// Whether a graph made from one is right for the other: everything that a graph holds, byte for byte.
  friend bool operator==(const LaunchList &, const LaunchList &) = default;
};

class CudaModule {
public:
  static Expected<std::unique_ptr<CudaModule>> load(CudaContext &gpu, const AdzeProgram &program,
                                                    const KernelImage &image);
  ~CudaModule();

  /// Runs the program's host code and collects its launches. An error names the kernel.
  Status record(const AdzeProgram &program, const AdzeStep &step, LaunchList &list) const;
  /// Gives one launch to the stream.
  Status launch(const LaunchList &list, const CudaLaunch &launch) const;

private:
  struct Entry {
    Function function = nullptr;
    KernelLaunch launch;
  };
  struct Recorder;
  explicit CudaModule(CudaContext &gpu) : gpu(gpu) {}
  Status find(const KernelLaunch &launch, const char *kernel);

  CudaContext &gpu;
  Module module = nullptr;
  std::vector<Entry> entries;
};

} // namespace adze::cuda
#endif
