// Launches on the thread pool and memory from anonymous mappings.
#include "adze/Runtime/Device/CpuDevice.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>

using namespace adze;

namespace {
Status stopped(const AdzeStep &step, int32_t code) {
  return code == 0
             ? Status()
             : internalError(fmt::format("the program stopped a step of {} tokens with code {}", step.tokens, code));
}
double nanosecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}
} // namespace

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
  return stopped(step, program.step(&step, &services));
}

// The services of a step of which one kernel alone runs; without a kernel, its launches are counted.
struct CpuDevice::OneKernel {
  CpuDevice &device;
  const AdzeProgram &program;
  uint32_t kernel;
  std::vector<std::pair<uint32_t, int64_t>> launches; // kernel and number, in the order of first launches

  static int32_t run(void *context, uint32_t kernel, const void *arguments) {
    auto &self = *static_cast<OneKernel *>(context);
    if (kernel >= self.program.kernel_count)
      return -1;
    const AdzeKernel &entry = self.program.kernels[kernel];
    if (kernel == self.kernel)
      self.device.pool.run(entry.blocks(arguments),
                           [&](int64_t first, int64_t last) { entry.entry(arguments, first, last); });
    return 0;
  }
  static int32_t count(void *context, uint32_t kernel, const void *arguments) {
    auto &self = *static_cast<OneKernel *>(context);
    if (kernel >= self.program.kernel_count)
      return -1;
    if (self.program.kernels[kernel].blocks(arguments) == 0)
      return 0;
    auto found = std::find_if(self.launches.begin(), self.launches.end(),
                              [&](const auto &entry) { return entry.first == kernel; });
    if (found == self.launches.end())
      self.launches.push_back({kernel, 1});
    else
      ++found->second;
    return 0;
  }
};

Expected<std::vector<KernelTiming>> CpuDevice::timeKernels(const AdzeProgram &program, const AdzeStep &step,
                                                           const StepCopies &copies, const TimingOptions &options) {
  if (Status status = runStep(program, step, copies); !status.ok())
    return status;
  OneKernel all{*this, program, program.kernel_count, {}};
  AdzeServices counting{ADZE_PROGRAM_VERSION, &all, &OneKernel::count};
  if (Status status = stopped(step, program.step(&step, &counting)); !status.ok())
    return status;
  std::vector<KernelTiming> timings;
  for (auto [kernel, launches] : all.launches) {
    OneKernel one{*this, program, kernel, {}};
    AdzeServices running{ADZE_PROGRAM_VERSION, &one, &OneKernel::run};
    int32_t code = 0;
    auto rounds = [&](int64_t count) {
      auto start = std::chrono::steady_clock::now();
      for (int64_t i = 0; i < count && code == 0; ++i)
        code = program.step(&step, &running);
      return nanosecondsSince(start);
    };
    rounds(1); // to warm up
    auto count = int64_t(std::clamp(std::ceil(options.leastNanoseconds / std::max(1.0, rounds(1))), 1.0, 1000.0));
    KernelTiming &timing = timings.emplace_back(KernelTiming{kernel, launches, {}});
    for (int64_t i = 0; i < options.repetitions; ++i)
      timing.nanoseconds.push_back(rounds(count) / double(count * launches));
    if (Status status = stopped(step, code); !status.ok())
      return status;
  }
  return timings;
}

Expected<double> CpuDevice::copy(void *to, const void *from, int64_t bytes) {
  constexpr int64_t kPiece = 1 << 20;
  auto start = std::chrono::steady_clock::now();
  pool.run((bytes + kPiece - 1) / kPiece, [&](int64_t first, int64_t last) {
    int64_t begin = first * kPiece, end = std::min(bytes, last * kPiece);
    std::memcpy(static_cast<uint8_t *>(to) + begin, static_cast<const uint8_t *>(from) + begin, size_t(end - begin));
  });
  return nanosecondsSince(start);
}

uint8_t *CpuDevice::allocateBytes(int64_t size) {
  void *start = mmap(nullptr, size_t(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return start == MAP_FAILED ? nullptr : static_cast<uint8_t *>(start);
}

void CpuDevice::freeBytes(uint8_t *start, int64_t size) { munmap(start, size_t(size)); }
