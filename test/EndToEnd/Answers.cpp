#include "Answers.h"

#include "adze/Runtime/Device/CpuDevice.h"

#include <gtest/gtest.h>

namespace adze::test {
namespace {

class Collector final : public AnswerSink {
public:
  void token(RequestId, const TokenEvent &event) override {
    answer.tokens.push_back(event.token);
    if (event.choice)
      answer.logprobs.push_back(event.choice->logprob);
  }
  void row(RequestId, int64_t position, std::span<const float> logits) override {
    answer.rows[position].assign(logits.begin(), logits.end());
  }
  void finished(RequestId, const AnswerEnd &end) override {
    answer.reason = end.reason;
    answer.error = end.error.ok() ? "" : end.error.message();
  }
  CollectedAnswer answer;
};

} // namespace

std::vector<CollectedAnswer> runRequests(std::shared_ptr<const Artifact> artifact, std::vector<AnswerRequest> requests,
                                         const Schedule &schedule) {
  CpuDevice device({.threads = schedule.threads});
  EngineOptions options;
  options.limits.prefillChunk = schedule.prefillChunk;
  options.limits.stepTokens = schedule.stepTokens;
  options.limits.requests = schedule.requests;
  options.handOut = schedule.handOut;
  options.poison = true;
  auto engine = Engine::create(artifact, device, std::nullopt, options);
  if (!engine) {
    ADD_FAILURE() << engine.status().debugString();
    return {};
  }
  std::vector<std::shared_ptr<Collector>> collectors;
  for (size_t i = 0; i < requests.size(); ++i)
    collectors.push_back(std::make_shared<Collector>());
  for (size_t i = 0; i < requests.size(); ++i) {
    size_t which = schedule.reverseArrival ? requests.size() - 1 - i : i;
    requests[which].sink = collectors[which];
    auto id = (*engine)->submit(requests[which]);
    EXPECT_TRUE(id.ok()) << id.status().message();
  }
  (*engine)->runUntilIdle();
  std::vector<CollectedAnswer> answers;
  for (auto &collector : collectors)
    answers.push_back(std::move(collector->answer));
  return answers;
}

AnswerRequest greedyRequest(std::vector<int32_t> prompt, int64_t count) {
  AnswerRequest request;
  request.prompt = std::move(prompt);
  request.maxTokens = count;
  request.sampling.topLogprobs = 0;
  request.ignoreEndTokens = true;
  return request;
}

} // namespace adze::test
