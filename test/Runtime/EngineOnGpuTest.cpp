// The engine on a GPU (the fake driver's): the same answers as on a CPU, memory to the byte, and every way in which a
// GPU can fail.
#include "FakeArtifact.h"
#include "FakeDriverLibrary.h"

#include <chrono>

using namespace adze;

namespace {
constexpr int64_t kReserve = 1 << 20;
constexpr int64_t kRounding = 8 << 20; // of four buffers, as EngineLimits.cpp says

// In place of the kernel `project`, for tests of faults.
int launchesUntilFault = -1, faultResult = 0;
int projectOrFault(const void *arguments, int64_t blocks) {
  static const Expected<LoadedProgram> program = LoadedProgram::open(ADZE_FAKE_PROGRAM);
  if (launchesUntilFault-- == 0)
    return faultResult;
  return program->program().kernels[2].entry(arguments, 0, blocks), 0;
}

struct EngineOnGpu : testing::Test {
  EngineOnGpu() { model.compileForGpu(); }
  void failAfter(int launches, int result) {
    launchesUntilFault = launches;
    faultResult = result;
    driver.addKernel("project", projectOrFault);
  }
  void open(EngineOptions options = {}) {
    Expected<std::unique_ptr<CudaDevice>> device = CudaDevice::create(fakeDriverOptions());
    ASSERT_TRUE(device.ok()) << device.status().message();
    gpu = device->get();
    bench = std::make_unique<FakeEngine>(model, std::move(options), std::move(*device));
  }
  Status refusal(EngineOptions options = {}) {
    Expected<std::unique_ptr<CudaDevice>> device = CudaDevice::create(fakeDriverOptions());
    EXPECT_TRUE(device.ok());
    Expected<std::unique_ptr<Engine>> engine = Engine::create(model.artifact(), **device, std::nullopt, options);
    EXPECT_FALSE(engine.ok());
    EXPECT_EQ((*device)->allocatedBytes(), 0);
    return engine.ok() ? Status() : engine.status();
  }
  // Five requests, of which two run at once.
  std::vector<std::shared_ptr<Collector>> submitFive() {
    std::vector<std::shared_ptr<Collector>> answers;
    for (int i = 0; i < 5; ++i) {
      AnswerRequest request;
      request.prompt = somePrompt(10 + i, i);
      request.maxTokens = 6;
      request.ignoreEndTokens = true;
      answers.push_back(bench->submit(request));
    }
    return answers;
  }
  void expectEnded(const std::vector<std::shared_ptr<Collector>> &answers, const char *message) {
    for (const auto &answer : answers) {
      ASSERT_EQ(answer->finishedCalls, 1);
      EXPECT_EQ(answer->end->reason, FinishReason::Error);
      EXPECT_NE(answer->end->error.message().find(message), std::string::npos) << answer->end->error.message();
    }
    EXPECT_TRUE(bench->engine->idle());
    EXPECT_FALSE(bench->engine->step());
    EXPECT_EQ(bench->engine->blocks().free(), bench->engine->blocks().total());
    AnswerRequest next;
    next.prompt = somePrompt(3, 3);
    Expected<RequestId> id = bench->engine->submit(next);
    ASSERT_FALSE(id.ok());
    EXPECT_NE(id.status().message().find("the engine has stopped"), std::string::npos);
    EXPECT_NE(id.status().message().find(message), std::string::npos) << id.status().message();
  }
  static EngineOptions two() {
    EngineOptions options;
    options.limits.requests = 2;
    return options;
  }

  FakeDriverControl &driver = freshFakeDriver();
  FakeModel model;
  CudaDevice *gpu = nullptr;
  std::unique_ptr<FakeEngine> bench;
};

std::vector<std::shared_ptr<Collector>> manyAnswers(FakeEngine &bench) {
  std::vector<std::shared_ptr<Collector>> answers;
  for (int i = 0; i < 12; ++i) {
    AnswerRequest request;
    request.prompt = somePrompt(1 + (i * 23) % 90, i);
    request.maxTokens = 20 + i % 5;
    request.ignoreEndTokens = true;
    request.sampling.topLogprobs = 3;
    request.rowsFrom = i % 4 == 0 ? 0 : -1;
    if (i % 2) {
      request.sampling.mode = ChoiceMode::Sample;
      request.sampling.temperature = 0.8;
      request.sampling.seed = uint64_t(42 + i);
    }
    answers.push_back(bench.submit(request));
  }
  bench.engine->runUntilIdle();
  return answers;
}
} // namespace

TEST_F(EngineOnGpu, GivesTheAnswersOfTheCpu) {
  EngineOptions options;
  options.limits.requests = 4;
  options.limits.stepTokens = 40;
  options.limits.logitRows = 40;
  open(options);
  std::vector<std::shared_ptr<Collector>> onGpu = manyAnswers(*bench);
  EXPECT_GT(gpu->graphCounters().replayed, 10) << "decode steps repeat";
  FakeModel cpuModel;
  FakeEngine cpu(cpuModel, options);
  std::vector<std::shared_ptr<Collector>> onCpu = manyAnswers(cpu);
  for (size_t i = 0; i < onCpu.size(); ++i) {
    ASSERT_EQ(onGpu[i]->end->reason, FinishReason::Length) << onGpu[i]->end->error.message();
    EXPECT_EQ(onGpu[i]->tokens, onCpu[i]->tokens);
    EXPECT_EQ(onGpu[i]->rows, onCpu[i]->rows);
    for (size_t k = 0; k < onCpu[i]->choices.size(); ++k)
      EXPECT_EQ(onGpu[i]->choices[k].logprob, onCpu[i]->choices[k].logprob);
  }
  bench.reset();
  EXPECT_EQ(driver.counts.misuse, 0);
  EXPECT_EQ(driver.counts.liveMemory + driver.counts.livePinned, 0);
}

// Greedy requests need four bytes a row; a row that is handed out, or chosen from by the host, is copied alone.
TEST_F(EngineOnGpu, CopiesTheLogitsOfThoseRowsAloneThatTheHostReads) {
  constexpr int64_t kRow = FAKE_VOCABULARY * 4, kSteps = 6;
  auto request = [](int seed) {
    AnswerRequest made;
    made.prompt = somePrompt(9 + seed, seed);
    made.maxTokens = kSteps;
    made.ignoreEndTokens = true;
    return made;
  };
  // Which of four neighbours read logits, as bits, and how many copies bring their rows.
  for (auto [readers, copies] : {std::pair{0, 0}, {1, 1}, {2, 1}, {5, 2}, {6, 1}, {9, 2}, {15, 1}}) {
    open();
    FakeModel cpuModel;
    FakeEngine cpu(cpuModel);
    std::vector<std::shared_ptr<Collector>> onGpu, onCpu;
    int64_t rows = 0;
    for (int i = 0; i < 4; ++i) {
      AnswerRequest made = request(i);
      if (readers >> i & 1) {
        made.sampling.topLogprobs = i % 2 ? -1 : 0;
        made.sampling.presencePenalty = i % 2 ? 0.5 : 0;
        ++rows;
      }
      onGpu.push_back(bench->submit(made));
      onCpu.push_back(cpu.submit(made));
    }
    driver.counts.toHost = driver.counts.toHostBytes = 0;
    bench->engine->runUntilIdle();
    cpu.engine->runUntilIdle();
    EXPECT_EQ(driver.counts.toHostBytes, kSteps * (4 * 4 + rows * kRow)) << readers;
    EXPECT_EQ(driver.counts.toHost, kSteps * (1 + copies)) << readers;
    for (size_t i = 0; i < onGpu.size(); ++i)
      EXPECT_EQ(onGpu[i]->tokens, onCpu[i]->tokens) << readers << ", " << i;
    bench.reset();
  }
}

TEST_F(EngineOnGpu, HandsOutRowsThatAreAskedForAndChoosesBesideThem) {
  open();
  FakeModel cpuModel;
  FakeEngine cpu(cpuModel);
  AnswerRequest request;
  request.prompt = somePrompt(20, 4);
  request.maxTokens = 3;
  request.rowsFrom = 17;
  request.ignoreEndTokens = true;
  std::shared_ptr<Collector> onCpu = cpu.answer(request);
  driver.counts.toHostBytes = 0;
  std::shared_ptr<Collector> onGpu = bench->answer(request);
  EXPECT_EQ(onGpu->rows, onCpu->rows);
  EXPECT_EQ(onGpu->rows.size(), 5u);
  EXPECT_EQ(onGpu->tokens, onCpu->tokens);
  EXPECT_EQ(driver.counts.toHostBytes, 5 * FAKE_VOCABULARY * 4 + 5 * 4);
}

// What the GPU cannot know (unused ids) or say (which logit) is found by the host in that one row.
TEST_F(EngineOnGpu, ChoosesAndFailsAsTheCpuDoesWhereTheGpuHasNoToken) {
  model.follow('a', FAKE_UNUSED);
  FakeModel cpuModel;
  cpuModel.follow('a', FAKE_UNUSED);
  open();
  FakeEngine cpu(cpuModel);
  AnswerRequest unused, poisoned, beside;
  unused.prompt = bytesOf("ba");
  poisoned.prompt = {'b', FAKE_POISON};
  beside.prompt = bytesOf("bb");
  unused.maxTokens = poisoned.maxTokens = beside.maxTokens = 1;
  driver.counts.toHostBytes = 0;
  std::vector<std::shared_ptr<Collector>> onGpu, onCpu;
  for (const AnswerRequest &request : {unused, poisoned, beside}) {
    onGpu.push_back(bench->submit(request));
    onCpu.push_back(cpu.submit(request));
  }
  bench->engine->runUntilIdle();
  cpu.engine->runUntilIdle();
  EXPECT_EQ(driver.counts.toHostBytes, 3 * 4 + 2 * FAKE_VOCABULARY * 4);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(onGpu[i]->tokens, onCpu[i]->tokens) << i;
    EXPECT_EQ(onGpu[i]->end->reason, onCpu[i]->end->reason) << i;
    EXPECT_EQ(onGpu[i]->end->error.message(), onCpu[i]->end->error.message()) << i;
  }
  EXPECT_EQ(onGpu[0]->end->outputTokens, 1);
  EXPECT_NE(onGpu[1]->end->error.message().find("the logit of token 5 for position 2"), std::string::npos);
}

TEST_F(EngineOnGpu, AllocatesExactlyWhatItPrintsAndTheWeights) {
  open();
  MemoryFigures figures = *evaluateMemory(model.manifest, bench->engine->limits());
  EXPECT_EQ(gpu->peakBytes(), figures.deviceBytes() + Device::roundUp(figures.weights));
  manyAnswers(*bench);
  EXPECT_EQ(gpu->allocatedBytes(), figures.deviceBytes() + Device::roundUp(figures.weights));
}

TEST_F(EngineOnGpu, GivesTheRestOfTheDeviceToTheKvPool) {
  MemoryFigures whole = *evaluateMemory(model.manifest, *resolveLimits({}, model.manifest));
  int64_t fixed = whole.arena + whole.stepArrays + Device::roundUp(int64_t(model.artifact()->weights().size()));
  int64_t pages = 100;
  ASSERT_LT(pages, whole.kvPages);
  driver.settings.freeBytes = uint64_t(kReserve + kRounding + fixed + pages * FAKE_PAGE_BYTES + FAKE_PAGE_BYTES - 1);
  open();
  EXPECT_EQ(bench->engine->blocks().total(), pages);
  AnswerRequest request;
  request.prompt = somePrompt(20, 1);
  request.maxTokens = 4;
  EXPECT_EQ(bench->answer(request)->end->reason, FinishReason::Length);
}

TEST_F(EngineOnGpu, SaysWhatDoesNotFit) {
  MemoryFigures whole = *evaluateMemory(model.manifest, *resolveLimits({}, model.manifest));
  driver.settings.freeBytes = uint64_t(kReserve + whole.arena);
  Status status = refusal();
  EXPECT_EQ(status.code(), ErrorCode::ResourceExhausted);
  for (const char *part : {"bytes free", "weights", "activations", "--step-tokens", "--device"})
    EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
  driver.settings.freeBytes = uint64_t(kReserve + kRounding + whole.total() + (1 << 20));
  EngineOptions options;
  options.limits.kvMemory = whole.kvPool + 64 * FAKE_PAGE_BYTES; // more than can be used: cut, and then it fits
  open(options);
  bench.reset();
  driver.settings.freeBytes = uint64_t(kReserve + kRounding + whole.total() - 4096);
  options.limits.kvMemory = whole.kvPool;
  status = refusal(options);
  EXPECT_EQ(status.code(), ErrorCode::ResourceExhausted);
  EXPECT_NE(status.message().find("lower --kv-memory"), std::string::npos) << status.message();
}

TEST_F(EngineOnGpu, AFaultEndsEveryRequestAndTheEngine) {
  failAfter(3, 719);
  open(two());
  std::vector<std::shared_ptr<Collector>> answers = submitFive();
  bench->engine->runUntilIdle();
  expectEnded(answers, "CUDA_ERROR_LAUNCH_FAILED");
  EXPECT_EQ(answers[0]->tokens.size(), 3u) << "what was answered before stays";
}

TEST_F(EngineOnGpu, AGpuThatDoesNotEndItsStepEndsTheEngineWithinTheLimit) {
  failAfter(0, FAKE_NEVER_ENDS);
  open(two());
  std::vector<std::shared_ptr<Collector>> answers = submitFive();
  auto start = std::chrono::steady_clock::now();
  bench->engine->runUntilIdle();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(3));
  expectEnded(answers, "within 300 ms");
  bench.reset();
  driver.reset();
}

TEST_F(EngineOnGpu, ARefusedLaunchEndsTheRequestsOfItsStep) {
  open(two());
  std::vector<std::shared_ptr<Collector>> answers = submitFive();
  driver.settings.launchResult = 701;
  bench->engine->step();
  driver.settings.launchResult = 0;
  bench->engine->runUntilIdle();
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(answers[size_t(i)]->end->reason, i < 2 ? FinishReason::Error : FinishReason::Length) << i;
  EXPECT_NE(answers[0]->end->error.message().find("CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"), std::string::npos);
}

TEST_F(EngineOnGpu, RefusesAModelForACpuAndTheOtherWayRound) {
  CpuDevice cpu({1, false});
  Expected<std::unique_ptr<Engine>> engine = Engine::create(model.artifact(), cpu, std::nullopt, {});
  ASSERT_FALSE(engine.ok());
  EXPECT_NE(engine.status().message().find("model.adze: the model was compiled for the GPU architecture sm_75"),
            std::string::npos)
      << engine.status().message();
  model.manifest.gpu.reset();
  Status status = refusal();
  EXPECT_EQ(status.code(), ErrorCode::Unsupported);
  EXPECT_NE(status.message().find("compiled for a CPU"), std::string::npos) << status.message();
}
