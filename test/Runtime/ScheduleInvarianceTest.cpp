// The schedule never changes an answer: each request alone, in a crowd, cut into pieces, on other pages, beside
// requests that end early, with more threads. The toy model's logits depend on every token before and on its position,
// so a slip in any index array shows.
#include "FakeArtifact.h"

using namespace adze;

namespace {
struct Case {
  AnswerRequest request;
  std::vector<int32_t> tokens;
  std::vector<TokenChoice> choices;
};

// Requests of all kinds: greedy and sampled, short and long, with penalties.
std::vector<Case> manyCases() {
  std::vector<Case> cases;
  for (int i = 0; i < 10; ++i) {
    Case c;
    c.request.prompt = somePrompt(1 + (i * 23) % 90, i);
    c.request.maxTokens = 5 + (i * 7) % 20;
    c.request.ignoreEndTokens = true;
    c.request.sampling.topLogprobs = 3;
    if (i % 2) {
      c.request.sampling.mode = ChoiceMode::Sample;
      c.request.sampling.temperature = 0.8;
      c.request.sampling.seed = uint64_t(42 + i);
    }
    if (i % 3 == 0)
      c.request.sampling.repetitionPenalty = 1.3;
    cases.push_back(c);
  }
  return cases;
}

void runAlone(std::vector<Case> &cases) {
  FakeModel model;
  FakeEngine bench(model);
  for (Case &c : cases) {
    std::shared_ptr<Collector> answer = bench.answer(c.request);
    ASSERT_EQ(answer->end->reason, FinishReason::Length) << answer->end->error.message();
    ASSERT_EQ(int64_t(answer->tokens.size()), c.request.maxTokens);
    c.tokens = answer->tokens;
    c.choices = answer->choices;
  }
}

void expectEqual(const Case &expected, const Collector &answer, const std::string &how) {
  EXPECT_EQ(expected.tokens, answer.tokens) << how;
  ASSERT_EQ(expected.choices.size(), answer.choices.size()) << how;
  for (size_t i = 0; i < expected.choices.size(); ++i) {
    EXPECT_EQ(expected.choices[i].logprob, answer.choices[i].logprob) << how; // bit for bit
    for (size_t k = 0; k < expected.choices[i].top.size(); ++k)
      EXPECT_EQ(expected.choices[i].top[k].token, answer.choices[i].top[k].token) << how;
  }
}

EngineOptions limitsOf(int64_t stepTokens, int64_t requests, int64_t chunk, HandOut handOut = HandOut::Forward) {
  EngineOptions options;
  options.limits.stepTokens = stepTokens;
  options.limits.requests = requests;
  options.limits.prefillChunk = chunk;
  options.handOut = handOut;
  return options;
}
} // namespace

TEST(ScheduleInvariance, AnswersAreTheSameHoweverTheyAreScheduled) {
  std::vector<Case> cases = manyCases();
  runAlone(cases);
  struct {
    const char *name;
    EngineOptions options;
    unsigned threads;
  } ways[] = {
      {"together", limitsOf(512, 16, 0), 1},
      {"two threads", limitsOf(512, 16, 0), 2},
      {"pieces of 1", limitsOf(512, 16, 1), 1},
      {"pieces of 7", limitsOf(512, 16, 7), 2},
      {"pieces of 16", limitsOf(512, 16, 16), 1},
      {"pieces of 64", limitsOf(512, 16, 64), 1},
      {"steps of 3 tokens", limitsOf(3, 16, 0), 1},
      {"two at a time", limitsOf(64, 2, 0), 1},
      {"pages from the far end", limitsOf(512, 16, 7, HandOut::Reverse), 1},
  };
  for (auto &way : ways) {
    FakeModel model;
    FakeEngine bench(model, way.options, way.threads);
    std::vector<std::shared_ptr<Collector>> answers;
    for (Case &c : cases)
      answers.push_back(bench.submit(c.request));
    bench.engine->runUntilIdle();
    for (size_t i = 0; i < cases.size(); ++i)
      expectEqual(cases[i], *answers[i], std::string(way.name) + ", request " + std::to_string(i));
    EXPECT_EQ(bench.engine->blocks().free(), bench.engine->blocks().total());
  }
}

TEST(ScheduleInvariance, NeighboursThatEndEarlyChangeNothing) {
  std::vector<Case> cases = manyCases();
  runAlone(cases);
  for (int64_t steps : {0, 1, 2, 3, 5, 8}) {
    FakeModel model;
    FakeEngine bench(model, limitsOf(32, 16, 0));
    std::vector<std::shared_ptr<Collector>> answers;
    std::vector<RequestId> ids;
    for (Case &c : cases) {
      answers.push_back(bench.submit(c.request));
      ids.push_back(bench.lastId);
    }
    for (int64_t i = 0; i < steps; ++i)
      bench.engine->step();
    for (size_t i = 0; i < cases.size(); i += 2)
      bench.engine->cancel(ids[i]);
    bench.engine->runUntilIdle();
    for (size_t i = 1; i < cases.size(); i += 2)
      expectEqual(cases[i], *answers[i], "cancelled neighbours, request " + std::to_string(i));
    EXPECT_EQ(bench.engine->blocks().free(), bench.engine->blocks().total());
  }
}

TEST(ScheduleInvariance, ASeededRequestIsNotChangedByAnUnseededNeighbour) {
  std::vector<Case> cases = manyCases();
  runAlone(cases);
  // Four times, as a user would try it: seed 42, and beside it a request whose seed is another each time.
  Case &seeded = cases[5];
  seeded.request.sampling.seed = 42;
  FakeModel alone;
  FakeEngine first(alone);
  std::shared_ptr<Collector> expected = first.answer(seeded.request);
  seeded.tokens = expected->tokens, seeded.choices = expected->choices;
  for (uint64_t neighbourSeed : {1u, 77u, 123456u, 4294967295u}) {
    FakeModel model;
    FakeEngine bench(model);
    AnswerRequest neighbour = cases[3].request;
    neighbour.sampling.seed = neighbourSeed;
    bench.submit(neighbour);
    std::shared_ptr<Collector> answer = bench.submit(seeded.request);
    bench.engine->runUntilIdle();
    expectEqual(seeded, *answer, "beside another seed");
  }
}

// B50: greedy and drawn requests in one batch, 64 tokens each: greedy stays what it is alone, token for token.
TEST(ScheduleInvariance, TwentyEqualGreedyRequestsAgree) {
  FakeModel model;
  EngineOptions options = limitsOf(64, 20, 0);
  FakeEngine bench(model, options);
  AnswerRequest request;
  request.prompt = somePrompt(19, 4);
  request.maxTokens = 64;
  request.ignoreEndTokens = true;
  std::vector<int32_t> alone = bench.answer(request)->tokens;
  ASSERT_EQ(alone.size(), 64u);
  std::vector<std::shared_ptr<Collector>> answers;
  for (int i = 0; i < 20; ++i) {
    answers.push_back(bench.submit(request));
    AnswerRequest warm = request;
    warm.sampling.mode = ChoiceMode::Sample;
    warm.sampling.temperature = 0.8;
    warm.sampling.seed = uint64_t(i);
    bench.submit(warm);
  }
  bench.engine->runUntilIdle();
  for (const auto &answer : answers)
    EXPECT_EQ(answer->tokens, alone);
}

// Scoring a given answer sees the logits that choosing it token by token saw.
TEST(ScheduleInvariance, ScoringGivesTheRowsOfTheAnswer) {
  FakeModel model;
  FakeEngine bench(model);
  AnswerRequest request;
  request.prompt = somePrompt(30, 2);
  request.maxTokens = 20;
  request.ignoreEndTokens = true;
  request.rowsFrom = 10;
  std::shared_ptr<Collector> chosen = bench.answer(request);
  ASSERT_EQ(chosen->rows.size(), 20u + 19u) << "prompt rows 10 to 29, then those of all chosen tokens but the last";

  for (int64_t chunk : {0, 1, 7}) {
    FakeModel again;
    FakeEngine scorer(again, limitsOf(512, 8, chunk));
    AnswerRequest score = request;
    score.continuation = chosen->tokens;
    score.maxTokens = 0;
    std::shared_ptr<Collector> scored = scorer.answer(score);
    EXPECT_EQ(scored->end->reason, FinishReason::Length);
    EXPECT_TRUE(scored->tokens.empty());
    ASSERT_EQ(scored->rows.size(), 40u);
    for (const auto &[position, row] : chosen->rows)
      EXPECT_EQ(scored->rows.at(position), row) << position;
  }
}
