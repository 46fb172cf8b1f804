// The schedule never changes an answer: the same tokens, logprobs and logits, bit for bit, alone, among others, with
// prompts cut at any size, on any number of threads, whatever pages a request gets.
#include "Answers.h"
#include "CompiledModel.h"

#include <gtest/gtest.h>

using namespace adze;
using namespace adze::test;

namespace {

struct ScheduledModel {
  const char *name, *flags, *container, *options;
};

// One model for each way that numbers take through the kernels.
const ScheduledModel kModels[] = {
    {"llama_f32", "--family llama --type f32 --seed 21", "hf", "--numerics=f32"},
    {"llama_bf16", "--family llama --type bf16 --seed 22", "hf", "--numerics=bf16"},
    {"llama_q4_1_a8", "--family llama --type q4_1 --seed 23 --tied --embedding-type q8_0", "gguf", "--numerics=a8"},
    {"llama_q4_0_a8_page16", "--family llama --type q4_0 --seed 24", "gguf", "--numerics=a8 --kv-page=16"},
    {"qwen3_q6_k_a8", "--family qwen3 --type q6_k --seed 25", "gguf", "--numerics=a8"},
    {"mistral_window_f32", "--family mistral --type f32 --seed 26 --window 4", "hf", "--numerics=f32 --kv-page=16"},
    {"qwen2_q8_0_bf16", "--family qwen2 --type q8_0 --seed 27 --tied", "gguf", "--numerics=bf16"},
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

std::vector<AnswerRequest> someRequests() {
  std::vector<AnswerRequest> requests;
  int lengths[] = {1, 5, 17, 64, 100, 33};
  for (int i = 0; i < 6; ++i) {
    AnswerRequest request = greedyRequest(somePrompt(lengths[i], i), i == 3 ? 2 : 12);
    if (i % 2) {
      request.sampling.mode = ChoiceMode::Sample;
      request.sampling.temperature = 0.9;
      request.sampling.seed = 42 + i;
    }
    request.rowsFrom = int64_t(request.prompt.size()) - 1;
    requests.push_back(std::move(request));
  }
  return requests;
}

class Schedules : public testing::TestWithParam<ScheduledModel> {
protected:
  void SetUp() override {
    artifact = openArtifact(compiledModel(tinyModel(GetParam().flags, GetParam().container), GetParam().options));
    ASSERT_TRUE(artifact);
    // The yardstick: one request after the other, whole prompts, one thread.
    expected = runRequests(artifact, someRequests(), {.requests = 1});
    for (const CollectedAnswer &answer : expected) {
      ASSERT_EQ(answer.error, "");
      ASSERT_EQ(answer.reason, FinishReason::Length);
    }
  }
  void expectSame(const Schedule &schedule) {
    std::vector<CollectedAnswer> answers = runRequests(artifact, someRequests(), schedule);
    ASSERT_EQ(answers.size(), expected.size());
    for (size_t i = 0; i < answers.size(); ++i) {
      EXPECT_EQ(answers[i].tokens, expected[i].tokens) << "request " << i;
      EXPECT_EQ(answers[i].logprobs, expected[i].logprobs) << "request " << i;
      EXPECT_TRUE(answers[i] == expected[i]) << "logits of request " << i;
    }
  }
  std::shared_ptr<const Artifact> artifact;
  std::vector<CollectedAnswer> expected;
};

// B42: right alone, wrong in a batch. B54: a seeded request keeps its text whatever stands beside it.
TEST_P(Schedules, AnswersInABatchAreThoseAlone) { expectSame({.requests = 8}); }
TEST_P(Schedules, OrderOfArrivalDoesNotMatter) { expectSame({.requests = 3, .reverseArrival = true}); }
TEST_P(Schedules, CuttingThePromptDoesNotMatter) {
  for (int64_t chunk : {1, 7, 16, 64}) {
    SCOPED_TRACE("chunk " + std::to_string(chunk));
    expectSame({.prefillChunk = chunk, .requests = 8});
  }
}
TEST_P(Schedules, ThreadsDoNotMatter) { expectSame({.threads = 2, .requests = 8}); }
TEST_P(Schedules, PagesInReverseDoNotMatter) {
  expectSame({.threads = 2, .prefillChunk = 7, .requests = 8, .handOut = HandOut::Reverse});
}
TEST_P(Schedules, TwentyEqualRequestsAnswerAlike) {
  AnswerRequest request = greedyRequest(somePrompt(9, 3), 10);
  CollectedAnswer alone = runRequests(artifact, {request}, {}).at(0);
  for (const CollectedAnswer &answer : runRequests(artifact, std::vector<AnswerRequest>(20, request), {.requests = 20}))
    EXPECT_TRUE(answer == alone);
}

INSTANTIATE_TEST_SUITE_P(Models, Schedules, testing::ValuesIn(kModels),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
