// The sums of TextScore against rows that the engine handed out one by one.
#include "FakeArtifact.h"

#include "adze/Runtime/Engine/TextScore.h"

#include <algorithm>
#include <cmath>

using namespace adze;

namespace {
bool goOn(const TextScoreResult &) { return true; }

EngineOptions withLimits(int64_t context, int64_t logitRows, int64_t stepTokens = 512) {
  EngineOptions options;
  options.limits.context = context;
  options.limits.requests = 1;
  options.limits.logitRows = logitRows;
  options.limits.stepTokens = stepTokens;
  return options;
}

// Natural logprobs over the legal ids, straight from the definition.
std::vector<double> logprobs(const std::vector<float> &row) {
  double sum = 0;
  std::vector<double> result(FAKE_LEGAL, -INFINITY);
  for (int id = 0; id < FAKE_LEGAL; ++id)
    if (id != FAKE_UNUSED)
      sum += std::exp(double(row[size_t(id)]));
  for (int id = 0; id < FAKE_LEGAL; ++id)
    if (id != FAKE_UNUSED)
      result[size_t(id)] = double(row[size_t(id)]) - std::log(sum);
  return result;
}

int bestOf(const std::vector<float> &row) {
  int best = 0;
  for (int id = 1; id < FAKE_LEGAL; ++id)
    if (id != FAKE_UNUSED && row[size_t(id)] > row[size_t(best)])
      best = id;
  return best;
}

std::map<int64_t, std::vector<float>> rowsOf(const FakeModel &like, const std::vector<int32_t> &window) {
  FakeModel model; // in a folder of its own: the other's files are in use
  model.script = like.script;
  FakeEngine bench(model, withLimits(int64_t(window.size()), 1));
  AnswerRequest request;
  request.prompt = window;
  request.maxTokens = 0;
  request.rowsFrom = 0;
  return bench.answer(request)->rows;
}

// Two toys that differ: one of them is sure of what follows 'b'.
struct TextScoreTest : testing::Test {
  TextScoreTest() { second.follow('b', 'c'); }
  FakeModel model, second;
};
} // namespace

TEST_F(TextScoreTest, SumsTheLogprobsOfTheTokensThatCame) {
  std::vector<int32_t> tokens = somePrompt(45, 1);
  FakeEngine bench(model, withLimits(20, 3));
  Expected<TextScoreResult> result = scoreText(*bench.engine, nullptr, tokens, {.window = 20, .skip = 4}, goOn);
  ASSERT_TRUE(result.ok()) << result.status().message();

  double expected = 0;
  int64_t count = 0;
  for (size_t first : {0, 20, 40}) { // the last holds five tokens: four predictions, all skipped
    std::vector<int32_t> window(tokens.begin() + first, tokens.begin() + std::min<size_t>(first + 20, 45));
    auto rows = rowsOf(model, window);
    for (size_t i = 4; i + 1 < window.size(); ++i, ++count)
      expected += logprobs(rows.at(int64_t(i)))[size_t(window[i + 1])];
  }
  EXPECT_EQ(result->score.windows, 2);
  EXPECT_EQ(result->score.tokens, 40);
  EXPECT_EQ(result->score.predictions, 30);
  EXPECT_EQ(count, 30);
  EXPECT_NEAR(result->score.logProb, expected, 1e-9 * std::fabs(expected));
  EXPECT_NEAR(result->score.perplexity(), std::exp(-expected / 30), 1e-6);
  EXPECT_TRUE(bench.engine->idle());
}

TEST_F(TextScoreTest, ComparesRowsOfTheSamePositions) {
  std::vector<int32_t> tokens = bytesOf("abbcabcbbacbcabcaabcbbcab");
  FakeEngine ours(model, withLimits(25, 4)), theirs(second, withLimits(25, 4));
  Expected<TextScoreResult> result = scoreText(*ours.engine, theirs.engine.get(), tokens, {.window = 25}, goOn);
  ASSERT_TRUE(result.ok()) << result.status().message();
  ASSERT_TRUE(result->comparison);

  auto rows = rowsOf(model, tokens), references = rowsOf(second, tokens);
  int64_t same = 0;
  for (int64_t i = 0; i < 24; ++i) {
    std::vector<double> p = logprobs(references.at(i)), q = logprobs(rows.at(i));
    double kl = 0;
    for (size_t id = 0; id < p.size(); ++id)
      if (std::exp(p[id]) > 0)
        kl += std::exp(p[id]) * (p[id] - q[id]);
    // exp(1000) is infinite: where the second model is sure the definition needs the row's largest taken off first.
    if (tokens[size_t(i)] == 'b')
      kl = -q['c'];
    EXPECT_NEAR(result->comparison->divergence[size_t(i)], kl, 1e-9 * (1 + kl)) << i;
    same += bestOf(references.at(i)) == bestOf(rows.at(i));
  }
  EXPECT_GT(result->comparison->meanDivergence(), 0);
  EXPECT_NE(result->score.logProb, result->comparison->reference.logProb);
  EXPECT_EQ(result->comparison->reference.predictions, 24);
  EXPECT_EQ(result->comparison->sameBest, same);
  EXPECT_LT(same, 24) << "behind 'b' they differ";
  EXPECT_GT(same, 0);
}

TEST_F(TextScoreTest, FindsNoDistanceBetweenAModelAndItself) {
  std::vector<int32_t> tokens = somePrompt(60, 2);
  FakeModel twin; // an artifact of its own: writing one again while it is in use would pull its program away
  FakeEngine ours(model, withLimits(16, 2)), theirs(twin, withLimits(16, 2));
  Expected<TextScoreResult> result = scoreText(*ours.engine, theirs.engine.get(), tokens, {.window = 16}, goOn);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->comparison->divergenceAt(1), 0);
  EXPECT_EQ(result->comparison->sameBest, result->score.predictions);
  EXPECT_EQ(result->comparison->reference.logProb, result->score.logProb);
}

TEST_F(TextScoreTest, GivesTheSameBitsWhateverThePieces) {
  std::vector<int32_t> tokens = somePrompt(100, 3);
  std::optional<double> logProb, divergence;
  for (auto [rows, step] : {std::pair<int64_t, int64_t>{1, 512}, {7, 512}, {64, 512}, {64, 5}}) {
    FakeEngine ours(model, withLimits(32, rows, step)), theirs(second, withLimits(32, rows, step));
    Expected<TextScoreResult> result =
        scoreText(*ours.engine, theirs.engine.get(), tokens, {.window = 32, .skip = 3}, goOn);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(logProb.value_or(result->score.logProb), result->score.logProb) << rows << " rows";
    EXPECT_EQ(divergence.value_or(result->comparison->meanDivergence()), result->comparison->meanDivergence());
    logProb = result->score.logProb;
    divergence = result->comparison->meanDivergence();
  }
}

TEST_F(TextScoreTest, PutsTheStartTokenBeforeEachWindow) {
  std::vector<int32_t> tokens = somePrompt(6, 4);
  FakeEngine bench(model, withLimits(4, 2));
  Expected<TextScoreResult> result = scoreText(*bench.engine, nullptr, tokens, {.window = 4, .start = 7}, goOn);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->score.windows, 2);
  EXPECT_EQ(result->score.tokens, 8);
  EXPECT_EQ(result->score.predictions, 6) << "every token of the text";
  double expected = 0;
  for (int first : {0, 3}) {
    std::vector<int32_t> window = {7, tokens[first], tokens[first + 1], tokens[first + 2]};
    auto rows = rowsOf(model, window);
    for (int i = 0; i < 3; ++i)
      expected += logprobs(rows.at(i))[size_t(window[size_t(i) + 1])];
  }
  EXPECT_NEAR(result->score.logProb, expected, 1e-9 * std::fabs(expected));
}

TEST_F(TextScoreTest, CountsWindowsAsItCutsThem) {
  EXPECT_EQ(countWindows(45, {.window = 20, .skip = 4}).windows, 2);
  EXPECT_EQ(countWindows(46, {.window = 20, .skip = 4}).predictions, 31);
  EXPECT_EQ(countWindows(1000, {.window = 10, .mostWindows = 3}).tokens, 30);
  EXPECT_EQ(countWindows(41, {.window = 20}).windows, 2) << "one token alone predicts nothing";
  EXPECT_EQ(countWindows(0, {.window = 20}).windows, 0);
  EXPECT_EQ(countWindows(1, {.window = 20}).windows, 0);
  EXPECT_EQ(countWindows(1, {.window = 20, .start = 3}).predictions, 1);
}

TEST_F(TextScoreTest, NamesTheOptionThatIsOutOfRange) {
  FakeEngine bench(model, withLimits(16, 2));
  auto message = [&](int64_t tokens, TextScoreOptions options) {
    Expected<TextScoreResult> result = scoreText(*bench.engine, nullptr, somePrompt(tokens, 1), options, goOn);
    return result ? "" : result.status().message();
  };
  EXPECT_EQ(message(40, {.window = 17}), "--window is 17; accepted: 2 to 16");
  EXPECT_EQ(message(40, {.window = 1}), "--window is 1; accepted: 2 to 16");
  EXPECT_EQ(message(40, {.window = 16, .skip = 15}), "--skip is 15; accepted with a window of 16: 0 to 14");
  EXPECT_EQ(message(40, {.window = 16, .skip = -1}), "--skip is -1; accepted with a window of 16: 0 to 14");
  EXPECT_NE(message(1, {.window = 16}).find("the text has 1 token,"), std::string::npos);
  EXPECT_NE(message(4, {.window = 16, .skip = 3}).find("give a longer text"), std::string::npos);
}

TEST_F(TextScoreTest, EndsAtALogitThatIsNotFinite) {
  std::vector<int32_t> tokens = somePrompt(30, 5);
  tokens[11] = FAKE_POISON;
  FakeEngine ours(model, withLimits(16, 4)), theirs(second, withLimits(16, 4));
  Expected<TextScoreResult> result = scoreText(*ours.engine, nullptr, tokens, {.window = 16}, goOn);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), ErrorCode::Internal);
  EXPECT_NE(result.status().message().find("the logit of token 5 at position 11"), std::string::npos)
      << result.status().message();
  result = scoreText(*ours.engine, theirs.engine.get(), tokens, {.window = 16}, goOn);
  EXPECT_NE(result.status().message().find("the second model: "), std::string::npos) << result.status().message();
  EXPECT_TRUE(ours.engine->idle() && theirs.engine->idle());
  EXPECT_EQ(ours.engine->blocks().free(), ours.engine->blocks().total());
  EXPECT_EQ(theirs.engine->blocks().free(), theirs.engine->blocks().total());
}

TEST_F(TextScoreTest, StopsWhenProgressSaysSo) {
  FakeEngine ours(model, withLimits(16, 4)), theirs(second, withLimits(16, 4));
  int calls = 0;
  Expected<TextScoreResult> result = scoreText(*ours.engine, theirs.engine.get(), somePrompt(64, 1), {.window = 16},
                                               [&](const TextScoreResult &) { return ++calls < 6; });
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), ErrorCode::Cancelled);
  EXPECT_EQ(calls, 6);
  EXPECT_TRUE(ours.engine->idle() && theirs.engine->idle());
}
