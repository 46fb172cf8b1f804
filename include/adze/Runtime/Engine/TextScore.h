// TextScore.h: how well a model predicts a text, and how near it is to a second model that predicts the same text.
//
// The tokens are cut into windows that know nothing of each other. A window holds `window` tokens; where the vocabulary
// has a start token each window begins with it, and it counts among them. Every token that has another before it in its
// window is predicted once, but for the first `skip` predictions of a window, which only give context. The last window
// may be shorter; one without a prediction is left out.
//
// Logits are never kept: each piece's rows, at most the engine's --logit-rows, become sums before the next piece runs.
// With a second model both go through the same pieces, and the rows of one piece are the only copy. So the result does
// not depend on the size of the pieces, on threads or on memory limits; sums are f64, positions ascending.
//
// Probabilities are those of docs/Numerics.md ("Logprobs"): over the legal ids, from the model's own logits.
#ifndef ADZE_RUNTIME_ENGINE_TEXTSCORE_H
#define ADZE_RUNTIME_ENGINE_TEXTSCORE_H

#include "adze/Runtime/Engine/Engine.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace adze {

struct TextScoreOptions {
  int64_t window = 1024;                       // 2 up to the engines' context limit
  int64_t skip = 0;                            // 0 up to window - 2
  int64_t mostWindows = 0;                     // 0: the whole text
  std::optional<int32_t> start = std::nullopt; // put before the tokens of each window
};

/// What one model made of the text so far.
struct TextScore {
  int64_t windows = 0;     // complete ones
  int64_t tokens = 0;      // computed, start tokens included
  int64_t predictions = 0; // tokens that count
  double logProb = 0;      // sum of their natural logprobs
  double perplexity() const;
};

/// The model against the second one, the reference, at the same positions.
struct TextComparison {
  TextScore reference;
  std::vector<double> divergence; // KL(reference || model) in nats, one of each prediction
  int64_t sameBest = 0;           // predictions in which both models have the same best token, ties to the lower id

  double meanDivergence() const;
  /// The value that `share` of the predictions do not exceed: 0.5 the median, 1 the largest.
  double divergenceAt(double share) const;
};

struct TextScoreResult {
  TextScore score;
  std::optional<TextComparison> comparison;
};

/// How many windows and predictions the options cut out of `tokens` tokens.
struct TextWindows {
  int64_t windows = 0, tokens = 0, predictions = 0;
};
TextWindows countWindows(int64_t tokens, const TextScoreOptions &options);

/// Runs the windows through `model` and, where it is not null, `reference`, whose limits are those of `model`. Both
/// engines are idle and serve nobody else meanwhile. `progress` is called after each step and ends the work by
/// returning false. InvalidInput names the option or what is wrong with the text; Cancelled where progress said so;
/// Internal for a logit that is not finite; ResourceExhausted from the engine.
Expected<TextScoreResult> scoreText(Engine &model, Engine *reference, std::span<const int32_t> tokens,
                                    const TextScoreOptions &options,
                                    const std::function<bool(const TextScoreResult &)> &progress);

} // namespace adze
#endif
