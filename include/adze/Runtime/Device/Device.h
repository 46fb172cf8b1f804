// Device.h: memory and execution of one device, as the engine sees them.
//
// A Device hands out buffers (move-only handles that alone change the byte counts), runs the steps of a program and,
// where asked, counts launches and time per kernel. Sizes are bytes, rounded up to 256, and the peak is what the memory
// plan promised: the engine allocates nothing else. All functions are for one thread at a time, the engine's.
#ifndef ADZE_RUNTIME_DEVICE_DEVICE_H
#define ADZE_RUNTIME_DEVICE_DEVICE_H

#include "adze/Abi/Program.h"
#include "adze/Support/Status.h"

#include <cstdint>
#include <functional>
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

/// What one kernel of the program has cost since profiling began.
struct KernelCounter {
  int64_t launches = 0;
  int64_t nanoseconds = 0;
};

/// A launch that has ended, before the next one begins.
struct FinishedLaunch {
  const AdzeStep &step;
  int64_t number;        ///< of the step, from 0
  uint32_t kernel;       ///< of the program
  const uint64_t *words; ///< its argument block; pointers are to memory of the device
};
using LaunchObserver = std::function<void(const FinishedLaunch &)>;

class Device {
public:
  virtual ~Device() = default;

  virtual std::string name() const = 0;

  /// Zeroed memory of `size` bytes rounded up to 256. ResourceExhausted names `what` and the option that makes it
  /// smaller.
  Expected<DeviceBuffer> allocate(int64_t size, std::string_view what, std::string_view option);
  int64_t allocatedBytes() const { return allocated; }
  int64_t peakBytes() const { return peak; }

  /// Runs one step to its end. The arrays of `step` lie in memory of this device.
  virtual Status runStep(const AdzeProgram &program, const AdzeStep &step) = 0;

  /// Starts or stops counting. Counting reads a clock twice per launch.
  void setProfiling(bool on) {
    profiling = on;
    watching = profiling || observer;
  }
  /// Calls `observer` after each launch of each step, for dumps; an empty one ends that. It must not throw.
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

  bool profiling = false;
  bool watching = false; ///< profiling or observed: the one thing that a launch asks
  LaunchObserver observer;
  std::vector<KernelCounter> counters;

private:
  friend class DeviceBuffer;
  int64_t allocated = 0;
  int64_t peak = 0;
};

} // namespace adze
#endif
