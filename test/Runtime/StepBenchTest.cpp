// Steps that no request has asked for: right for the toy model, which checks every array, on a CPU and on a GPU.
#include "FakeArtifact.h"

#include "../Conformance/FakeDriverLibrary.h"
#include "adze/Runtime/Bench/StepBench.h"

using namespace adze;

namespace {
struct StepBenchTest : testing::Test {
  std::string write() {
    std::string path = model.folder.file("model.adze");
    model.write(path);
    return path;
  }
  void expectRefusal(const std::vector<StepShape> &shapes, const char *part) {
    Expected<std::unique_ptr<StepBench>> bench = StepBench::open(write(), {}, shapes);
    ASSERT_FALSE(bench.ok());
    EXPECT_EQ(bench.status().code(), ErrorCode::InvalidInput);
    EXPECT_NE(bench.status().message().find(part), std::string::npos) << bench.status().message();
  }
  FakeModel model;
};
// Of prompts and of decodes, with histories that end inside a page and at its end, shared unevenly.
const std::vector<StepShape> kShapes = {{1, 1, 0}, {1, 1, 100}, {4, 4, 63}, {3, 3, 64},
                                        {5, 2, 7}, {40, 1, 0},  {12, 3, 31}};
} // namespace

TEST_F(StepBenchTest, TimesEveryKernelAndWholeSteps) {
  Expected<std::unique_ptr<StepBench>> bench = StepBench::open(write(), {}, kShapes);
  ASSERT_TRUE(bench.ok()) << bench.status().message();
  for (const StepShape &shape : kShapes) {
    Expected<std::vector<KernelTiming>> kernels = (*bench)->timeKernels(shape, {2, 1000});
    ASSERT_TRUE(kernels.ok()) << shape.tokens << ": " << kernels.status().message();
    ASSERT_EQ(kernels->size(), 3u);
    for (const KernelTiming &kernel : *kernels) {
      EXPECT_EQ(kernel.launches, 1);
      EXPECT_EQ(kernel.nanoseconds.size(), 2u);
    }
    Expected<std::vector<double>> step = (*bench)->timeStep(shape, 4);
    ASSERT_TRUE(step.ok()) << step.status().message();
    EXPECT_EQ(step->size(), 4u);
    for (double time : *step)
      EXPECT_GT(time, 0);
  }
}

TEST_F(StepBenchTest, DoesTheSameOnAGpu) {
  FakeDriverControl &driver = freshFakeDriver();
  model.compileForGpu();
  DeviceOptions options;
  options.cuda = fakeDriverOptions();
  {
    Expected<std::unique_ptr<StepBench>> bench = StepBench::open(write(), options, kShapes);
    ASSERT_TRUE(bench.ok()) << bench.status().message();
    for (const StepShape &shape : kShapes) {
      Expected<std::vector<KernelTiming>> kernels = (*bench)->timeKernels(shape, {2, 1000});
      ASSERT_TRUE(kernels.ok()) << kernels.status().message();
      EXPECT_EQ(kernels->size(), 4u);
    }
    int64_t before = driver.counts.graphLaunches;
    ASSERT_TRUE((*bench)->timeStep({4, 4, 63}, 5).ok());
    EXPECT_EQ(driver.counts.graphLaunches, before + 8) << "what is timed is the graph of a step that repeats";
    Expected<CopyRate> copy = measureCopy((*bench)->device(), int64_t(1) << 40, 3);
    ASSERT_TRUE(copy.ok()) << copy.status().message();
    EXPECT_LT(copy->bytes, int64_t(1) << 28) << "what is free bounds it";
    EXPECT_EQ(copy->rates.size(), 3u);
  }
  EXPECT_EQ(driver.counts.misuse, 0);
  EXPECT_EQ(driver.counts.liveMemory, 0);
  EXPECT_EQ(driver.counts.liveGraphs, 0);
  EXPECT_EQ(driver.counts.liveEvents, 0);
}

TEST_F(StepBenchTest, RefusesShapesThatNoStepHas) {
  expectRefusal({{0, 1, 0}}, "--tokens is 0; accepted: 1 to");
  expectRefusal({{3, 4, 0}}, "--requests is 4 for --tokens 3; accepted: 1 to 3");
  expectRefusal({{1, 1, 0}, {2, 0, 0}}, "--requests is 0 for --tokens 2");
  expectRefusal({{1, 1, -1}}, "--history is -1");
  expectRefusal({{1, 1, FAKE_CONTEXT}}, "sequences of at most 512: lower --history or --tokens");
  expectRefusal({{600, 1, 0}}, "a request gets 600 tokens more");
}

TEST(StepWork, CountsWhatCostFormsCount) {
  StepWork work = workOf({5, 2, 10}); // 3 tokens and 2, behind 10 each
  EXPECT_EQ(work.tokens, 5);
  EXPECT_EQ(work.requests, 2);
  EXPECT_EQ(work.rows, 2);
  EXPECT_EQ(work.kvLengths, 13 + 12);
  EXPECT_EQ(work.visiblePairs, 11 + 12 + 13 + 11 + 12);
  CostForm form{1000, 100, 10, 1, 2, 3};
  EXPECT_EQ(work.of(form), 1000 + 500 + 20 + 2 + 2 * 25 + 3 * 59);
}

TEST(CopyRate, IsMeasuredOnACpu) {
  CpuDevice device({2, false});
  Expected<CopyRate> rate = measureCopy(device, 3'000'000, 2);
  ASSERT_TRUE(rate.ok());
  EXPECT_EQ(rate->bytes, 3'000'000);
  ASSERT_EQ(rate->rates.size(), 2u);
  EXPECT_GT(rate->rates[0], 0.01);
  EXPECT_EQ(device.allocatedBytes(), 0);
}
