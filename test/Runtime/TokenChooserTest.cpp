// Token choice against docs/Numerics.md ("Token choice"): each rule alone, and extreme values.
#include "adze/Runtime/Engine/TokenChooser.h"

#include "adze/Runtime/Engine/Philox.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <numeric>

using namespace adze;

namespace {
SamplingParameters sampling(uint64_t seed = 1) {
  SamplingParameters p;
  p.mode = ChoiceMode::Sample;
  p.seed = seed;
  return p;
}

int32_t chooseFrom(std::vector<float> logits, SamplingParameters p, int64_t position = 0, TokenHistory history = {}) {
  EXPECT_TRUE(checkSampling(p).ok()) << checkSampling(p).message();
  TokenChooser chooser{int64_t(logits.size())};
  Expected<TokenChoice> choice = chooser.choose(logits, history, p, position);
  EXPECT_TRUE(choice.ok()) << choice.status().message();
  return choice ? choice->token : -1;
}

// Which tokens ever come out at 400 positions.
std::map<int32_t, int> drawMany(const std::vector<float> &logits, const SamplingParameters &p,
                                const TokenHistory &history = {}) {
  std::map<int32_t, int> counts;
  for (int64_t position = 0; position < 400; ++position)
    ++counts[chooseFrom(logits, p, position, history)];
  return counts;
}
} // namespace

TEST(Philox, GivesThePublishedNumbers) {
  // Known answers of the reference implementation for philox4x32 with ten rounds.
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (std::array<uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(Philox, IsUniformInTheUnitInterval) {
  double sum = 0;
  for (uint64_t position = 0; position < 10000; ++position) {
    double u = uniformAt(42, position);
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
  }
  EXPECT_NEAR(sum / 10000, 0.5, 0.01);
}

TEST(TokenChooser, ExpIsRightAndExactAtZero) {
  EXPECT_EQ(choiceExp(0.0), 1.0);
  for (double x : {-1e-9, -0.1, -0.5, -1.0, -3.25, -17.0, -100.0, -700.0})
    EXPECT_NEAR(choiceExp(x) / std::exp(x), 1.0, 1e-15) << x;
  EXPECT_EQ(choiceExp(-709.0), 0.0);
  EXPECT_EQ(choiceExp(-std::numeric_limits<double>::infinity()), 0.0);
}

TEST(TokenChooser, GreedyTakesTheLowestIdOfATie) { EXPECT_EQ(chooseFrom({1, 3, 2, 3}, SamplingParameters()), 1); }

TEST(TokenChooser, GreedyIgnoresSeedTemperatureAndPosition) {
  SamplingParameters p;
  p.temperature = 50;
  p.seed = 99;
  for (int64_t position = 0; position < 50; ++position)
    EXPECT_EQ(chooseFrom({1, 1.5f, 1.4f}, p, position), 1);
}

TEST(TokenChooser, DependsOnSeedAndPositionAlone) {
  std::vector<float> logits(50);
  std::iota(logits.begin(), logits.end(), 0.0f);
  for (float &value : logits)
    value = std::fmod(value * 7.0f, 5.0f);
  TokenChooser first(50), second(50);
  // The second chooser is used for other requests in between.
  std::vector<float> noise(50, 0.25f);
  for (int64_t position = 0; position < 20; ++position) {
    (void)second.choose(noise, TokenHistory(), sampling(7), position * 3);
    EXPECT_EQ(first.choose(logits, TokenHistory(), sampling(42), position)->token,
              second.choose(logits, TokenHistory(), sampling(42), position)->token);
  }
  EXPECT_GT(drawMany(logits, sampling(42)).size(), 10u) << "positions draw different numbers";
}

TEST(TokenChooser, DrawsInProportion) {
  std::map<int32_t, int> counts = drawMany({0.0f, float(std::log(3.0))}, sampling());
  EXPECT_NEAR(counts[1] / 400.0, 0.75, 0.07);
}

TEST(TokenChooser, TopKKeepsTheBestWithTiesToTheLowestId) {
  SamplingParameters p = sampling();
  p.topK = 2;
  std::map<int32_t, int> counts = drawMany({1, 2, 2, 2, 0}, p);
  EXPECT_EQ(counts.size(), 2u);
  EXPECT_TRUE(counts.count(1) && counts.count(2));
}

// Few candidates are kept by another algorithm than many: both keep the first k of (logit descending, id ascending).
TEST(TokenChooser, TopKKeepsTheSameCandidatesHoweverManyTheyAre) {
  std::vector<float> logits(6000);
  for (size_t id = 0; id < logits.size(); ++id)
    logits[id] = float(id * 2654435761u % 977) * 1e-6f; // many ties, and weights that are nearly equal
  std::vector<int32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int32_t a, int32_t b) { return logits[a] != logits[b] ? logits[a] > logits[b] : a < b; });
  for (int64_t k : {1, 2, 7, 40, 1023, 1024, 1025, 5999}) {
    std::vector<int32_t> kept(order.begin(), order.begin() + k);
    std::sort(kept.begin(), kept.end());
    SamplingParameters p = sampling(3);
    p.topK = k;
    p.temperature = 100;
    for (uint64_t position = 0; position < 60; ++position) {
      // The weights differ by less than 1e-5 of each other: the place drawn is that of u, or a neighbour at an edge.
      int32_t token = chooseFrom(logits, p, int64_t(position));
      auto found = std::lower_bound(kept.begin(), kept.end(), token);
      ASSERT_TRUE(found != kept.end() && *found == token) << "k = " << k << " kept " << token;
      EXPECT_NEAR(double(found - kept.begin()), uniformAt(3, position) * double(k), 1.01) << k;
    }
  }
}

TEST(TokenChooser, TopPKeepsTheShortestPrefixThatReachesIt) {
  // Probabilities 0.5, 0.3, 0.2.
  std::vector<float> logits = {float(std::log(0.2)), float(std::log(0.5)), float(std::log(0.3))};
  SamplingParameters p = sampling();
  p.topP = 0.6;
  std::map<int32_t, int> counts = drawMany(logits, p);
  EXPECT_EQ(counts.size(), 2u);
  EXPECT_FALSE(counts.count(0));
  p.topP = 0.4;
  EXPECT_EQ(drawMany(logits, p).size(), 1u);
}

TEST(TokenChooser, TopPReachesPastItsFirstRun) {
  std::vector<float> flat(1000, 0.0f); // each 0.001: half of them is far more than one run of partial sorting
  SamplingParameters p = sampling();
  p.topP = 0.5;
  for (const auto &[token, count] : drawMany(flat, p))
    EXPECT_LT(token, 501) << "ties are kept from the lowest id";
}

TEST(TokenChooser, MinPDropsWhatIsFarFromTheBest) {
  SamplingParameters p = sampling();
  p.minP = 0.3;
  std::map<int32_t, int> counts = drawMany({0.0f, float(std::log(0.5)), float(std::log(0.2))}, p);
  EXPECT_EQ(counts.size(), 2u);
  EXPECT_FALSE(counts.count(2));
}

TEST(TokenChooser, FiltersWorkInTheStatedOrder) {
  // top-p is judged on what top-k left: 0.4, 0.3 of 1.0 become 0.57, 0.43, so 0.5 keeps one token and not two.
  std::vector<float> logits = {float(std::log(0.4)), float(std::log(0.3)), float(std::log(0.15)),
                               float(std::log(0.15))};
  SamplingParameters p = sampling();
  p.topP = 0.5;
  EXPECT_EQ(drawMany(logits, p).size(), 2u);
  p.topK = 2;
  EXPECT_EQ(drawMany(logits, p).size(), 1u);
}

TEST(TokenChooser, PenaltiesReadPromptAndOutputAsStated) {
  TokenHistory history;
  history.addPrompt(0);
  history.addOutput(1);
  history.addOutput(1);
  SamplingParameters p;
  EXPECT_EQ(chooseFrom({5, 4.9f, 4.8f}, p, 0, history), 0);
  p.repetitionPenalty = 1.5; // divides 5 and 4.9
  EXPECT_EQ(chooseFrom({5, 4.9f, 4.8f}, p, 0, history), 2);
  p.repetitionPenalty = 2; // negative logits are multiplied: they must get worse, not better
  EXPECT_EQ(chooseFrom({-1, -1.1f, -1.5f}, p, 0, history), 2);
  p.repetitionPenalty = 1;
  p.presencePenalty = 1; // output only
  EXPECT_EQ(chooseFrom({4, 4.5f, 3}, p, 0, history), 0);
  p.presencePenalty = 0;
  p.frequencyPenalty = 0.5; // twice in the output
  EXPECT_EQ(chooseFrom({3.9f, 4.5f, 3}, p, 0, history), 0);
  EXPECT_EQ(chooseFrom({3.4f, 4.5f, 3}, p, 0, history), 1);
}

// Values at the edge of their range must leave the best token, whatever else they remove.
TEST(TokenChooser, ExtremeValuesKeepTheBestToken) {
  std::vector<float> logits(21);
  for (int i = 0; i < 21; ++i)
    logits[size_t(i)] = float((i * 8) % 21) * 0.01f;
  logits[13] = 3;
  std::vector<SamplingParameters> extremes(7, sampling());
  extremes[0].temperature = 1e-4;
  extremes[1].topP = 1e-8;
  extremes[2].topP = 0;
  extremes[3].minP = 1;
  extremes[4].topK = 1;
  extremes[5].temperature = std::numeric_limits<double>::denorm_min();
  extremes[6].temperature = 1e-4, extremes[6].topP = 0, extremes[6].topK = 1000000000, extremes[6].minP = 1;
  for (const SamplingParameters &p : extremes)
    for (int64_t position = 0; position < 50; ++position)
      EXPECT_EQ(chooseFrom(logits, p, position), 13) << describeSampling(p);
  // Logits that a narrower type rounded, so that some are equal: the best is still the greedy one.
  for (int bits : {8, 11}) { // of the significand: bf16, f16
    std::vector<float> rounded = logits;
    for (float &value : rounded) {
      int exponent;
      float part = std::frexp(value, &exponent);
      value = std::ldexp(std::nearbyint(std::ldexp(part, bits)), exponent - bits);
    }
    int32_t best = chooseFrom(rounded, SamplingParameters());
    EXPECT_EQ(best, 13);
    for (const SamplingParameters &p : extremes)
      for (int64_t position = 0; position < 50; ++position)
        EXPECT_EQ(chooseFrom(rounded, p, position), best) << describeSampling(p);
  }
  SamplingParameters wide = sampling();
  wide.topK = 1000000000;
  SamplingParameters off = sampling();
  for (int64_t position = 0; position < 50; ++position)
    EXPECT_EQ(chooseFrom(logits, wide, position), chooseFrom(logits, off, position));
}

TEST(TokenChooser, HugeLogitsDoNotOverflow) {
  constexpr float kMax = std::numeric_limits<float>::max();
  SamplingParameters p = sampling();
  p.temperature = 1e-4;
  EXPECT_EQ(chooseFrom({-kMax, kMax, 0}, p), 1);
  TokenHistory history;
  history.addOutput(0);
  p.repetitionPenalty = 100;
  EXPECT_EQ(chooseFrom({-kMax, -1.0f}, p, 0, history), 1);
}

TEST(TokenChooser, RefusesValuesOutOfRange) {
  auto broken = [](auto change) {
    SamplingParameters p = sampling();
    change(p);
    return checkSampling(p);
  };
  double nan = std::nan("");
  for (double value : {0.0, -1.0, 101.0, nan, double(INFINITY)})
    EXPECT_EQ(broken([&](auto &p) { p.temperature = value; }).code(), ErrorCode::InvalidInput) << value;
  for (double value : {-0.1, 1.1, nan}) {
    EXPECT_FALSE(broken([&](auto &p) { p.topP = value; }).ok());
    EXPECT_FALSE(broken([&](auto &p) { p.minP = value; }).ok());
  }
  EXPECT_FALSE(broken([&](auto &p) { p.topK = -1; }).ok());
  EXPECT_FALSE(broken([&](auto &p) { p.repetitionPenalty = 0; }).ok());
  EXPECT_FALSE(broken([&](auto &p) { p.presencePenalty = 2.5; }).ok());
  EXPECT_FALSE(broken([&](auto &p) { p.frequencyPenalty = nan; }).ok());
  EXPECT_FALSE(broken([&](auto &p) { p.topLogprobs = 1000000; }).ok());
  EXPECT_NE(broken([&](auto &p) { p.topP = 1.5; }).message().find("top-p is 1.5; accepted: 0 to 1"), std::string::npos);
}

// The table is wider than the tokenizer: padding rows must not be chosen even where they are the highest, nor shown.
TEST(TokenChooser, NeverChoosesNorReportsIllegalIds) {
  std::vector<float> logits(104, 0.0f);
  for (int id = 100; id < 104; ++id)
    logits[size_t(id)] = 1000;
  logits[50] = 900; // an unused id in the middle of the table
  logits[7] = 5;
  TokenChooser chooser(100, {50});
  SamplingParameters p;
  p.topLogprobs = 100;
  Expected<TokenChoice> greedy = chooser.choose(logits, TokenHistory(), p, 0);
  ASSERT_TRUE(greedy.ok());
  EXPECT_EQ(greedy->token, 7);
  EXPECT_EQ(greedy->top.size(), 99u);
  double total = 0;
  for (const TokenLogprob &entry : greedy->top) {
    EXPECT_LT(entry.token, 100);
    EXPECT_NE(entry.token, 50);
    total += std::exp(entry.logprob);
  }
  EXPECT_NEAR(total, 1.0, 1e-12);
  for (int64_t position = 0; position < 300; ++position) {
    int32_t token = chooser.choose(logits, TokenHistory(), sampling(), position)->token;
    EXPECT_LT(token, 100);
    EXPECT_NE(token, 50);
  }
  // Padding may even be NaN: it is masked before anything looks at it.
  logits[101] = logits[50] = std::nanf("");
  EXPECT_EQ(chooser.choose(logits, TokenHistory(), SamplingParameters(), 0)->token, 7);
}

TEST(TokenChooser, ReportsLogitsThatAreNotFinite) {
  for (float bad : {std::nanf(""), float(INFINITY), -float(INFINITY)}) {
    std::vector<float> logits = {1, bad, 2};
    TokenChooser chooser(3);
    for (const SamplingParameters &p : {SamplingParameters(), sampling()}) {
      Expected<TokenChoice> choice = chooser.choose(logits, TokenHistory(), p, 9);
      ASSERT_FALSE(choice.ok());
      EXPECT_NE(choice.status().message().find("token 1 for position 9"), std::string::npos)
          << choice.status().message();
    }
  }
}

TEST(TokenChooser, LogprobsAreTheModelsOwn) {
  std::vector<float> logits = {0, float(std::log(3.0)), 0};
  TokenHistory history;
  history.addOutput(1);
  SamplingParameters p;
  p.topLogprobs = 2;
  p.presencePenalty = 2; // changes the choice, not the logprobs
  TokenChooser chooser(3);
  Expected<TokenChoice> choice = chooser.choose(logits, history, p, 0);
  ASSERT_TRUE(choice.ok());
  EXPECT_EQ(choice->token, 0);
  EXPECT_NEAR(choice->logprob, std::log(0.2), 1e-6);
  ASSERT_EQ(choice->top.size(), 2u);
  EXPECT_EQ(choice->top[0].token, 1);
  EXPECT_NEAR(choice->top[0].logprob, std::log(0.6), 1e-6);
  EXPECT_EQ(choice->top[1].token, 0) << "ties to the lower id";
}

TEST(SamplingParameters, DefaultsComeFromTheModel) {
  GenerationDefaults defaults;
  EXPECT_EQ(samplingFromDefaults(defaults).mode, ChoiceMode::Greedy);
  defaults.sample = true;
  defaults.temperature = 0.6;
  defaults.topP = 0.9;
  defaults.topK = 20;
  SamplingParameters p = samplingFromDefaults(defaults);
  p.seed = 5;
  EXPECT_EQ(describeSampling(p), "temperature 0.6, top-k 20, top-p 0.9, seed 5");
}
