// DeviceBench.h: a device with the suite's kernels, two arrays of numbers and a window on them.
#ifndef ADZE_TEST_CONFORMANCE_DEVICEBENCH_H
#define ADZE_TEST_CONFORMANCE_DEVICEBENCH_H

#include "ConformanceKernels.h"

#include <gtest/gtest.h>
#include <memory>

namespace adze {

/// The arena is values[elements], then sums[elements]; what a step launches is up to its program.
struct DeviceBench {
  explicit DeviceBench(Device &device, int64_t elements = 4096) : elements(elements), offsets{0, elements * 8} {
    Expected<DeviceBuffer> memory = device.allocate(2 * elements * 8, "a test", "--test");
    EXPECT_TRUE(memory.ok()) << memory.status().message();
    if (!memory)
      return;
    arena = std::move(*memory);
    Expected<HostWindow> opened = device.openWindow(arena, 0, arena.size(), "a test");
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    if (opened)
      window = std::move(*opened);
  }

  int64_t *values() const { return reinterpret_cast<int64_t *>(window.data()); }
  int64_t *sums() const { return values() + elements; }

  /// A step over the first `count` elements (all where 0), which stands for that many tokens.
  AdzeStep step(int64_t count = 0) const {
    AdzeStep step{};
    step.tokens = count ? count : elements;
    step.requests = step.output_rows = 1;
    step.arena = arena.data();
    step.slot_offset = offsets;
    return step;
  }
  /// Copies everything in, or out, or neither.
  Status run(Device &device, const AdzeProgram &program, bool in, bool out, int64_t count = 0) const {
    WindowRange all{&window, 0, window.size()};
    StepCopies copies;
    if (in)
      copies.in = {&all, 1};
    if (out)
      copies.out = {&all, 1};
    return device.runStep(program, step(count), copies);
  }

  int64_t elements;
  int64_t offsets[2];
  DeviceBuffer arena;
  HostWindow window;
};

/// Launches these kernels one after the other, with the arrays of a DeviceBench.
template <uint32_t... kernels> int32_t launchAll(const AdzeStep *step, const AdzeServices *services) {
  if (services->version != ADZE_PROGRAM_VERSION)
    return 1;
  ConformanceArguments arguments{reinterpret_cast<int64_t *>(step->arena + step->slot_offset[0]),
                                 reinterpret_cast<int64_t *>(step->arena + step->slot_offset[1]), step->tokens};
  int32_t code = 0;
  ((code = code ? code : services->launch(services->context, kernels, &arguments)), ...);
  return code;
}

} // namespace adze
#endif
