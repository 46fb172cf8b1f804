// The CPU device: bytes, blocks and counters.
#include "FakeArtifact.h"

#include <atomic>

using namespace adze;

namespace {
// A program of one kernel that counts the calls of each of its blocks.
struct Counting {
  static inline std::atomic<int> hits[1000];
  static inline int64_t blocks = 0;
  static void entry(const void *, int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i)
      hits[i].fetch_add(1);
  }
  static int64_t grid(const void *) { return blocks; }
  static int32_t step(const AdzeStep *, const AdzeServices *services) {
    return services->launch(services->context, 0, nullptr);
  }
  static int32_t wrongKernel(const AdzeStep *, const AdzeServices *services) {
    return services->launch(services->context, 1, nullptr);
  }
};
} // namespace

TEST(CpuDevice, RunsEveryBlockOnce) {
  AdzeKernel kernel{"count", "test", Counting::entry, Counting::grid};
  AdzeProgram program{ADZE_PROGRAM_VERSION, 1, &kernel, 0, 0, -1, Counting::step};
  for (unsigned threads : {1u, 2u, 3u})
    for (int64_t blocks : {0, 1, 2, 7, 1000}) {
      CpuDevice device({threads, false});
      for (auto &hit : Counting::hits)
        hit = 0;
      Counting::blocks = blocks;
      ASSERT_TRUE(device.runStep(program, AdzeStep{}).ok());
      for (int64_t i = 0; i < 1000; ++i)
        ASSERT_EQ(Counting::hits[i].load(), i < blocks ? 1 : 0);
    }
}

TEST(CpuDevice, ReportsAProgramThatLaunchesWhatItDoesNotHave) {
  AdzeKernel kernel{"count", "test", Counting::entry, Counting::grid};
  AdzeProgram program{ADZE_PROGRAM_VERSION, 1, &kernel, 0, 0, -1, Counting::wrongKernel};
  CpuDevice device({1, false});
  EXPECT_EQ(device.runStep(program, AdzeStep{}).code(), ErrorCode::Internal);
}

TEST(CpuDevice, CountsLaunchesOnlyWhileProfiling) {
  AdzeKernel kernel{"count", "test", Counting::entry, Counting::grid};
  AdzeProgram program{ADZE_PROGRAM_VERSION, 1, &kernel, 0, 0, -1, Counting::step};
  Counting::blocks = 5;
  CpuDevice device({1, false});
  ASSERT_TRUE(device.runStep(program, AdzeStep{}).ok());
  EXPECT_TRUE(device.kernelCounters().empty());
  device.setProfiling(true);
  ASSERT_TRUE(device.runStep(program, AdzeStep{}).ok());
  ASSERT_TRUE(device.runStep(program, AdzeStep{}).ok());
  ASSERT_EQ(device.kernelCounters().size(), 1u);
  EXPECT_EQ(device.kernelCounters()[0].launches, 2);
}

TEST(CpuDevice, ShowsEachLaunchToAnObserverUntilItIsTakenAway) {
  AdzeKernel kernel{"count", "test", Counting::entry, Counting::grid};
  AdzeProgram program{ADZE_PROGRAM_VERSION, 1, &kernel, 0, 0, -1, [](const AdzeStep *, const AdzeServices *services) {
                        for (uint64_t word : {7, 8})
                          if (int32_t code = services->launch(services->context, 0, &word))
                            return code;
                        return 0;
                      }};
  Counting::blocks = 1;
  CpuDevice device({1, false});
  std::vector<std::pair<int64_t, uint64_t>> seen;
  device.observeLaunches([&](const FinishedLaunch &launch) {
    EXPECT_EQ(launch.step.tokens, 3);
    EXPECT_EQ(launch.kernel, 0u);
    seen.push_back({launch.number, launch.words[0]});
  });
  AdzeStep step{};
  step.tokens = 3;
  ASSERT_TRUE(device.runStep(program, step).ok());
  ASSERT_TRUE(device.runStep(program, step).ok());
  device.observeLaunches({});
  ASSERT_TRUE(device.runStep(program, step).ok());
  EXPECT_EQ(seen, (std::vector<std::pair<int64_t, uint64_t>>{{0, 7}, {1, 8}, {0, 7}, {1, 8}}));
  EXPECT_TRUE(device.kernelCounters().empty());
}

TEST(CpuDevice, TracksBytesThroughHandlesAlone) {
  CpuDevice device({1, false});
  {
    Expected<DeviceBuffer> a = device.allocate(100, "a test", "--nothing");
    Expected<DeviceBuffer> b = device.allocate(257, "a test", "--nothing");
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_EQ(a->size(), 256);
    EXPECT_EQ(b->size(), 512);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(b->data()) % 256, 0u);
    for (int64_t i = 0; i < b->size(); ++i)
      ASSERT_EQ(b->data()[i], 0);
    DeviceBuffer moved = std::move(*a);
    EXPECT_EQ(device.allocatedBytes(), 768);
  }
  EXPECT_EQ(device.allocatedBytes(), 0);
  EXPECT_EQ(device.peakBytes(), 768);
  EXPECT_EQ(device.allocate(0, "nothing", "--nothing")->data(), nullptr);
}

TEST(CpuDevice, RefusesMemoryThatIsNotThereByItsOption) {
  CpuDevice device({1, false});
  Expected<DeviceBuffer> buffer = device.allocate(int64_t(1) << 60, "the KV pool", "--kv-memory");
  ASSERT_FALSE(buffer.ok());
  EXPECT_EQ(buffer.status().code(), ErrorCode::ResourceExhausted);
  EXPECT_NE(buffer.status().message().find("--kv-memory"), std::string::npos);
  EXPECT_EQ(device.allocatedBytes(), 0);
}
