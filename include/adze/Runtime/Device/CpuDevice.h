// CpuDevice.h: the host's cores and memory as a Device.
//
// Owns the thread pool; a process makes one CpuDevice. A launch asks the kernel for its grid, spreads the blocks over
// the pool and returns when all have run; blocks are independent, so which worker ran which never shows in a result.
// Memory comes from anonymous mappings: zeroed, page aligned, and taking no real memory before it is touched, so a
// large KV pool costs what is used of it.
#ifndef ADZE_RUNTIME_DEVICE_CPUDEVICE_H
#define ADZE_RUNTIME_DEVICE_CPUDEVICE_H

#include "adze/Runtime/Device/Device.h"
#include "adze/Support/ThreadPool.h"

namespace adze {

struct CpuDeviceOptions {
  unsigned threads = 0; // 0: what affinity and cgroup allow
  bool pin = false;     // bind workers to cores
};

class CpuDevice final : public Device {
public:
  explicit CpuDevice(CpuDeviceOptions options = {}) : pool({options.threads, options.pin}) {}

  std::string name() const override;
  unsigned threads() const override { return pool.threads(); }
  Status runStep(const AdzeProgram &program, const AdzeStep &step, const StepCopies &copies = {}) override;
  Expected<double> copy(void *to, const void *from, int64_t bytes) override;
  Expected<std::vector<KernelTiming>> timeKernels(const AdzeProgram &program, const AdzeStep &step,
                                                  const StepCopies &copies, const TimingOptions &options) override;

private:
  struct Launcher;
  struct OneKernel;
  uint8_t *allocateBytes(int64_t size) override;
  void freeBytes(uint8_t *start, int64_t size) override;

  ThreadPool pool;
};

} // namespace adze
#endif
