// Device.h: memory and execution of one device, as the engine sees them.
//
// A Device hands out buffers (move-only handles that alone change the byte counts), runs the steps of a program and,
// where asked, counts launches and time per kernel. Sizes are bytes, rounded up to 256, and the peak is what the memory
// plan promised: the engine allocates nothing else. All functions are for one thread at a time, the engine's.
//
// Buffers lie where the device's kernels read them, which need not be memory that the host can touch. The host writes
// and reads through windows: on a CPU a window is the buffer's own memory and costs nothing; on a GPU it is page-locked
// host memory, and runStep copies the ranges that it is given, in before the first launch and out after the last.
#ifndef ADZE_RUNTIME_DEVICE_DEVICE_H
#define ADZE_RUNTIME_DEVICE_DEVICE_H

#include "adze/Abi/Program.h"
#include "adze/Support/Status.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adze {

class Device;

/// Memory of a device. Move-only; freed by its destructor, before its device ends.
class DeviceBuffer {
public:
  DeviceBuffer() = default;
  DeviceBuffer(DeviceBuffer &&other) noexcept;
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept;
  ~DeviceBuffer() { release(); }

  /// Null for an empty buffer; at least 256-byte aligned.
  uint8_t *data() const { return start; }
  int64_t size() const { return bytes; }

private:
  friend class Device;
  DeviceBuffer(Device *owner, uint8_t *start, int64_t bytes) : owner(owner), start(start), bytes(bytes) {}
  void release();

  Device *owner = nullptr;
  uint8_t *start = nullptr;
  int64_t bytes = 0;
};

/// The host's view of a range of a buffer. Move-only; closed by its destructor, before its buffer and its device end.
class HostWindow {
public:
  HostWindow() = default;
  HostWindow(HostWindow &&other) noexcept;
  HostWindow &operator=(HostWindow &&other) noexcept;
  ~HostWindow() { close(); }

  /// What the host reads and writes; at least 256-byte aligned where the range is.
  uint8_t *data() const { return host; }
  /// The same range as kernels see it.
  uint8_t *device() const { return start; }
  int64_t size() const { return bytes; }

private:
  friend class Device;
  HostWindow(Device *owner, uint8_t *host, uint8_t *start, int64_t bytes)
      : owner(owner), host(host), start(start), bytes(bytes) {}
  void close();

  Device *owner = nullptr;
  uint8_t *host = nullptr, *start = nullptr;
  int64_t bytes = 0;
};

/// Bytes [offset, offset + bytes) of a window, to be copied with a step.
struct WindowRange {
  const HostWindow *window = nullptr;
  int64_t offset = 0, bytes = 0;
};
struct StepCopies {
  std::span<const WindowRange> in;  // host to device, before the first launch
  std::span<const WindowRange> out; // device to host, after the last
};

/// How one kernel of a GPU's code is launched. Its one parameter is the argument block, by value.
struct KernelLaunch {
  std::string function;       // its name in the code
  uint32_t threads = 0;       // of one block
  uint32_t sharedBytes = 0;   // dynamic shared memory of one block
  uint32_t argumentBytes = 0; // of the argument block
};

/// Code for a GPU: a cubin, or PTX text that ends in a zero byte.
struct KernelCode {
  std::string architecture; // "sm_90a"
  int64_t driver = 0;       // the oldest driver that can load it, as 1000 * major + 10 * minor of CUDA; 0: any
  std::span<const uint8_t> bytes;
};

/// What a program's launches run on a GPU; without code the program's own functions run on a CPU.
struct KernelImage {
  KernelCode code;
  KernelCode cubin;                  // of the same kernels, used where GPU and driver take it; may be empty
  std::vector<KernelLaunch> kernels; // in the order of AdzeProgram::kernels
};

/// What one kernel of the program has cost since profiling began.
struct KernelCounter {
  int64_t launches = 0;
  int64_t nanoseconds = 0;
};

/// How timeKernels measures.
struct TimingOptions {
  int64_t repetitions = 7;
  double leastNanoseconds = 500'000; ///< of one repetition: short launches are given again until it is reached
};
/// What it found of one kernel.
struct KernelTiming {
  uint32_t kernel = 0;             ///< of the program
  int64_t launches = 0;            ///< in one step, those without blocks not counted
  std::vector<double> nanoseconds; ///< one entry for each repetition: its time divided by its launches
};

/// A launch that has ended, before the next one begins.
struct FinishedLaunch {
  const AdzeStep &step;
  int64_t number;        ///< of the step, from 0
  uint32_t kernel;       ///< of the program
  const uint64_t *words; ///< its argument block; pointers are to memory of the device, which read() copies
};
using LaunchObserver = std::function<void(const FinishedLaunch &)>;

class Device {
public:
  virtual ~Device() = default;

  virtual std::string name() const = 0;
  /// Threads of the host that run kernels; 0 where none do.
  virtual unsigned threads() const { return 0; }

  /// Zeroed memory of `size` bytes rounded up to 256. ResourceExhausted names `what` and the option that makes it
  /// smaller.
  Expected<DeviceBuffer> allocate(int64_t size, std::string_view what, std::string_view option);
  int64_t allocatedBytes() const { return allocated; }
  int64_t peakBytes() const { return peak; }
  /// Bytes that can still be allocated, or the fault of a device that cannot say. Nothing on a CPU, whose memory is
  /// shared with everything else and taken when it is touched.
  virtual Expected<std::optional<int64_t>> availableBytes() { return std::optional<int64_t>(); }

  /// A file's bytes where kernels can read them: on a CPU the mapping itself, which then outlives the buffer; elsewhere
  /// an allocated copy. Never written to.
  virtual Expected<DeviceBuffer> upload(std::span<const uint8_t> bytes, std::string_view what, std::string_view option);
  /// The host's view of bytes [offset, offset + bytes) of a buffer; nothing is copied by this.
  Expected<HostWindow> openWindow(const DeviceBuffer &buffer, int64_t offset, int64_t bytes, std::string_view what);
  /// Sets every byte of a buffer.
  virtual Status fill(const DeviceBuffer &buffer, uint8_t value);
  /// Copies memory of the device to the host, for observers of launches and for tests; slow on a GPU.
  virtual Status read(const void *from, std::span<uint8_t> to);
  /// The reverse, into memory that is no file's; as slow.
  virtual Status write(void *to, std::span<const uint8_t> from);
  /// Copies memory of the device to other memory of it, and returns how many nanoseconds that took by the device's own
  /// clock. The ranges do not overlap.
  virtual Expected<double> copy(void *to, const void *from, int64_t bytes);

  /// Makes the device able to run the program: once, before its first step. The image's code is copied. Unsupported
  /// where the code is for another kind of device, another architecture or a newer driver, each with what to do.
  virtual Status load(const AdzeProgram &program, const KernelImage &image);
  /// Runs one step to its end. The arrays of `step` and the pointers in it lie in memory of this device, but for
  /// slot_offset. An error ends this step; where fault() is not ok afterwards, it ended the device's use as well.
  virtual Status runStep(const AdzeProgram &program, const AdzeStep &step, const StepCopies &copies = {}) = 0;
  /// Runs the step once, then times each of its kernels by itself, in the order of their first launches: its launches
  /// of the step, each with its own arguments, given back to back between two readings of the device's clock, after as
  /// many to warm up. So a kernel's weights are as cold as those of its launches together leave them; what it reads
  /// from the arena is what the step left there, and results mean nothing. Kernels that launch nothing are left out.
  virtual Expected<std::vector<KernelTiming>> timeKernels(const AdzeProgram &program, const AdzeStep &step,
                                                          const StepCopies &copies, const TimingOptions &options) = 0;
  /// Ok, or why the device takes no more work in this process.
  virtual Status fault() const { return Status(); }

  /// Starts or stops counting. Counting reads a clock twice per launch; on a GPU launches are then given one by one.
  void setProfiling(bool on) {
    profiling = on;
    watching = profiling || observer;
  }
  /// Calls `observer` after each launch of each step, for dumps; an empty one ends that. It must not throw. On a GPU
  /// each launch is then waited for.
  void observeLaunches(LaunchObserver watcher) {
    observer = std::move(watcher);
    watching = profiling || observer;
  }
  /// One counter per kernel of the program that ran last; empty before the first profiled step.
  const std::vector<KernelCounter> &kernelCounters() const { return counters; }

  static int64_t roundUp(int64_t size) { return (size + 255) & ~int64_t(255); }

protected:
  /// Null when the system has no such memory.
  virtual uint8_t *allocateBytes(int64_t size) = 0;
  virtual void freeBytes(uint8_t *start, int64_t size) = 0;
  /// The host's side of a window on [start, start + size): null when the system has no such memory. Here: the memory
  /// itself.
  virtual uint8_t *openHostBytes(uint8_t *start, int64_t size) { return start; }
  virtual void closeHostBytes(uint8_t *host, int64_t size) {}
  static DeviceBuffer viewOf(std::span<const uint8_t> bytes);

  bool profiling = false;
  bool watching = false; ///< profiling or observed: the one thing that a launch asks
  LaunchObserver observer;
  std::vector<KernelCounter> counters;

private:
  friend class DeviceBuffer;
  friend class HostWindow;
  int64_t allocated = 0;
  int64_t peak = 0;
};

} // namespace adze
#endif
