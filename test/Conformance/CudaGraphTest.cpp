// Which steps become graphs, and that a graph is never used for another step.
#include "DeviceBench.h"
#include "FakeDriverLibrary.h"

#include <functional>

using namespace adze;

namespace {
const AdzeProgram kAdd = conformanceProgram(launchAll<kAddOne>);
const AdzeProgram kAddTwice = conformanceProgram(launchAll<kAddOne, kAddOne>);

struct CudaGraphs : testing::Test {
  void open(const std::function<void(CudaDeviceOptions &)> &change = {}) {
    CudaDeviceOptions options = fakeDriverOptions();
    if (change)
      change(options);
    Expected<std::unique_ptr<CudaDevice>> made = CudaDevice::create(options);
    ASSERT_TRUE(made.ok()) << made.status().message();
    device = std::move(*made);
    for (const AdzeProgram *program : {&kAdd, &kAddTwice})
      ASSERT_TRUE(device->load(*program, conformanceImage()).ok());
    bench.emplace(*device, 4096);
  }
  void run(const AdzeProgram &program, int64_t count) {
    Status status = bench->run(*device, program, false, true, count);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  const GraphCounters &counters() const { return device->graphCounters(); }
  void TearDown() override { EXPECT_EQ(driver.counts.misuse, 0); }

  FakeDriverControl &driver = freshFakeDriver();
  std::unique_ptr<CudaDevice> device;
  std::optional<DeviceBench> bench;
};
} // namespace

TEST_F(CudaGraphs, AStepSeenTwiceIsCapturedOnceAndThenReplayed) {
  open();
  for (int i = 0; i < 10; ++i)
    run(kAdd, 64);
  EXPECT_EQ(counters().plain, 1);
  EXPECT_EQ(counters().captured, 1);
  EXPECT_EQ(counters().replayed, 9);
  EXPECT_EQ(driver.counts.graphLaunches, 9);
  EXPECT_EQ(driver.counts.launches, 2) << "one in the plain step, one in the capture";
  EXPECT_EQ(bench->values()[63], 10);
}

TEST_F(CudaGraphs, StepsThatNeverRepeatAreNotCaptured) {
  open();
  for (int64_t count = 16; count <= 256; count += 16)
    run(kAdd, count);
  EXPECT_EQ(counters().captured, 0);
  EXPECT_EQ(driver.counts.captures, 0);
}

TEST_F(CudaGraphs, LargeStepsAreLaunchedPlainly) {
  open([](CudaDeviceOptions &options) { options.graphTokens = 64; });
  for (int i = 0; i < 4; ++i)
    run(kAdd, 80);
  EXPECT_EQ(counters().plain, 4);
  for (int i = 0; i < 4; ++i)
    run(kAdd, 64);
  EXPECT_EQ(counters().replayed, 3);
}

// Same tokens and sizes; requests, rows, memory or program differ: each of them is baked into a graph.
TEST_F(CudaGraphs, EverythingThatIsBakedInIsPartOfTheKey) {
  open();
  auto steps = [&](const AdzeStep &step) {
    for (int i = 0; i < 2; ++i)
      ASSERT_TRUE(device->runStep(kAdd, step).ok());
  };
  AdzeStep step = bench->step(64);
  steps(step);
  EXPECT_EQ(counters().captured, 1);
  step.requests = 2;
  steps(step);
  EXPECT_EQ(counters().captured, 2);
  step.output_rows = 2;
  steps(step);
  EXPECT_EQ(counters().captured, 3);
  step.arena += 256;
  steps(step);
  EXPECT_EQ(counters().captured, 4);
  run(kAddTwice, 64);
  run(kAddTwice, 64);
  EXPECT_EQ(counters().captured, 5);
  EXPECT_EQ(bench->values()[0], 2 * 3 + 2 * 2);
  EXPECT_EQ(bench->values()[32 + 63], 2) << "the shifted arena";
}

TEST_F(CudaGraphs, TheEntryUsedLongestAgoGoesFirst) {
  open([](CudaDeviceOptions &options) { options.graphs = 2; });
  auto twice = [&](int64_t count) { run(kAdd, count), run(kAdd, count); };
  twice(16);
  twice(32);
  run(kAdd, 16); // 32 is the oldest now
  twice(48);
  EXPECT_EQ(counters().dropped, 1);
  EXPECT_EQ(counters().captured, 3);
  run(kAdd, 16);
  EXPECT_EQ(counters().captured, 3) << "16 was kept";
  EXPECT_LE(driver.counts.liveGraphs, 2);
  twice(32);
  EXPECT_EQ(counters().captured, 4) << "32 was dropped";
}

TEST_F(CudaGraphs, ProfiledStepsAreTimedLaunchByLaunch) {
  open();
  device->setProfiling(true);
  for (int i = 0; i < 3; ++i)
    run(kAddTwice, 64);
  EXPECT_EQ(counters().captured + counters().plain, 0);
  EXPECT_EQ(device->kernelCounters()[kAddOne].launches, 6);
}

TEST_F(CudaGraphs, AProgramLoadedAgainLosesItsGraphs) {
  open();
  for (int i = 0; i < 3; ++i)
    run(kAdd, 64);
  EXPECT_EQ(driver.counts.liveGraphs, 1);
  ASSERT_TRUE(device->load(kAdd, conformanceImage()).ok());
  EXPECT_EQ(driver.counts.liveGraphs, 0);
  EXPECT_EQ(driver.counts.liveModules, 2);
  run(kAdd, 64);
  EXPECT_EQ(counters().plain, 2);
}

// The stream must leave capture whatever went wrong, or nothing would run any more.
TEST_F(CudaGraphs, AFailedCaptureEndsOneStep) {
  open();
  run(kAdd, 64);
  driver.settings.captureResult = 901;
  Status status = bench->run(*device, kAdd, false, true, 64);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"), std::string::npos) << status.message();
  driver.settings.captureResult = 0;
  driver.settings.launchResult = 701; // a launch that is refused inside a capture
  EXPECT_FALSE(bench->run(*device, kAdd, false, true, 64).ok());
  driver.settings.launchResult = 0;
  run(kAdd, 64);
  EXPECT_EQ(bench->values()[0], 2) << "the failed steps launched nothing";
  EXPECT_TRUE(device->fault().ok());
}
