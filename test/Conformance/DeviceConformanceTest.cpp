// What every device must do, whatever it is. A device joins by a line in the lists at the end; one that this machine
// does not have is skipped, and the reason is what a user would be told.
#include "DeviceBench.h"
#include "FakeDriverLibrary.h"

#include "adze/Runtime/Device/CpuDevice.h"
#include "adze/Support/MappedFile.h"

#include <array>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <unistd.h>
#include <vector>

using namespace adze;

namespace {
struct Entry {
  const char *name;
  std::function<Expected<std::unique_ptr<Device>>()> make;
  bool gpu = false;
};
void PrintTo(const Entry &entry, std::ostream *stream) { *stream << entry.name; }

Entry cpu(const char *name, unsigned threads) {
  return {name, [threads]() -> Expected<std::unique_ptr<Device>> {
            return std::make_unique<CpuDevice>(CpuDeviceOptions{threads, false});
          }};
}
Expected<std::unique_ptr<Device>> gpu(const CudaDeviceOptions &options) {
  Expected<std::unique_ptr<CudaDevice>> device = CudaDevice::create(options);
  if (!device)
    return device.status();
  return std::unique_ptr<Device>(std::move(*device));
}

// A launch without blocks, then one with all.
int32_t addNothingThenAdd(const AdzeStep *step, const AdzeServices *services) {
  ConformanceArguments nothing{reinterpret_cast<int64_t *>(step->arena), nullptr, 0};
  if (int32_t code = services->launch(services->context, kAddOne, &nothing))
    return code;
  return launchAll<kAddOne>(step, services);
}
// Two launches with other arguments each, one of another kernel between them, and one without blocks.
int32_t addTwiceAroundASum(const AdzeStep *step, const AdzeServices *services) {
  auto *values = reinterpret_cast<int64_t *>(step->arena);
  ConformanceArguments arguments[] = {
      {values, nullptr, 16}, {values, values + 512, 64}, {values + 64, nullptr, 32}, {values, nullptr, 0}};
  int32_t code = 0;
  for (int i = 0; i < 4 && code == 0; ++i)
    code = services->launch(services->context, i == 1 ? kSumNeighbours : i == 3 ? kDoNothing : kAddOne, &arguments[i]);
  return code;
}
int32_t emptyStep(const AdzeStep *, const AdzeServices *) { return 0; }
int32_t failingStep(const AdzeStep *, const AdzeServices *) { return 42; }
int32_t wrongKernel(const AdzeStep *, const AdzeServices *services) {
  ConformanceArguments arguments{};
  return services->launch(services->context, kKernelCount, &arguments);
}
const AdzeProgram kAddThenSum = conformanceProgram(launchAll<kAddOne, kSumNeighbours>);
const AdzeProgram kAdd = conformanceProgram(launchAll<kAddOne>);
const AdzeProgram kAddNothingThenAdd = conformanceProgram(addNothingThenAdd);
const AdzeProgram kAddTwiceAroundASum = conformanceProgram(addTwiceAroundASum);
const AdzeProgram kNothing = conformanceProgram(emptyStep);
const AdzeProgram kFailing = conformanceProgram(failingStep);
const AdzeProgram kWrongKernel = conformanceProgram(wrongKernel);

class DeviceConformance : public testing::TestWithParam<Entry> {
protected:
  void SetUp() override {
    Expected<std::unique_ptr<Device>> made = GetParam().make();
    if (!made)
      GTEST_SKIP() << made.status().message();
    device = std::move(*made);
    for (const AdzeProgram *program :
         {&kAddThenSum, &kAdd, &kAddNothingThenAdd, &kAddTwiceAroundASum, &kNothing, &kFailing, &kWrongKernel}) {
      Status status = device->load(*program, GetParam().gpu ? conformanceImage() : KernelImage());
      ASSERT_TRUE(status.ok()) << status.message();
    }
  }

  std::unique_ptr<Device> device;
};
} // namespace

// The second kernel sees a mixture if a launch begins before the one in front of it has ended.
TEST_P(DeviceConformance, ALaunchIsCompleteBeforeTheNextBegins) {
  DeviceBench bench(*device);
  for (int64_t round = 1; round <= 200; ++round) {
    Status status = bench.run(*device, kAddThenSum, false, true);
    ASSERT_TRUE(status.ok()) << status.message();
    for (int64_t i = 0; i < bench.elements; ++i)
      ASSERT_EQ(bench.sums()[i], 2 * round);
  }
}

TEST_P(DeviceConformance, WindowsCarryBytesInBeforeAndOutAfterAStep) {
  DeviceBench bench(*device);
  for (int64_t round = 0; round < 5; ++round) {
    for (int64_t i = 0; i < bench.elements; ++i)
      bench.values()[i] = i * 7 + round;
    ASSERT_TRUE(bench.run(*device, kAddThenSum, true, true).ok());
    for (int64_t i = 0; i < bench.elements; ++i) {
      ASSERT_EQ(bench.values()[i], i * 7 + round + 1);
      ASSERT_EQ(bench.sums()[i], (bench.elements - 1) * 7 + 2 * (round + 1));
    }
  }
}

// One size after the other with the same pointers, each several times: what was made for one must not run for another.
TEST_P(DeviceConformance, StepsOfDifferentSizesDoNotMix) {
  DeviceBench bench(*device);
  std::vector<int64_t> expected(size_t(bench.elements), 0);
  for (int round = 0; round < 6; ++round)
    for (int64_t count : {16, 64, 32, 4096, 64, 16}) {
      ASSERT_TRUE(bench.run(*device, kAdd, false, true, count).ok());
      for (int64_t i = 0; i < count; ++i)
        ++expected[size_t(i)];
      for (int64_t i = 0; i < bench.elements; ++i)
        ASSERT_EQ(bench.values()[i], expected[size_t(i)]);
    }
}

TEST_P(DeviceConformance, StepsOnDifferentMemoryDoNotMix) {
  DeviceBench a(*device, 64), b(*device, 64);
  for (int64_t round = 1; round <= 5; ++round) {
    ASSERT_TRUE(a.run(*device, kAdd, false, true).ok());
    ASSERT_TRUE(a.run(*device, kAdd, false, true).ok());
    ASSERT_TRUE(b.run(*device, kAdd, false, true).ok());
    for (int64_t i = 0; i < 64; ++i) {
      ASSERT_EQ(a.values()[i], 2 * round);
      ASSERT_EQ(b.values()[i], round);
    }
  }
}

TEST_P(DeviceConformance, AFailedStepIsReportedWithItsCode) {
  Status status = device->runStep(kFailing, AdzeStep{});
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("42"), std::string::npos) << status.message();
  EXPECT_TRUE(device->fault().ok());
  DeviceBench bench(*device);
  EXPECT_TRUE(bench.run(*device, kAdd, false, true).ok()) << "the next step runs";
  EXPECT_EQ(bench.values()[5], 1);
}

TEST_P(DeviceConformance, AKernelThatTheProgramDoesNotHaveIsReported) {
  EXPECT_EQ(device->runStep(kWrongKernel, AdzeStep{}).code(), ErrorCode::Internal);
  EXPECT_TRUE(device->fault().ok());
}

TEST_P(DeviceConformance, MemoryStartsZeroedAndAligned) {
  for (int round = 0; round < 3; ++round) {
    DeviceBench bench(*device, 1 << 16);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(bench.arena.data()) % 256, 0u);
    ASSERT_TRUE(bench.run(*device, kNothing, false, true).ok());
    for (int64_t i = 0; i < 2 * bench.elements; ++i)
      ASSERT_EQ(bench.values()[i], 0);
    ASSERT_TRUE(device->fill(bench.arena, 0xff).ok()); // for whoever gets this memory next
  }
}

TEST_P(DeviceConformance, FillSetsEveryByte) {
  DeviceBench bench(*device, 160);
  ASSERT_TRUE(device->fill(bench.arena, 0xff).ok());
  ASSERT_TRUE(bench.run(*device, kNothing, false, true).ok());
  for (int64_t i = 0; i < bench.window.size(); ++i)
    ASSERT_EQ(bench.window.data()[i], 0xff);
  EXPECT_TRUE(device->fill(DeviceBuffer(), 0).ok());
}

TEST_P(DeviceConformance, ReadGivesTheBytesOfItsMemory) {
  DeviceBench bench(*device, 160);
  for (int64_t i = 0; i < bench.elements; ++i)
    bench.values()[i] = i;
  ASSERT_TRUE(bench.run(*device, kAdd, true, false).ok());
  int64_t three[3];
  ASSERT_TRUE(device->read(bench.arena.data() + 10 * 8, {reinterpret_cast<uint8_t *>(three), sizeof(three)}).ok());
  EXPECT_EQ(std::vector<int64_t>(three, three + 3), (std::vector<int64_t>{11, 12, 13}));
  EXPECT_TRUE(device->read(bench.arena.data(), {}).ok());
}

// An observer sees memory as one launch left it, and numbers that count launches without blocks as well.
TEST_P(DeviceConformance, AnObserverSeesEachLaunchWhenItHasEnded) {
  DeviceBench bench(*device, 64);
  std::vector<std::array<int64_t, 3>> seen; // number, kernel, what the launch left
  device->observeLaunches([&](const FinishedLaunch &launch) {
    int64_t value = -1;
    const auto *arguments = reinterpret_cast<const ConformanceArguments *>(launch.words);
    const int64_t *array = launch.kernel == kSumNeighbours ? arguments->sums : arguments->values;
    EXPECT_TRUE(device->read(array, {reinterpret_cast<uint8_t *>(&value), 8}).ok());
    EXPECT_EQ(launch.step.tokens, 64);
    seen.push_back({launch.number, launch.kernel, value});
  });
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(bench.run(*device, kAddThenSum, false, false).ok());
  ASSERT_TRUE(bench.run(*device, kAddNothingThenAdd, false, false).ok());
  device->observeLaunches({});
  ASSERT_TRUE(bench.run(*device, kAddThenSum, false, true).ok());
  EXPECT_EQ(bench.values()[0], 4);
  EXPECT_EQ(seen, (std::vector<std::array<int64_t, 3>>{{0, kAddOne, 1},
                                                       {1, kSumNeighbours, 2},
                                                       {0, kAddOne, 2},
                                                       {1, kSumNeighbours, 4},
                                                       {0, kAddOne, 2},
                                                       {1, kAddOne, 3}}));
}

// A size that is no multiple of a piece, a page or 256.
TEST_P(DeviceConformance, AnUploadGivesTheBytesOfTheFile) {
  char path[] = "/tmp/adze-upload-XXXXXX";
  int file = mkstemp(path);
  ASSERT_GE(file, 0);
  std::vector<uint8_t> bytes(5'000'011);
  uint32_t state = 1;
  for (uint8_t &byte : bytes)
    byte = uint8_t((state = state * 1664525 + 1013904223) >> 24);
  ASSERT_EQ(write(file, bytes.data(), bytes.size()), ssize_t(bytes.size()));
  Expected<MappedFile> mapped = MappedFile::fromDescriptor(file, path);
  close(file);
  unlink(path);
  ASSERT_TRUE(mapped.ok());

  Expected<DeviceBuffer> buffer = device->upload(mapped->bytes(), "a test", "--test");
  ASSERT_TRUE(buffer.ok()) << buffer.status().message();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % 256, 0u);
  Expected<HostWindow> window = device->openWindow(*buffer, 0, int64_t(bytes.size()), "a test");
  ASSERT_TRUE(window.ok());
  WindowRange all{&*window, 0, window->size()};
  ASSERT_TRUE(device->runStep(kNothing, AdzeStep{}, {{}, {&all, 1}}).ok());
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), window->data()));
}

TEST_P(DeviceConformance, MemoryThatIsNotThereIsRefusedByItsOption) {
  Expected<DeviceBuffer> buffer = device->allocate(int64_t(1) << 60, "the KV pool", "--kv-memory");
  ASSERT_FALSE(buffer.ok());
  EXPECT_EQ(buffer.status().code(), ErrorCode::ResourceExhausted);
  EXPECT_NE(buffer.status().message().find("--kv-memory"), std::string::npos) << buffer.status().message();
  EXPECT_EQ(device->allocatedBytes(), 0);
  EXPECT_TRUE(device->fault().ok()) << "the device goes on";
  EXPECT_TRUE(device->allocate(4096, "a test", "--test").ok());
}

TEST_P(DeviceConformance, BytesInUseFollowTheHandles) {
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

TEST_P(DeviceConformance, CodeOfAnotherKindOfDeviceIsRefused) {
  AdzeProgram program = conformanceProgram(launchAll<kAddOne>);
  Status status = device->load(program, GetParam().gpu ? KernelImage() : conformanceImage());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.code(), ErrorCode::Unsupported);
  EXPECT_NE(status.message().find("--device"), std::string::npos) << status.message();
}

TEST_P(DeviceConformance, CountersCountWhileSwitchedOn) {
  DeviceBench bench(*device);
  device->setProfiling(true);
  for (int i = 0; i < 5; ++i)
    ASSERT_TRUE(bench.run(*device, kAddThenSum, false, false).ok());
  device->setProfiling(false);
  ASSERT_TRUE(bench.run(*device, kAddThenSum, false, true).ok());
  EXPECT_EQ(bench.values()[0], 6);
  ASSERT_EQ(device->kernelCounters().size(), size_t(kKernelCount));
  for (uint32_t kernel : {kAddOne, kSumNeighbours}) {
    EXPECT_EQ(device->kernelCounters()[kernel].launches, 5);
    EXPECT_GT(device->kernelCounters()[kernel].nanoseconds, 0);
  }
  EXPECT_EQ(device->kernelCounters()[kTrap].launches, 0);
}

// How often the launches of a kernel ran shows in what they add up: each with its own arguments, the others not at all.
TEST_P(DeviceConformance, TimesEachKernelOfAStepByItself) {
  DeviceBench bench(*device, 1024);
  WindowRange all{&bench.window, 0, bench.window.size()};
  Expected<std::vector<KernelTiming>> timings =
      device->timeKernels(kAddTwiceAroundASum, bench.step(), {{&all, 1}, {}}, {3, 3'000'000});
  ASSERT_TRUE(timings.ok()) << timings.status().message();
  ASSERT_EQ(timings->size(), 2u) << "a kernel that launches no block is left out";
  EXPECT_EQ((*timings)[0].kernel, kAddOne);
  EXPECT_EQ((*timings)[0].launches, 2);
  EXPECT_EQ((*timings)[1].kernel, kSumNeighbours);
  EXPECT_EQ((*timings)[1].launches, 1);
  for (const KernelTiming &timing : *timings) {
    ASSERT_EQ(timing.nanoseconds.size(), 3u);
    for (double time : timing.nanoseconds)
      EXPECT_GT(time, 0);
  }
  ASSERT_TRUE(bench.run(*device, kNothing, false, true).ok());
  int64_t rounds = bench.values()[0];
  EXPECT_GE(rounds, 1 + 3) << "the step, then each repetition once at least";
  EXPECT_EQ(bench.values()[15], rounds);
  EXPECT_EQ(bench.values()[16], 0);
  EXPECT_EQ(bench.values()[64], rounds) << "both launches as often";
  EXPECT_EQ(bench.values()[95], rounds);
  EXPECT_EQ(bench.values()[512], rounds) << "the sums were made last, of what the additions left";
}

TEST_P(DeviceConformance, AStepThatFailsIsNotTimed) {
  Expected<std::vector<KernelTiming>> timings = device->timeKernels(kFailing, AdzeStep{}, {}, {});
  ASSERT_FALSE(timings.ok());
  EXPECT_NE(timings.status().message().find("42"), std::string::npos) << timings.status().message();
  EXPECT_TRUE(device->fault().ok());
  DeviceBench bench(*device, 64);
  EXPECT_TRUE(bench.run(*device, kAdd, false, true).ok());
}

TEST_P(DeviceConformance, WritesAndCopiesItsMemory) {
  DeviceBench bench(*device, 1 << 18); // of 4 MiB
  std::vector<int64_t> numbers{5, 6, 7};
  ASSERT_TRUE(device->write(bench.arena.data() + 8, {reinterpret_cast<uint8_t *>(numbers.data()), 24}).ok());
  uint8_t *half = bench.arena.data() + bench.arena.size() / 2;
  Expected<double> time = device->copy(half, bench.arena.data(), bench.arena.size() / 2);
  ASSERT_TRUE(time.ok()) << time.status().message();
  EXPECT_GT(*time, 0);
  ASSERT_TRUE(device->copy(half, half + 64, 0).ok());
  ASSERT_TRUE(device->write(half, {}).ok());
  ASSERT_TRUE(bench.run(*device, kNothing, false, true).ok());
  for (int64_t *start : {bench.values(), bench.sums()})
    EXPECT_EQ(std::vector<int64_t>(start, start + 5), (std::vector<int64_t>{0, 5, 6, 7, 0}));
}

namespace {
std::string entryName(const testing::TestParamInfo<Entry> &info) { return info.param.name; }
CudaDeviceOptions withoutGraphs() {
  CudaDeviceOptions options;
  options.graphs = 0;
  return options;
}
} // namespace

INSTANTIATE_TEST_SUITE_P(Cpu, DeviceConformance,
                         testing::Values(cpu("OneThread", 1), cpu("TwoThreads", 2), cpu("FourThreads", 4)), entryName);
INSTANTIATE_TEST_SUITE_P(FakeGpu, DeviceConformance,
                         testing::Values(Entry{"AsIs", [] { return freshFakeDriver(), gpu(fakeDriverOptions()); },
                                               true}),
                         entryName);
INSTANTIATE_TEST_SUITE_P(Gpu, DeviceConformance,
                         testing::Values(Entry{"AsIs", [] { return gpu({}); }, true},
                                         Entry{"WithoutGraphs", [] { return gpu(withoutGraphs()); }, true}),
                         entryName);
