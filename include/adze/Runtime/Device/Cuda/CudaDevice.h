// CudaDevice.h: an NVIDIA GPU as a Device, through the driver that the machine has.
//
// The program's host code runs as on a CPU, but each launch is only written down: kernel, grid and argument block. The
// list is then given to the GPU in one go. A list that is byte for byte the one of an earlier step (same tokens,
// requests, rows, pointers and grids) replays that step's graph; since a graph holds exactly what the list says, the
// list is the key and nothing baked in can be stale. Lists are captured when they are seen a second time.
//
// Memory, uploads and steps happen in one stream, in order. runStep() returns when the step has ended, failed, or run
// past options.timeoutMilliseconds. A fault of the GPU ends its use by this process: fault() tells, and everything else
// returns that Status.
//
// Errors name the GPU, what it was asked for, and what to do. No function blocks without a limit. No CUDA header is
// needed here or by users of this file.
#ifndef ADZE_RUNTIME_DEVICE_CUDA_CUDADEVICE_H
#define ADZE_RUNTIME_DEVICE_CUDA_CUDADEVICE_H

#include "adze/Runtime/Device/Device.h"

#include <memory>

namespace adze {

struct CudaDeviceOptions {
  int ordinal = 0;                      // which GPU, as the driver numbers them
  std::string driver = "libcuda.so.1";  // name or path of the driver's library; tests replace it
  int64_t timeoutMilliseconds = 60'000; // --device-timeout: the longest that one step or one upload's piece may take
  int64_t reserveBytes = 256 << 20;     // left free for the driver: code, graphs, stacks of kernels
  int64_t graphTokens = 256;            // steps with more tokens are launched kernel by kernel: they rarely repeat
  size_t graphs = 64;                   // lists remembered; the one used longest ago goes first. 0: no graphs
  // An upload uses uploadThreads * uploadPieces * uploadPiece bytes of page-locked memory while it lasts.
  int64_t uploadPiece = 1 << 20; // the fastest that was measured (docs/Performance.md)
  unsigned uploadPieces = 2;     // of each thread
  unsigned uploadThreads = 0;    // 0: the allowed cores, at most 16
};

struct GraphCounters {
  int64_t captured = 0, replayed = 0, plain = 0, dropped = 0;
};

/// What the last upload did.
struct UploadReport {
  int64_t bytes = 0;
  double seconds = 0;
};

namespace cuda {
class CudaModule;
} // namespace cuda

class CudaDevice final : public Device {
public:
  /// Unsupported or InvalidInput: no driver, too old a driver, no such GPU, each with what to do.
  static Expected<std::unique_ptr<CudaDevice>> create(const CudaDeviceOptions &options = {});
  ~CudaDevice() override;

  std::string name() const override;
  Expected<std::optional<int64_t>> availableBytes() override;
  Status fault() const override;
  Status load(const AdzeProgram &program, const KernelImage &image) override;
  Expected<DeviceBuffer> upload(std::span<const uint8_t> bytes, std::string_view what,
                                std::string_view option) override;
  Status fill(const DeviceBuffer &buffer, uint8_t value) override;
  Status read(const void *from, std::span<uint8_t> to) override;
  Status write(void *to, std::span<const uint8_t> from) override;
  Expected<double> copy(void *to, const void *from, int64_t bytes) override;
  Status runStep(const AdzeProgram &program, const AdzeStep &step, const StepCopies &copies = {}) override;
  /// By events around a graph of the kernel's launches, as a step of a decode gives them.
  Expected<std::vector<KernelTiming>> timeKernels(const AdzeProgram &program, const AdzeStep &step,
                                                  const StepCopies &copies, const TimingOptions &options) override;

  const GraphCounters &graphCounters() const;
  const UploadReport &uploadReport() const { return report; }

private:
  struct State;
  explicit CudaDevice(std::unique_ptr<State> state);
  Status runWatched(const AdzeStep &step, const cuda::CudaModule &module);
  Status addProfile(uint32_t kernels);
  uint8_t *allocateBytes(int64_t size) override;
  void freeBytes(uint8_t *start, int64_t size) override;
  uint8_t *openHostBytes(uint8_t *start, int64_t size) override;
  void closeHostBytes(uint8_t *host, int64_t size) override;

  std::unique_ptr<State> state;
  UploadReport report;
};

} // namespace adze
#endif
