// Launches on the thread pool and memory from anonymous mappings.
#include "adze/Runtime/Device/CpuDevice.h"

#include <chrono>
#include <fmt/format.h>
#include <sys/mman.h>

using namespace adze;

// The services of one step: the C structure that the program sees, and what stands behind its context.
struct CpuDevice::Launcher {
  CpuDevice &device;
  const AdzeProgram &program;
  const AdzeStep &step;
  int64_t number = 0;

  static int32_t launch(void *context, uint32_t kernel, const void *arguments) {
    auto &self = *static_cast<Launcher *>(context);
    if (kernel >= self.program.kernel_count)
      return -1;
    const AdzeKernel &entry = self.program.kernels[kernel];
    if (!self.device.watching) {
      self.run(entry, arguments);
      return 0;
    }
    auto start = std::chrono::steady_clock::now();
    self.run(entry, arguments);
    auto end = std::chrono::steady_clock::now();
    if (self.device.profiling) {
      KernelCounter &counter = self.device.counters[kernel];
      ++counter.launches;
      counter.nanoseconds += std::chrono::duration_cast<std::chrono::nanoseconds>(end - start).count();
    }
    if (self.device.observer)
      self.device.observer({self.step, self.number++, kernel, static_cast<const uint64_t *>(arguments)});
    return 0;
  }

  void run(const AdzeKernel &kernel, const void *arguments) {
    int64_t blocks = kernel.blocks(arguments);
    device.pool.run(blocks, [&](int64_t first, int64_t last) { kernel.entry(arguments, first, last); });
  }
};

std::string CpuDevice::name() const { return fmt::format("CPU with {} threads", pool.threads()); }

// Windows are the memory itself here, so there is nothing to copy.
Status CpuDevice::runStep(const AdzeProgram &program, const AdzeStep &step, const StepCopies &) {
  if (profiling)
    counters.resize(program.kernel_count);
  Launcher launcher{*this, program, step};
  AdzeServices services{ADZE_PROGRAM_VERSION, &launcher, &Launcher::launch};
  int32_t code = program.step(&step, &services);
  if (code != 0)
    return internalError(fmt::format("the program stopped a step of {} tokens with code {}", step.tokens, code));
  return Status();
}

uint8_t *CpuDevice::allocateBytes(int64_t size) {
  void *start = mmap(nullptr, size_t(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return start == MAP_FAILED ? nullptr : static_cast<uint8_t *>(start);
}

void CpuDevice::freeBytes(uint8_t *start, int64_t size) { munmap(start, size_t(size)); }
