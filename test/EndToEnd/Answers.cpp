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
  options.limits.context = schedule.context;
  options.handOut = schedule.handOut;
  options.poison = schedule.poison;
  auto engine = Engine::create(artifact, device, std::nullopt, options);
  if (!engine) {
    ADD_FAILURE() << engine.status().debugString();
    return {};
  }
  std::vector<std::shared_ptr<Collector>> collectors;
  for (size_t i = 0; i < requests.size(); ++i)
    collectors.push_back(std::make_shared<Collector>());
  std::vector<RequestId> neighbours;
  auto submit = [&](AnswerRequest request, std::shared_ptr<AnswerSink> sink) {
    request.sink = std::move(sink);
    auto id = (*engine)->submit(std::move(request));
    EXPECT_TRUE(id.ok()) << id.status().message();
    return id.ok() ? *id : RequestId();
  };
  for (size_t i = 0; i < std::max(requests.size(), schedule.neighbours.size()); ++i) {
    if (i < schedule.neighbours.size())
      neighbours.push_back(submit(schedule.neighbours[i], std::make_shared<Collector>()));
    if (i < requests.size()) {
      size_t which = schedule.reverseArrival ? requests.size() - 1 - i : i;
      submit(requests[which], collectors[which]);
    }
  }
  if (schedule.cancelAfter >= 0) {
    for (int64_t i = 0; i < schedule.cancelAfter; ++i)
      (*engine)->step();
    for (RequestId id : neighbours)
      (*engine)->cancel(id);
  }
  (*engine)->runUntilIdle();
  EXPECT_EQ((*engine)->blocks().free(), (*engine)->blocks().total());
  std::vector<CollectedAnswer> answers;
  for (auto &collector : collectors)
    answers.push_back(std::move(collector->answer));
  return answers;
}

std::string describe(const Schedule &s) {
  std::string text = std::to_string(s.threads) + " threads, prompts cut at " + std::to_string(s.prefillChunk) + ", " +
                     std::to_string(s.requests) + " at once";
  if (s.reverseArrival)
    text += ", arriving in reverse";
  if (s.handOut == HandOut::Reverse)
    text += ", pages from the far end";
  if (!s.neighbours.empty())
    text += ", beside " + std::to_string(s.neighbours.size()) + " neighbours" +
            (s.cancelAfter < 0 ? "" : " that are cancelled after " + std::to_string(s.cancelAfter) + " steps");
  return text;
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
