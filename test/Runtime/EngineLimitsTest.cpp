// The memory plan: what is printed is what is allocated, to the byte.
#include "FakeArtifact.h"

#include <cstdlib>

using namespace adze;

TEST(EngineLimits, FillsInDefaults) {
  FakeModel model;
  Expected<EngineLimits> limits = resolveLimits({}, model.manifest);
  ASSERT_TRUE(limits.ok());
  EXPECT_EQ(limits->context, FAKE_CONTEXT);
  EXPECT_EQ(limits->requests, 8);
  EXPECT_EQ(limits->stepTokens, 512);
  EXPECT_EQ(limits->logitRows, 8);
  EXPECT_EQ(limits->kvMemory, 8 * (FAKE_CONTEXT / FAKE_PAGE) * FAKE_PAGE_BYTES);
}

TEST(EngineLimits, RefusesWhatIsOutOfRangeByItsOption) {
  FakeModel model;
  auto message = [&](auto change) {
    EngineLimits limits;
    change(limits);
    Expected<EngineLimits> resolved = resolveLimits(limits, model.manifest);
    return resolved.ok() ? std::string() : resolved.status().message();
  };
  EXPECT_NE(message([](auto &l) { l.context = FAKE_CONTEXT + 1; }).find("--context"), std::string::npos);
  EXPECT_NE(message([](auto &l) { l.context = 1; }).find("--context"), std::string::npos);
  EXPECT_NE(message([](auto &l) { l.requests = 1 << 20; }).find("--requests"), std::string::npos);
  EXPECT_NE(message([](auto &l) { l.stepTokens = -5; }).find("--step-tokens"), std::string::npos);
  EXPECT_NE(message([](auto &l) { l.logitRows = 3; }).find("--logit-rows"), std::string::npos);
  EXPECT_NE(message([](auto &l) { l.kvMemory = 10; }).find("--kv-memory"), std::string::npos);
}

TEST(EngineLimits, AllocatesExactlyWhatItPrints) {
  struct {
    int64_t stepTokens, requests, rows, context, kvMemory;
  } settings[] = {
      {0, 0, 0, 0, 0}, {1, 1, 0, 2, 0}, {7, 3, 5, 100, 5000}, {512, 8, 64, 512, 1 << 20}, {33, 2, 0, 65, 777}};
  for (const auto &setting : settings) {
    FakeModel model;
    std::shared_ptr<const Artifact> artifact = model.artifact();
    EngineOptions options;
    options.limits = {setting.stepTokens, setting.requests, setting.rows, setting.context, setting.kvMemory, 0, 0};
    Expected<EngineLimits> limits = resolveLimits(options.limits, artifact->manifest());
    ASSERT_TRUE(limits.ok()) << limits.status().message();
    Expected<MemoryFigures> figures = evaluateMemory(artifact->manifest(), *limits);
    ASSERT_TRUE(figures.ok());

    CpuDevice device({1, false});
    {
      Expected<std::unique_ptr<Engine>> engine = Engine::create(artifact, device, std::nullopt, options);
      ASSERT_TRUE(engine.ok()) << engine.status().message();
      for (int i = 0; i < 20; ++i) {
        AnswerRequest request;
        request.prompt = somePrompt(1, i);
        request.maxTokens = 1;
        ASSERT_TRUE((*engine)->submit(request).ok());
      }
      (*engine)->runUntilIdle();
      EXPECT_EQ(device.peakBytes(), figures->deviceBytes());
      EXPECT_EQ(device.allocatedBytes(), figures->deviceBytes());
      EXPECT_EQ((*engine)->blocks().total(), figures->kvPages);
    }
    EXPECT_EQ(device.allocatedBytes(), 0);
  }
}

TEST(EngineLimits, PutsSlotsOneAfterTheOther) {
  FakeModel model;
  Expected<EngineLimits> limits = resolveLimits({}, model.manifest);
  Expected<MemoryFigures> figures = evaluateMemory(model.manifest, *limits);
  ASSERT_TRUE(figures.ok());
  EXPECT_EQ(figures->slotOffsets, (std::vector<int64_t>{0, 256}));
  EXPECT_EQ(figures->arena, 256 + (8 * FAKE_VOCABULARY * 4 + 255) / 256 * 256);
}

TEST(EngineLimits, AKvPoolIsNeverLargerThanItsRequestsCanUse) {
  FakeModel model;
  EngineLimits asked;
  asked.kvMemory = int64_t(1) << 40;
  asked.requests = 2;
  asked.context = 64;
  Expected<MemoryFigures> figures = evaluateMemory(model.manifest, *resolveLimits(asked, model.manifest));
  ASSERT_TRUE(figures.ok());
  EXPECT_EQ(figures->kvPages, 2 * 64 / FAKE_PAGE);
}

TEST(EngineLimits, RefusesAPlanWithoutRoomForTheLogits) {
  FakeModel model;
  model.manifest.memory.slots[1][0].rows.fixed = FAKE_VOCABULARY; // a byte each
  CpuDevice device({1, false});
  Expected<std::unique_ptr<Engine>> engine = Engine::create(model.artifact(), device, std::nullopt, {});
  ASSERT_FALSE(engine.ok());
  EXPECT_EQ(engine.status().code(), ErrorCode::InvalidInput);
  EXPECT_NE(engine.status().message().find("8 rows of 304 need 9728"), std::string::npos) << engine.status().message();
  EXPECT_EQ(device.allocatedBytes(), 0);
}

TEST(EngineLimits, RefusesAPlanWithoutRoomForTheTokens) {
  FakeModel model;
  model.chooseTokens();
  model.manifest.memory.slots[2][0].rows.fixed = 0;
  CpuDevice device({1, false});
  Expected<std::unique_ptr<Engine>> engine = Engine::create(model.artifact(), device, std::nullopt, {});
  ASSERT_FALSE(engine.ok());
  EXPECT_NE(engine.status().message().find("has 0 bytes from the chosen tokens on, and 8 rows of 1 need 32"),
            std::string::npos)
      << engine.status().message();
}

// A device with little memory: the engine is refused by the option of what did not fit, and nothing stays behind.
TEST(EngineLimits, ReportsADeviceThatIsTooSmall) {
  struct SmallDevice final : Device {
    explicit SmallDevice(int64_t limit) : limit(limit) {}
    std::string name() const override { return "a small device"; }
    Status runStep(const AdzeProgram &, const AdzeStep &, const StepCopies &) override { return Status(); }
    Expected<std::vector<KernelTiming>> timeKernels(const AdzeProgram &, const AdzeStep &, const StepCopies &,
                                                    const TimingOptions &) override {
      return std::vector<KernelTiming>();
    }
    uint8_t *allocateBytes(int64_t size) override {
      return allocatedBytes() + size > limit ? nullptr : static_cast<uint8_t *>(std::aligned_alloc(256, size_t(size)));
    }
    void freeBytes(uint8_t *start, int64_t) override { std::free(start); }
    int64_t limit;
  };
  FakeModel model;
  std::shared_ptr<const Artifact> artifact = model.artifact();
  MemoryFigures figures = *evaluateMemory(artifact->manifest(), *resolveLimits({}, artifact->manifest()));
  struct {
    int64_t limit;
    const char *option;
  } cases[] = {{100, "--step-tokens"}, {figures.arena, "--step-tokens"}, {figures.deviceBytes() - 1, "--kv-memory"}};
  for (const auto &c : cases) {
    SmallDevice device(c.limit);
    Expected<std::unique_ptr<Engine>> engine = Engine::create(artifact, device, std::nullopt, {});
    ASSERT_FALSE(engine.ok());
    EXPECT_EQ(engine.status().code(), ErrorCode::ResourceExhausted);
    EXPECT_NE(engine.status().message().find(c.option), std::string::npos) << engine.status().message();
    EXPECT_EQ(device.allocatedBytes(), 0);
  }
  SmallDevice enough(figures.deviceBytes());
  EXPECT_TRUE(Engine::create(artifact, enough, std::nullopt, {}).ok());
}
