// The schedule never changes an answer: the same tokens, logprobs and logits, bit for bit, alone, among others, with
// prompts cut at any size, beside neighbours that end early or are cancelled, on any number of threads, whatever pages
// a request gets and however large they are. Each CPU level of the machine is held to itself.
#include "Answers.h"
#include "CompiledModel.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

using namespace adze;
using namespace adze::test;

namespace {

struct ScheduledModel {
  const char *name, *flags, *container, *numerics;
};
void PrintTo(const ScheduledModel &model, std::ostream *out) { *out << model.name; }

// One model for each way that numbers take through the kernels: stored types, families and numerics.
const ScheduledModel kModels[] = {
    {"llama_f32", "--family llama --type f32 --seed 21", "hf", "f32"},
    {"llama_bf16", "--family llama --type bf16 --seed 22", "hf", "bf16"},
    {"llama_q4_1_a8", "--family llama --type q4_1 --seed 23 --tied --embedding-type q8_0", "gguf", "a8"},
    {"llama_q4_0_a8", "--family llama --type q4_0 --seed 24", "gguf", "a8"},
    {"qwen3_q6_k_a8", "--family qwen3 --type q6_k --seed 25", "gguf", "a8"},
    {"mistral_window_f32", "--family mistral --type f32 --seed 26 --window 4", "hf", "f32"},
    {"qwen2_q8_0_bf16", "--family qwen2 --type q8_0 --seed 27 --tied", "gguf", "bf16"},
};

std::vector<int32_t> somePrompt(int length, int seed) {
  std::vector<int32_t> prompt;
  uint32_t state = uint32_t(seed) * 2654435761u + 1;
  for (int i = 0; i < length; ++i) {
    state = state * 1664525u + 1013904223u;
    prompt.push_back(int32_t((state >> 16) % 250));
  }
  return prompt;
}

AnswerRequest seeded(AnswerRequest request, uint64_t seed) {
  request.sampling.mode = ChoiceMode::Sample;
  request.sampling.temperature = 0.9;
  request.sampling.seed = seed;
  return request;
}

/// Greedy and seeded requests of different lengths; the fourth ends long before the others.
std::vector<AnswerRequest> someRequests() {
  std::vector<AnswerRequest> requests;
  int lengths[] = {1, 5, 17, 64, 100, 33};
  for (int i = 0; i < 6; ++i) {
    AnswerRequest request = greedyRequest(somePrompt(lengths[i], i), i == 3 ? 2 : 12);
    if (i % 2)
      request = seeded(request, 42 + i);
    request.rowsFrom = int64_t(request.prompt.size()) - 1;
    requests.push_back(std::move(request));
  }
  return requests;
}

/// Requests of other lengths whose answers nobody reads.
std::vector<AnswerRequest> neighbours(int64_t tokens) {
  std::vector<AnswerRequest> requests;
  for (int length : {40, 3, 70, 16})
    requests.push_back(greedyRequest(somePrompt(length, 100 + length), tokens));
  return requests;
}

/// One artifact for each level of the machine and each size of a page.
struct Compiled {
  std::string level;
  int page;
  std::shared_ptr<const Artifact> artifact;
};

class Schedules : public testing::TestWithParam<ScheduledModel> {
protected:
  void SetUp() override {
    std::string model = tinyModel(GetParam().flags, GetParam().container);
    for (const std::string &level : machineLevels()) {
      for (int page : {16, 32, 64}) {
        auto artifact =
            openArtifact(compiledModel(model, std::string("--numerics=") + GetParam().numerics + " --cpu=" + level +
                                                  " --kv-page=" + std::to_string(page)));
        ASSERT_TRUE(artifact);
        compiled.push_back({level, page, artifact});
      }
      // The yardstick of the level: one request after the other, whole prompts, one thread, pages of 64.
      alone[level] = runRequests(compiled.back().artifact, someRequests(), {.requests = 1});
      for (const CollectedAnswer &answer : alone[level]) {
        ASSERT_EQ(answer.error, "");
        ASSERT_EQ(answer.reason, FinishReason::Length);
      }
    }
  }

  /// Every artifact of the level gives what requests get alone, whatever the schedule.
  void expectSame(const Schedule &schedule) {
    for (const Compiled &c : compiled) {
      std::string how = c.level + ", pages of " + std::to_string(c.page) + ", " + describe(schedule);
      const std::vector<CollectedAnswer> &expected = alone[c.level];
      std::vector<CollectedAnswer> answers = runRequests(c.artifact, someRequests(), schedule);
      ASSERT_EQ(answers.size(), expected.size());
      for (size_t i = 0; i < answers.size(); ++i) {
        EXPECT_EQ(answers[i].tokens, expected[i].tokens) << "request " << i << ": " << how;
        EXPECT_EQ(answers[i].logprobs, expected[i].logprobs) << "request " << i << ": " << how;
        EXPECT_TRUE(answers[i] == expected[i]) << "logits of request " << i << ": " << how;
      }
    }
  }

  std::vector<Compiled> compiled;
  std::map<std::string, std::vector<CollectedAnswer>> alone; // by level
};

TEST_P(Schedules, RequestsAloneAnswerAlikeOnPagesOfAnySize) {
  expectSame({.requests = 1});
  expectSame({.threads = 2, .requests = 1, .handOut = HandOut::Reverse});
}
// B42: right alone, wrong in a batch. B54: a seeded request keeps its text whatever stands beside it.
TEST_P(Schedules, AnswersInABatchAreThoseAlone) {
  expectSame({.requests = 8});
  expectSame({.requests = 2});
}
TEST_P(Schedules, OrderOfArrivalDoesNotMatter) {
  expectSame({.requests = 3, .reverseArrival = true});
  expectSame({.threads = 2, .prefillChunk = 16, .requests = 8, .reverseArrival = true});
}
TEST_P(Schedules, CuttingThePromptDoesNotMatter) {
  for (int64_t chunk : {1, 7, 16, 64}) {
    expectSame({.prefillChunk = chunk, .requests = 8});
    expectSame({.threads = 2, .prefillChunk = chunk, .requests = 1});
  }
}
TEST_P(Schedules, SmallStepsDoNotMatter) { expectSame({.stepTokens = 5, .requests = 4}); }
TEST_P(Schedules, ThreadsDoNotMatter) { expectSame({.threads = 2, .requests = 8}); }
TEST_P(Schedules, PagesInReverseDoNotMatter) {
  expectSame({.requests = 8, .handOut = HandOut::Reverse});
  expectSame({.threads = 2, .prefillChunk = 7, .requests = 8, .handOut = HandOut::Reverse});
}
TEST_P(Schedules, NeighboursThatEndEarlyDoNotMatter) {
  expectSame({.requests = 10, .neighbours = neighbours(1)});
  expectSame({.threads = 2, .prefillChunk = 7, .requests = 10, .reverseArrival = true, .neighbours = neighbours(3)});
}
TEST_P(Schedules, CancelledNeighboursDoNotMatter) {
  // Before their first step, inside their prompts, and in the middle of their answers.
  for (int64_t steps : {0, 1, 3, 6})
    expectSame({.prefillChunk = 16, .requests = 10, .neighbours = neighbours(50), .cancelAfter = steps});
  // Their pages and places go to requests that waited.
  expectSame(
      {.threads = 2, .requests = 3, .handOut = HandOut::Reverse, .neighbours = neighbours(50), .cancelAfter = 4});
}
TEST_P(Schedules, TwentyEqualRequestsAnswerAlike) {
  AnswerRequest request = greedyRequest(somePrompt(9, 3), 10);
  for (const Compiled &c : compiled) {
    CollectedAnswer one = runRequests(c.artifact, {request}, {}).at(0);
    for (const CollectedAnswer &answer :
         runRequests(c.artifact, std::vector<AnswerRequest>(20, request), {.requests = 20}))
      EXPECT_TRUE(answer == one) << c.level << ", pages of " << c.page;
  }
}
// The draw is a function of seed and position: one seed in every place of a batch, beside any neighbours and in pieces
// of any size, gives one answer, and another seed another.
TEST_P(Schedules, SeededSamplingIsAFunctionOfTheRequest) {
  std::vector<AnswerRequest> crowd(6, seeded(greedyRequest(somePrompt(21, 7), 16), 1234));
  for (uint64_t i = 0; i < 6; ++i)
    crowd.push_back(seeded(crowd[0], 5000 + i));
  for (const Compiled &c : compiled) {
    CollectedAnswer one = runRequests(c.artifact, {crowd[0]}, {}).at(0);
    for (int64_t chunk : {0, 1, 7, 16})
      for (const Schedule &schedule :
           {Schedule{.prefillChunk = chunk, .requests = 12}, Schedule{.threads = 2,
                                                                      .prefillChunk = chunk,
                                                                      .requests = 4,
                                                                      .reverseArrival = true,
                                                                      .neighbours = neighbours(5),
                                                                      .cancelAfter = 2}}) {
        std::vector<CollectedAnswer> answers = runRequests(c.artifact, crowd, schedule);
        std::set<std::vector<int32_t>> different;
        for (size_t i = 0; i < answers.size(); ++i) {
          different.insert(answers[i].tokens);
          if (i < 6) {
            EXPECT_TRUE(answers[i] == one) << "place " << i << ": " << c.level << ", " << describe(schedule);
          }
        }
        EXPECT_GT(different.size(), 4u) << "seeds are not used";
      }
  }
}

// B42: as many of different lengths, so that every row of a step belongs to another request at another position.
TEST_P(Schedules, TwentyRequestsOfDifferentLengthsAnswerAsAlone) {
  std::vector<AnswerRequest> requests;
  for (int i = 0; i < 20; ++i)
    requests.push_back(greedyRequest(somePrompt(1 + 4 * i, i), 3 + i % 5));
  for (const Compiled &c : compiled) {
    std::vector<CollectedAnswer> separate = runRequests(c.artifact, requests, {.requests = 1});
    std::vector<CollectedAnswer> together = runRequests(c.artifact, requests, {.requests = 20});
    for (size_t i = 0; i < requests.size(); ++i)
      EXPECT_TRUE(together[i] == separate[i]) << "request " << i << ", " << c.level << ", pages of " << c.page;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Schedules, testing::ValuesIn(kModels),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
