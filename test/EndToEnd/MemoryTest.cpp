// The memory plan is exact: what `adze inspect` prints for given limits is what the device allocates.
#include "Answers.h"
#include "CompiledModel.h"

#include "adze/Runtime/Device/CpuDevice.h"

#include <gtest/gtest.h>

using namespace adze;
using namespace adze::test;

namespace {

TEST(MemoryPlan, ThePeakOfTheDeviceIsThePrintedFigure) {
  auto artifact = openArtifact(compiledModel(tinyModel("--family llama --type f32 --seed 21", "hf"), "--numerics=f32"));
  ASSERT_TRUE(artifact);
  for (EngineLimits wanted : {EngineLimits{}, EngineLimits{.stepTokens = 33, .requests = 3, .context = 200},
                              EngineLimits{.stepTokens = 1, .requests = 1, .kvMemory = 1 << 20}}) {
    auto limits = resolveLimits(wanted, artifact->manifest());
    ASSERT_TRUE(limits) << limits.status().message();
    auto figures = evaluateMemory(artifact->manifest(), *limits);
    ASSERT_TRUE(figures) << figures.status().message();
    CpuDevice device({.threads = 1});
    EngineOptions options;
    options.limits = wanted;
    options.poison = true;
    auto engine = Engine::create(artifact, device, std::nullopt, options);
    ASSERT_TRUE(engine) << engine.status().message();
    for (int i = 0; i < 4; ++i) {
      AnswerRequest request = greedyRequest({1, 2, 3, 4, 5}, 8);
      request.sink = std::make_shared<AnswerSink>();
      ASSERT_TRUE((*engine)->submit(request));
    }
    (*engine)->runUntilIdle();
    EXPECT_EQ(device.peakBytes(), figures->deviceBytes());
    EXPECT_EQ((*engine)->blocks().free(), (*engine)->blocks().total());
  }
}

} // namespace
