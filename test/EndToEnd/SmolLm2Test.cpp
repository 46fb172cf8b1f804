// The real model against transformers in f32 (goldens/make-smollm2-goldens.py): eight prompts, teacher-forced logits of
// 32 prompt positions and 32 generated steps each, and the greedy tokens.
#include "Answers.h"
#include "CompiledModel.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <fstream>

using namespace adze;
using namespace adze::test;

namespace {

constexpr int64_t kTop = 64;

std::vector<uint8_t> bytesOfBase64(const std::string &text) {
  static const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<uint8_t> bytes;
  uint32_t bits = 0;
  int count = 0;
  for (char c : text.substr(0, text.find('='))) {
    bits = bits << 6 | uint32_t(digits.find(c));
    if ((count += 6) >= 8)
      bytes.push_back(uint8_t(bits >> (count -= 8)));
  }
  return bytes;
}

template <class T> std::vector<T> numbers(const nlohmann::json &text) {
  std::vector<uint8_t> bytes = bytesOfBase64(text.get_ref<const std::string &>());
  std::vector<T> values(bytes.size() / sizeof(T));
  EXPECT_FALSE(values.empty());
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

/// Mode and bounds of docs/Numerics.md, "SmolLM2": measured once, only ever tightened. All are of the level x86-64-v3,
/// whose results are the same bits on every machine that has it.
struct Mode {
  const char *name;
  double relativeL2;  // of centred logits, worst row
  double meanKl;      // over the golden's 64 best tokens, nats, mean of all rows
  int64_t leastEqual; // greedy tokens of 256 equal to the golden's
};
const Mode kModes[] = {
    {"f32", 1e-5, 1e-8, 256},
    {"bf16", 1.5e-2, 2e-4, 197},
    {"a8", 5e-2, 4e-3, 181},
};

class SmolLm2 : public testing::TestWithParam<Mode> {
protected:
  void SetUp() override {
    if (smolLm2File().empty())
      GTEST_SKIP() << "SmolLM2 is absent; scripts/demo fetches it";
    golden = nlohmann::json::parse(std::ifstream(ADZE_SOURCE "/test/EndToEnd/goldens/smollm2.json"));
    artifact = openArtifact(compiledModel(smolLm2File(), std::string("--cpu=x86-64-v3 --numerics=") + GetParam().name));
    ASSERT_TRUE(artifact);
  }
  nlohmann::json golden;
  std::shared_ptr<const Artifact> artifact;
};

/// Sums over rows of one comparison.
struct Distance {
  double worstL2 = 0, klSum = 0;
  int64_t rows = 0;

  /// Row `r` of the golden's table against computed logits.
  void add(const std::vector<float> &logits, const nlohmann::json &fixedIds, const std::vector<float> &logSumExp,
           const std::vector<float> &mean, const std::vector<int32_t> &topIds, const std::vector<float> &topLogits,
           const std::vector<float> &fixedLogits, int64_t r) {
    double sum = 0, expSum = 0, best = *std::max_element(logits.begin(), logits.end());
    for (float value : logits) {
      sum += value;
      expSum += std::exp(double(value) - best);
    }
    double ownMean = sum / double(logits.size()), ownLse = best + std::log(expSum);
    double difference = 0, size = 0, kl = 0;
    auto compare = [&](int64_t id, double reference) {
      double centred = reference - mean[r], d = (logits[id] - ownMean) - centred;
      difference += d * d;
      size += centred * centred;
    };
    for (int64_t i = 0; i < kTop; ++i) {
      compare(topIds[r * kTop + i], topLogits[r * kTop + i]);
      double logp = double(topLogits[r * kTop + i]) - logSumExp[r];
      kl += std::exp(logp) * (logp - (logits[topIds[r * kTop + i]] - ownLse));
    }
    for (int64_t i = 0; i < int64_t(fixedIds.size()); ++i)
      compare(fixedIds[i].get<int64_t>(), fixedLogits[r * int64_t(fixedIds.size()) + i]);
    worstL2 = std::max(worstL2, std::sqrt(difference / size));
    klSum += kl;
    ++rows;
  }

  void addTable(const nlohmann::json &table, const nlohmann::json &fixedIds, const CollectedAnswer &answer,
                const std::vector<int64_t> &positions) {
    auto logSumExp = numbers<float>(table["log_sum_exp"]), mean = numbers<float>(table["mean"]);
    auto topIds = numbers<int32_t>(table["top_ids"]);
    auto topLogits = numbers<float>(table["top_logits"]), fixedLogits = numbers<float>(table["fixed_logits"]);
    ASSERT_EQ(positions.size(), logSumExp.size());
    for (size_t r = 0; r < positions.size(); ++r)
      add(answer.rows.at(positions[r]), fixedIds, logSumExp, mean, topIds, topLogits, fixedLogits, int64_t(r));
  }
};

TEST_P(SmolLm2, TeacherForcedLogitsStayWithinTheBounds) {
  Distance distance;
  for (const nlohmann::json &prompt : golden["prompts"]) {
    AnswerRequest request;
    request.prompt = prompt["tokens"].get<std::vector<int32_t>>();
    request.continuation = prompt["greedy"].get<std::vector<int32_t>>();
    request.maxTokens = 0;
    request.rowsFrom = 0;
    CollectedAnswer answer = runRequests(artifact, {request}, {.threads = 2}).at(0);
    ASSERT_EQ(answer.error, "");
    distance.addTable(prompt["prompt"], golden["fixed_ids"], answer, prompt["prompt_rows"]);
    std::vector<int64_t> steps;
    for (size_t i = 0; i < request.continuation.size(); ++i)
      steps.push_back(int64_t(request.prompt.size() + i));
    distance.addTable(prompt["steps"], golden["fixed_ids"], answer, steps);
  }
  double kl = distance.klSum / double(distance.rows);
  std::printf("%s: %lld rows, worst relative L2 of centred logits %.3g, mean KL %.3g nats\n", GetParam().name,
              (long long)distance.rows, distance.worstL2, kl);
  EXPECT_GE(distance.rows, 8 * 64);
  EXPECT_LE(distance.worstL2, GetParam().relativeL2);
  EXPECT_LE(std::abs(kl), GetParam().meanKl);
}

TEST_P(SmolLm2, GreedyTokensAreThoseOfTransformers) {
  int64_t equal = 0, compared = 0;
  std::vector<AnswerRequest> requests;
  for (const nlohmann::json &prompt : golden["prompts"])
    requests.push_back(greedyRequest(prompt["tokens"], int64_t(prompt["greedy"].size())));
  std::vector<CollectedAnswer> answers = runRequests(artifact, requests, {.threads = 2});
  for (size_t p = 0; p < answers.size(); ++p) {
    std::vector<int32_t> expected = golden["prompts"][p]["greedy"];
    ASSERT_EQ(answers[p].error, "");
    ASSERT_EQ(answers[p].tokens.size(), expected.size());
    // Tokens up to the first difference: what follows answers another text.
    size_t same = 0;
    while (same < expected.size() && answers[p].tokens[same] == expected[same])
      ++same;
    equal += int64_t(same);
    compared += int64_t(expected.size());
  }
  std::printf("%s: %lld of %lld greedy tokens equal\n", GetParam().name, (long long)equal, (long long)compared);
  EXPECT_EQ(compared, 256);
  EXPECT_GE(equal, GetParam().leastEqual);
}

TEST_P(SmolLm2, TheScheduleDoesNotChangeTheAnswer) {
  std::vector<AnswerRequest> requests;
  for (const nlohmann::json &prompt : golden["prompts"])
    requests.push_back(greedyRequest(prompt["tokens"], 8));
  std::vector<CollectedAnswer> alone = runRequests(artifact, requests, {.threads = 2, .requests = 1});
  auto expectSame = [&](const Schedule &schedule) {
    std::vector<CollectedAnswer> answers = runRequests(artifact, requests, schedule);
    for (size_t i = 0; i < answers.size(); ++i)
      EXPECT_TRUE(answers[i] == alone[i]) << "prompt " << golden["prompts"][i]["name"] << ": " << describe(schedule);
  };
  expectSame({.threads = 1, .requests = 1});
  for (int64_t chunk : {0, 1, 7, 16, 64})
    expectSame({.threads = 2, .prefillChunk = chunk, .requests = 8});
  expectSame({.threads = 1, .prefillChunk = 7, .requests = 8});
  expectSame({.threads = 2,
              .prefillChunk = 16,
              .requests = 3,
              .handOut = HandOut::Reverse,
              .reverseArrival = true,
              .neighbours = {greedyRequest(requests[0].prompt, 40)},
              .cancelAfter = 3});
}

INSTANTIATE_TEST_SUITE_P(Modes, SmolLm2, testing::ValuesIn(kModes),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
