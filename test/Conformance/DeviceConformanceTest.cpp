// What every device must do, whatever it is. A device joins by a line in the list at the end.
#include "adze/Runtime/Device/CpuDevice.h"

#include <atomic>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

using namespace adze;

namespace {
struct Entry {
  const char *name;
  std::function<std::unique_ptr<Device>()> make;
};
void PrintTo(const Entry &entry, std::ostream *stream) { *stream << entry.name; }

// Two kernels over arrays of 64-bit numbers: blocks of the first add one to each element, the second sums neighbours of
// what the first wrote. The second sees a mixture if a launch returns before it has ended.
constexpr int64_t kElements = 4096, kPerBlock = 16;
struct Arguments {
  int64_t *values, *sums;
};
int64_t blocks(const void *) { return kElements / kPerBlock; }
void addOne(const void *a, int64_t first, int64_t last) {
  auto *values = static_cast<const Arguments *>(a)->values;
  for (int64_t i = first * kPerBlock; i < last * kPerBlock; ++i)
    ++values[i];
}
void sumNeighbours(const void *a, int64_t first, int64_t last) {
  auto *arguments = static_cast<const Arguments *>(a);
  for (int64_t i = first * kPerBlock; i < last * kPerBlock; ++i)
    arguments->sums[i] = arguments->values[i] + arguments->values[kElements - 1 - i];
}
int32_t step(const AdzeStep *step, const AdzeServices *services) {
  if (services->version != ADZE_PROGRAM_VERSION)
    return 1;
  Arguments arguments{reinterpret_cast<int64_t *>(step->arena + step->slot_offset[0]),
                      reinterpret_cast<int64_t *>(step->arena + step->slot_offset[1])};
  for (uint32_t kernel : {0u, 1u})
    if (int32_t code = services->launch(services->context, kernel, &arguments))
      return code;
  return 0;
}
int32_t failingStep(const AdzeStep *, const AdzeServices *) { return 42; }

const AdzeKernel kKernels[] = {{"add", "test", addOne, blocks}, {"sum", "test", sumNeighbours, blocks}};
const AdzeProgram kProgram = {ADZE_PROGRAM_VERSION, 2, kKernels, 2, 1, step};
const AdzeProgram kFailing = {ADZE_PROGRAM_VERSION, 2, kKernels, 2, 1, failingStep};

class DeviceConformance : public testing::TestWithParam<Entry> {};
} // namespace

TEST_P(DeviceConformance, ALaunchIsCompleteBeforeTheNextBegins) {
  std::unique_ptr<Device> device = GetParam().make();
  Expected<DeviceBuffer> arena = device->allocate(2 * kElements * 8, "a test", "--test");
  ASSERT_TRUE(arena.ok());
  const int64_t offsets[2] = {0, kElements * 8};
  AdzeStep arguments{};
  arguments.arena = arena->data();
  arguments.slot_offset = offsets;
  for (int64_t round = 1; round <= 200; ++round) {
    ASSERT_TRUE(device->runStep(kProgram, arguments).ok());
    auto *sums = reinterpret_cast<int64_t *>(arena->data() + offsets[1]);
    for (int64_t i = 0; i < kElements; ++i)
      ASSERT_EQ(sums[i], 2 * round);
  }
}

TEST_P(DeviceConformance, AFailedStepIsReportedWithItsCode) {
  std::unique_ptr<Device> device = GetParam().make();
  Status status = device->runStep(kFailing, AdzeStep{});
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("42"), std::string::npos);
}

TEST_P(DeviceConformance, MemoryStartsZeroedAndAligned) {
  std::unique_ptr<Device> device = GetParam().make();
  Expected<DeviceBuffer> buffer = device->allocate(1 << 20, "a test", "--test");
  ASSERT_TRUE(buffer.ok());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % 256, 0u);
  for (int64_t i = 0; i < buffer->size(); ++i)
    ASSERT_EQ(buffer->data()[i], 0);
}

TEST_P(DeviceConformance, BytesInUseFollowTheHandles) {
  std::unique_ptr<Device> device = GetParam().make();
  std::vector<DeviceBuffer> held;
  for (int i = 1; i <= 8; ++i) {
    Expected<DeviceBuffer> buffer = device->allocate(i * 1000, "a test", "--test");
    ASSERT_TRUE(buffer.ok());
    held.push_back(std::move(*buffer));
  }
  int64_t all = device->allocatedBytes();
  EXPECT_GE(all, 36000);
  held.erase(held.begin() + 2, held.begin() + 5);
  EXPECT_LT(device->allocatedBytes(), all);
  held.clear();
  EXPECT_EQ(device->allocatedBytes(), 0);
  EXPECT_EQ(device->peakBytes(), all);
}

TEST_P(DeviceConformance, CountersCountWhileSwitchedOn) {
  std::unique_ptr<Device> device = GetParam().make();
  Expected<DeviceBuffer> arena = device->allocate(2 * kElements * 8, "a test", "--test");
  ASSERT_TRUE(arena.ok());
  const int64_t offsets[2] = {0, kElements * 8};
  AdzeStep arguments{};
  arguments.arena = arena->data();
  arguments.slot_offset = offsets;
  device->setProfiling(true);
  for (int i = 0; i < 5; ++i)
    ASSERT_TRUE(device->runStep(kProgram, arguments).ok());
  device->setProfiling(false);
  ASSERT_TRUE(device->runStep(kProgram, arguments).ok());
  ASSERT_EQ(device->kernelCounters().size(), 2u);
  for (const KernelCounter &counter : device->kernelCounters()) {
    EXPECT_EQ(counter.launches, 5);
    EXPECT_GT(counter.nanoseconds, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cpu, DeviceConformance,
    testing::Values(Entry{"OneThread", [] { return std::make_unique<CpuDevice>(CpuDeviceOptions{1, false}); }},
                    Entry{"TwoThreads", [] { return std::make_unique<CpuDevice>(CpuDeviceOptions{2, false}); }},
                    Entry{"FourThreads", [] { return std::make_unique<CpuDevice>(CpuDeviceOptions{4, false}); }}),
    [](const auto &info) { return std::string(info.param.name); });
