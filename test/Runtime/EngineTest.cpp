// The engine's manners: limits, ends, errors of one request, cancellation at every point.
#include "FakeArtifact.h"

using namespace adze;

namespace {
AnswerRequest plain(int64_t prompt, int64_t output, int seed = 0) {
  AnswerRequest request;
  request.prompt = somePrompt(prompt, seed);
  request.maxTokens = output;
  return request;
}

Status refusal(FakeEngine &bench, AnswerRequest request) {
  Expected<RequestId> id = bench.engine->submit(std::move(request));
  EXPECT_FALSE(id.ok());
  return id.ok() ? Status() : id.status();
}
} // namespace

TEST(Engine, EndsAtMaxTokensAsLength) {
  FakeModel model;
  FakeEngine bench(model);
  AnswerRequest request = plain(10, 6);
  request.ignoreEndTokens = true;
  std::shared_ptr<Collector> answer = bench.answer(request);
  EXPECT_EQ(answer->end->reason, FinishReason::Length);
  EXPECT_EQ(answer->end->outputTokens, 6);
  EXPECT_EQ(answer->end->promptTokens, 10);
  EXPECT_EQ(answer->positions.front(), 10);
  EXPECT_EQ(answer->positions.back(), 15);
}

TEST(Engine, EndsAFullContextAsLength) {
  FakeModel model;
  EngineOptions options;
  options.limits.context = 32;
  FakeEngine bench(model, options);
  AnswerRequest request = plain(20, -1);
  request.ignoreEndTokens = true;
  std::shared_ptr<Collector> answer = bench.answer(request);
  EXPECT_EQ(answer->end->reason, FinishReason::Length);
  EXPECT_EQ(answer->end->outputTokens, 12);
  AnswerRequest huge = plain(20, int64_t(1) << 31);
  huge.ignoreEndTokens = true;
  EXPECT_EQ(bench.answer(huge)->end->outputTokens, 12) << "more than fits is the same as all that fits";
}

TEST(Engine, StopsAtAnyEndToken) {
  for (int32_t end : {int32_t(FAKE_END), int32_t(FAKE_OTHER_END)}) {
    FakeModel model;
    model.follow('a', 'b');
    model.follow('b', end);
    model.follow(end, 'c');
    FakeEngine bench(model);
    AnswerRequest request;
    request.prompt = bytesOf("a");
    request.maxTokens = 5;
    std::shared_ptr<Collector> answer = bench.answer(request);
    EXPECT_EQ(answer->end->reason, FinishReason::Stop);
    EXPECT_EQ(answer->text(), "b");
    EXPECT_EQ(answer->end->outputTokens, 2) << "the end token was chosen and is no text";
    request.ignoreEndTokens = true;
    std::shared_ptr<Collector> longer = bench.answer(request);
    EXPECT_EQ(longer->end->reason, FinishReason::Length);
    EXPECT_EQ(longer->tokens[2], 'c');
    EXPECT_EQ(longer->text().substr(0, 2), "bc");
  }
}

TEST(Engine, RefusesIllegalIdsAndLives) {
  FakeModel model;
  FakeEngine bench(model);
  for (int32_t bad : {-1, int32_t(FAKE_LEGAL), int32_t(FAKE_VOCABULARY), 1 << 30, int32_t(FAKE_UNUSED)}) {
    AnswerRequest request = plain(4, 2);
    request.prompt[2] = bad;
    Status status = refusal(bench, request);
    EXPECT_EQ(status.code(), ErrorCode::InvalidInput);
    EXPECT_NE(status.message().find("token 2 of the prompt is id " + std::to_string(bad)), std::string::npos)
        << status.message();
  }
  AnswerRequest added = plain(4, 2); // the highest legal id is an ordinary token
  added.prompt[2] = FAKE_LEGAL - 1;
  EXPECT_EQ(bench.answer(added)->end->reason, FinishReason::Length);
}

TEST(Engine, RefusesBadRequestsByName) {
  FakeModel model;
  FakeEngine bench(model);
  EXPECT_EQ(refusal(bench, plain(0, 2)).code(), ErrorCode::InvalidInput);
  EXPECT_EQ(refusal(bench, plain(4, -2)).code(), ErrorCode::InvalidInput);
  EXPECT_NE(refusal(bench, plain(FAKE_CONTEXT, 1)).message().find("--context"), std::string::npos);
  EXPECT_NE(refusal(bench, plain(FAKE_CONTEXT, -1)).message().find("--context"), std::string::npos);
  AnswerRequest request = plain(4, 2);
  request.sampling.topP = 2;
  EXPECT_NE(refusal(bench, request).message().find("top-p"), std::string::npos);
  request = plain(4, 2);
  request.stop = {""};
  EXPECT_EQ(refusal(bench, request).code(), ErrorCode::InvalidInput);
  EXPECT_TRUE(bench.engine->idle());
}

// A pool of 8 pages of 8 tokens: the large request is refused at once, the small one behind it is answered.
TEST(Engine, RefusesWhatThePoolCouldNeverHold) {
  FakeModel model;
  EngineOptions options;
  options.limits.kvMemory = 8 * FAKE_PAGE_BYTES;
  FakeEngine bench(model, options);
  EXPECT_EQ(bench.engine->blocks().total(), 8);
  Status status = refusal(bench, plain(200, 1));
  EXPECT_EQ(status.code(), ErrorCode::ResourceExhausted);
  EXPECT_NE(status.message().find("--kv-memory"), std::string::npos) << status.message();
  EXPECT_EQ(bench.answer(plain(10, 3))->end->reason, FinishReason::Length);
}

TEST(Engine, QueuesWhatDoesNotFitYetAndAnswersAll) {
  FakeModel model;
  EngineOptions options;
  options.limits.requests = 3;
  options.limits.kvMemory = 16 * FAKE_PAGE_BYTES;
  FakeEngine bench(model, options);
  std::vector<std::shared_ptr<Collector>> answers;
  for (int i = 0; i < 20; ++i) {
    AnswerRequest request = plain(30 + i, 8, i);
    request.ignoreEndTokens = true;
    answers.push_back(bench.submit(request));
  }
  bench.engine->runUntilIdle();
  for (const auto &answer : answers)
    EXPECT_EQ(answer->end->outputTokens, 8);
  EXPECT_EQ(bench.engine->blocks().free(), 16);
  EXPECT_LE(bench.engine->blocks().peakHeld(), 16);
}

TEST(Engine, RefusesMoreThanTheQueueHolds) {
  FakeModel model;
  EngineOptions options;
  options.limits.queueLength = 4;
  options.limits.requests = 1;
  FakeEngine bench(model, options);
  int refused = 0;
  std::vector<std::shared_ptr<Collector>> answers;
  for (int i = 0; i < 100; ++i) {
    AnswerRequest request = plain(4, 3, i);
    auto sink = std::make_shared<Collector>();
    request.sink = sink;
    Expected<RequestId> id = bench.engine->submit(request);
    if (id.ok())
      answers.push_back(sink);
    else if (++refused)
      EXPECT_EQ(id.status().code(), ErrorCode::ResourceExhausted);
  }
  EXPECT_EQ(refused, 96);
  bench.engine->runUntilIdle();
  for (const auto &answer : answers)
    EXPECT_EQ(answer->finishedCalls, 1);
  bench.answer(plain(4, 3)); // there is room again
}

TEST(Engine, EndsARequestWithLogitsThatAreNotFinite) {
  FakeModel model;
  FakeEngine bench(model);
  AnswerRequest bad = plain(5, 4);
  bad.prompt.back() = FAKE_POISON;
  std::shared_ptr<Collector> failed = bench.submit(bad);
  std::shared_ptr<Collector> fine = bench.submit(plain(12, 4));
  bench.engine->runUntilIdle();
  EXPECT_EQ(failed->end->reason, FinishReason::Error);
  EXPECT_TRUE(failed->tokens.empty()) << "never token 0";
  EXPECT_NE(failed->end->error.message().find("token 5"), std::string::npos) << failed->end->error.message();
  EXPECT_EQ(fine->end->reason, FinishReason::Length);
}

TEST(Engine, SurvivesAStepThatFails) {
  FakeModel model;
  FakeEngine bench(model);
  AnswerRequest bad = plain(5, 4);
  bad.prompt[2] = FAKE_STOP_STEP;
  std::shared_ptr<Collector> failed = bench.answer(bad);
  EXPECT_EQ(failed->end->reason, FinishReason::Error);
  EXPECT_NE(failed->end->error.message().find("code 7"), std::string::npos) << failed->end->error.message();
  EXPECT_EQ(bench.answer(plain(12, 4))->end->reason, FinishReason::Length);
}

TEST(Engine, CancelsAtEveryStepWithoutLosingAPage) {
  for (int steps = 0; steps < 12; ++steps) {
    FakeModel model;
    EngineOptions options;
    options.limits.stepTokens = 8;
    options.limits.requests = 2;
    FakeEngine bench(model, options);
    AnswerRequest request = plain(20, 20);
    request.ignoreEndTokens = true;
    std::shared_ptr<Collector> answer = bench.submit(request);
    RequestId id = bench.lastId;
    bench.submit(plain(9, 3, 1));
    std::shared_ptr<Collector> waiting = bench.submit(plain(9, 3, 2));
    RequestId waitingId = bench.lastId;
    for (int i = 0; i < steps; ++i)
      bench.engine->step();
    bench.engine->cancel(id);
    bench.engine->cancel(waitingId);
    bench.engine->cancel(9999);
    bench.engine->runUntilIdle();
    EXPECT_EQ(answer->end->reason, FinishReason::Cancelled);
    EXPECT_EQ(answer->finishedCalls, 1);
    EXPECT_EQ(waiting->finishedCalls, 1);
    EXPECT_EQ(bench.engine->blocks().free(), bench.engine->blocks().total());
    EXPECT_EQ(bench.engine->blocks().available(), bench.engine->blocks().total());
  }
}

TEST(Engine, CancelFromInsideASink) {
  struct Impatient : Collector {
    Engine *engine = nullptr;
    void token(RequestId id, const TokenEvent &event) override {
      Collector::token(id, event);
      if (tokens.size() == 3)
        engine->cancel(id);
    }
  };
  FakeModel model;
  FakeEngine bench(model);
  auto sink = std::make_shared<Impatient>();
  sink->engine = bench.engine.get();
  AnswerRequest request = plain(4, 50);
  request.ignoreEndTokens = true;
  request.sink = sink;
  ASSERT_TRUE(bench.engine->submit(request).ok());
  bench.engine->runUntilIdle();
  EXPECT_EQ(sink->end->reason, FinishReason::Cancelled);
  EXPECT_EQ(sink->tokens.size(), 3u);
}

TEST(Engine, TellsTimeByItsClock) {
  FakeModel model;
  int64_t now = 1000;
  EngineOptions options;
  options.clock = [&] { return now += 10; };
  FakeEngine bench(model, options);
  AnswerRequest request = plain(4, 3);
  request.ignoreEndTokens = true;
  std::shared_ptr<Collector> answer = bench.answer(request);
  EXPECT_EQ(answer->end->submitted, 1010);
  EXPECT_GT(answer->end->firstToken, answer->end->submitted);
  EXPECT_GT(answer->end->ended, answer->end->firstToken);
}

TEST(Engine, SumsTheWorkOfItsSteps) {
  FakeModel model;
  FakeEngine bench(model);
  AnswerRequest request = plain(4, 3);
  request.ignoreEndTokens = true;
  bench.answer(request);
  const WorkSums &work = bench.engine->work();
  EXPECT_EQ(work.steps, 3);
  EXPECT_EQ(work.tokens, 6); // 4, 1, 1
  EXPECT_EQ(work.rows, 3);
  EXPECT_EQ(work.kvLengths, 4 + 5 + 6);
  EXPECT_EQ(work.visiblePairs, (1 + 2 + 3 + 4) + 5 + 6);
}

TEST(Engine, WorksWithoutATokenizer) {
  FakeModel model;
  std::shared_ptr<const Artifact> artifact = model.artifact();
  CpuDevice device({1, false});
  Expected<std::unique_ptr<Engine>> engine = Engine::create(artifact, device, std::nullopt, {});
  ASSERT_TRUE(engine.ok());
  AnswerRequest request = plain(4, 3);
  auto sink = std::make_shared<Collector>();
  request.sink = sink;
  ASSERT_TRUE((*engine)->submit(request).ok());
  (*engine)->runUntilIdle();
  EXPECT_FALSE(sink->tokens.empty());
  EXPECT_EQ(sink->text(), "");
  request.stop = {"x"};
  EXPECT_FALSE((*engine)->submit(request).ok());
}

TEST(Engine, RefusesATokenizerOfAnotherModel) {
  FakeModel model;
  model.manifest.model.legalTokens = 280;
  std::shared_ptr<const Artifact> artifact = model.artifact();
  CpuDevice device({1, false});
  Expected<Tokenizer> tokenizer = Tokenizer::load(artifact->tokenizer(), "tokenizer.bin");
  ASSERT_TRUE(tokenizer.ok());
  Expected<std::unique_ptr<Engine>> engine = Engine::create(artifact, device, *tokenizer, {});
  ASSERT_FALSE(engine.ok());
  EXPECT_EQ(engine.status().code(), ErrorCode::InvalidInput);
}

// A program for a CPU may choose tokens as well: the same answers, with unused ids left to the host.
TEST(Engine, GivesTheSameAnswersWhereTheProgramChooses) {
  FakeModel plainModel, choosing;
  choosing.chooseTokens();
  for (FakeModel *model : {&plainModel, &choosing})
    model->follow('q', FAKE_UNUSED);
  FakeEngine host(plainModel), program(choosing);
  for (int seed = 0; seed < 6; ++seed) {
    AnswerRequest request = plain(7 + seed, 12, seed);
    request.ignoreEndTokens = true;
    if (seed % 2)
      request.prompt.back() = 'q';
    EXPECT_EQ(host.answer(request)->tokens, program.answer(request)->tokens) << seed;
  }
}
