// Windows, the two engines in lockstep, and the sums.
#include "adze/Runtime/Engine/TextScore.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <deque>
#include <fmt/format.h>
#include <limits>

using namespace adze;

double TextScore::perplexity() const { return std::exp(-logProb / double(predictions)); }

double TextComparison::meanDivergence() const {
  double sum = 0;
  for (double value : divergence)
    sum += value;
  return sum / double(divergence.size());
}

double TextComparison::divergenceAt(double share) const {
  std::vector<double> ordered = divergence;
  size_t index = size_t(std::max(0.0, std::ceil(share * double(ordered.size())) - 1));
  std::nth_element(ordered.begin(), ordered.begin() + ptrdiff_t(index), ordered.end());
  return ordered[index];
}

TextWindows adze::countWindows(int64_t tokens, const TextScoreOptions &options) {
  TextWindows count;
  int64_t start = options.start ? 1 : 0, ofText = options.window - start;
  for (int64_t first = 0; first < tokens; first += ofText) {
    if (options.mostWindows > 0 && count.windows == options.mostWindows)
      break;
    int64_t size = std::min(ofText, tokens - first) + start;
    if (size - 1 <= options.skip)
      break; // the last one, too short to predict anything
    ++count.windows;
    count.tokens += size;
    count.predictions += size - 1 - options.skip;
  }
  return count;
}

namespace {
// One row as probabilities are formed from it.
struct Row {
  int64_t position = 0;
  std::vector<float> logits; // legal ids; what is illegal is -infinity
  double logSum = 0;
  int32_t best = 0;
};

// Takes the rows of one engine for one window, as far as they predict a token that counts.
class RowTaker : public AnswerSink {
public:
  RowTaker(Engine &engine, std::span<const int32_t> window, TextScore &score, std::function<void(Row)> use)
      : engine(engine), window(window), score(score), use(std::move(use)) {}

  void row(RequestId id, int64_t position, std::span<const float> logits) override {
    if (!status.ok() || position + 1 >= int64_t(window.size()))
      return; // the row behind the last token predicts nothing that is known
    Row row;
    row.position = position;
    logits = logits.first(size_t(engine.legalTokens()));
    row.logits.assign(logits.begin(), logits.end());
    for (int32_t token : engine.illegalTokens())
      row.logits[size_t(token)] = 0;
    auto broken = std::ranges::find_if_not(row.logits, [](float value) { return std::isfinite(value); });
    if (broken != row.logits.end()) {
      status =
          internalError(fmt::format("the logit of token {} at position {} of a window is {}: the model's numbers left "
                                    "the range of their type; compile with --numerics=f32 or bf16",
                                    broken - row.logits.begin(), position, *broken));
      engine.cancel(id);
      return;
    }
    for (int32_t token : engine.illegalTokens())
      row.logits[size_t(token)] = -std::numeric_limits<float>::infinity();
    row.best = int32_t(std::ranges::max_element(row.logits) - row.logits.begin());
    row.logSum = logSumExp(row.logits);
    score.logProb += double(row.logits[size_t(window[size_t(position) + 1])]) - row.logSum;
    ++score.predictions;
    if (use)
      use(std::move(row));
  }
  void finished(RequestId, const AnswerEnd &end) override {
    if (status.ok() && end.reason == FinishReason::Error)
      status = end.error;
    ended = true;
  }

  Status status;
  bool ended = false;

private:
  Engine &engine;
  std::span<const int32_t> window;
  TextScore &score;
  std::function<void(Row)> use;
};

// KL(reference || model) over the ids, ascending. An id that only one of the two allows would make it infinite; that
// both have one vocabulary was checked.
double divergence(const Row &reference, const Row &model) {
  double sum = 0;
  for (size_t id = 0; id < reference.logits.size(); ++id) {
    double expected = double(reference.logits[id]) - reference.logSum;
    double probability = choiceExp(expected);
    if (probability > 0)
      sum += probability * (expected - (double(model.logits[id]) - model.logSum));
  }
  return std::max(0.0, sum); // rounding leaves about -1e-16 where the two are equal
}

Status checkOptions(const Engine &model, const Engine *reference, std::span<const int32_t> tokens,
                    const TextScoreOptions &options) {
  int64_t context = model.limits().context;
  if (options.window < 2 || options.window > context)
    return invalidInput(fmt::format("--window is {}; accepted: 2 to {}", options.window, context));
  if (options.skip < 0 || options.skip > options.window - 2)
    return invalidInput(fmt::format("--skip is {}; accepted with a window of {}: 0 to {}", options.skip, options.window,
                                    options.window - 2));
  if (countWindows(int64_t(tokens.size()), options).predictions == 0)
    return invalidInput(fmt::format("the text has {} token{}, and none is predicted with {} tokens of context and "
                                    "--skip {}; give a longer text",
                                    tokens.size(), tokens.size() == 1 ? "" : "s", options.start ? 1 : 0, options.skip));
  if (reference &&
      (reference->limits().context != context || reference->limits().logitRows != model.limits().logitRows ||
       reference->limits().stepTokens != model.limits().stepTokens))
    return internalError("the two engines have different limits, so their pieces would differ");
  if (reference && (reference->legalTokens() != model.legalTokens() ||
                    !std::ranges::equal(reference->illegalTokens(), model.illegalTokens())))
    return invalidInput(fmt::format("the two models have different vocabularies ({} and {} ids)", model.legalTokens(),
                                    reference->legalTokens()));
  return Status();
}

// One engine with one window in it; however it ends, the engine is idle again behind it.
class WindowRun {
public:
  WindowRun(Engine &engine, std::span<const int32_t> window, TextScore &score, std::function<void(Row)> use)
      : engine(engine), taker(std::make_shared<RowTaker>(engine, window, score, std::move(use))) {}
  ~WindowRun() {
    engine.cancel(id);
    engine.runUntilIdle();
  }

  Status submit(std::span<const int32_t> window, int64_t skip) {
    AnswerRequest request;
    request.prompt.assign(window.begin(), window.end());
    request.maxTokens = 0;
    request.rowsFrom = skip;
    request.sink = taker;
    Expected<RequestId> submitted = engine.submit(std::move(request));
    if (submitted)
      id = *submitted;
    return submitted.takeStatus();
  }
  /// One piece; returns its tokens.
  int64_t step() {
    double before = engine.work().tokens;
    engine.step();
    return int64_t(engine.work().tokens - before);
  }
  bool ended() const { return taker->ended; }
  const Status &status() const { return taker->status; }

private:
  Engine &engine;
  std::shared_ptr<RowTaker> taker;
  RequestId id = 0;
};

Status scoreWindow(Engine &model, Engine *reference, std::span<const int32_t> window, int64_t skip,
                   TextScoreResult &result, const std::function<bool(const TextScoreResult &)> &progress) {
  std::deque<Row> held; // the reference's rows of this piece
  std::function<void(Row)> compare;
  std::optional<WindowRun> theirs;
  if (reference) {
    TextComparison &comparison = *result.comparison;
    theirs.emplace(*reference, window, comparison.reference, [&](Row row) { held.push_back(std::move(row)); });
    compare = [&](Row row) {
      assert(!held.empty() && held.front().position == row.position && "the engines cut the window differently");
      comparison.divergence.push_back(divergence(held.front(), row));
      comparison.sameBest += held.front().best == row.best;
      held.pop_front();
    };
    if (Status status = theirs->submit(window, skip); !status.ok())
      return status;
  }
  WindowRun ours(model, window, result.score, compare);
  if (Status status = ours.submit(window, skip); !status.ok())
    return status;
  while (!ours.ended()) {
    // The reference first: its rows wait for the model's of the same positions.
    if (theirs) {
      result.comparison->reference.tokens += theirs->step();
      if (!theirs->status().ok())
        return theirs->status().withContext("the second model");
    }
    result.score.tokens += ours.step();
    if (!ours.status().ok())
      return ours.status();
    if (!progress(result))
      return cancelled("interrupted");
  }
  ++result.score.windows;
  if (theirs)
    ++result.comparison->reference.windows;
  return Status();
}
} // namespace

Expected<TextScoreResult> adze::scoreText(Engine &model, Engine *reference, std::span<const int32_t> tokens,
                                          const TextScoreOptions &options,
                                          const std::function<bool(const TextScoreResult &)> &progress) {
  if (Status status = checkOptions(model, reference, tokens, options); !status.ok())
    return status;
  TextScoreResult result;
  if (reference)
    result.comparison.emplace();
  int64_t start = options.start ? 1 : 0, ofText = options.window - start;
  int64_t windows = countWindows(int64_t(tokens.size()), options).windows;
  for (int64_t number = 0; number < windows; ++number) {
    std::vector<int32_t> window;
    if (options.start)
      window.push_back(*options.start);
    std::span<const int32_t> rest = tokens.subspan(size_t(number * ofText));
    rest = rest.first(std::min<size_t>(rest.size(), size_t(ofText)));
    window.insert(window.end(), rest.begin(), rest.end());
    if (Status status = scoreWindow(model, reference, window, options.skip, result, progress); !status.ok())
      return status;
  }
  return result;
}
