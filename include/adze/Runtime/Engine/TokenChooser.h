// TokenChooser.h: from a row of logits to a token, by the specification in docs/Numerics.md ("Token choice").
//
// The choice is a function of (logits, history, parameters, position) alone. A chooser holds scratch memory, so that a
// step allocates nothing; two choosers give the same answer. One thread at a time.
#ifndef ADZE_RUNTIME_ENGINE_TOKENCHOOSER_H
#define ADZE_RUNTIME_ENGINE_TOKENCHOOSER_H

#include "adze/Runtime/Engine/SamplingParameters.h"
#include "adze/Support/Status.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace adze {

/// Which tokens a request has seen: what penalties read.
class TokenHistory {
public:
  struct Seen {
    bool inPrompt = false;
    int64_t outputCount = 0;
  };
  void addPrompt(int32_t token) { seen[token].inPrompt = true; }
  void addOutput(int32_t token) { ++seen[token].outputCount; }
  const std::unordered_map<int32_t, Seen> &tokens() const { return seen; }

private:
  std::unordered_map<int32_t, Seen> seen;
};

/// A token and the natural logarithm of its probability under the model's own logits: before penalties and filters.
struct TokenLogprob {
  int32_t token = 0;
  double logprob = 0;
};

struct TokenChoice {
  int32_t token = 0;
  double logprob = 0;            // of the chosen token, where asked for
  std::vector<TokenLogprob> top; // best first, ties to the lower id
};

class TokenChooser {
public:
  /// Ids from `legalTokens` up, and those of `illegal` below it, are never chosen nor reported, whatever their logits.
  /// `illegal` ascends; at least one id is legal.
  explicit TokenChooser(int64_t legalTokens, std::vector<int32_t> illegal = {})
      : legalTokens(legalTokens), illegal(std::move(illegal)) {}

  /// `logits`: one row, at least legalTokens wide. `position`: that of the token to choose, from 0 in prompt + output.
  /// `parameters` have passed checkSampling. Internal when a legal logit is not finite: there is no honest choice then,
  /// and token 0 would be a silent lie.
  Expected<TokenChoice> choose(std::span<const float> logits, const TokenHistory &history,
                               const SamplingParameters &parameters, int64_t position);

private:
  struct Candidate {
    int32_t token;
    float value;   // logit after penalties
    double weight; // probability times a constant; the best token's is 1

    /// The order of the rules: by value and not by weight, for different values may share a weight of 0.
    static bool isBetter(const Candidate &a, const Candidate &b) {
      return a.value != b.value ? a.value > b.value : a.token < b.token;
    }
    static bool hasLowerId(const Candidate &a, const Candidate &b) { return a.token < b.token; }
  };
  std::span<const float> mask(std::span<const float> logits);
  std::span<const float> penalise(std::span<const float> logits, const TokenHistory &history,
                                  const SamplingParameters &parameters);
  void keepTopK(std::span<const float> values, int64_t topK);
  void weigh(double temperature);
  void keepTopP(double topP);
  int32_t draw(double uniform) const;

  int64_t legalTokens;
  std::vector<int32_t> illegal;
  std::vector<float> masked; // a row in which illegal ids are -infinity
  std::vector<float> penalised;
  std::vector<Candidate> candidates;
};

/// log(sum(exp(logit))) in f64, ids ascending; an entry of -infinity counts as absent.
double logSumExp(std::span<const float> logits);

/// The n best of `logits`, best first, ties to the lower id, with logprobs against `logSum`; -infinity is absent.
std::vector<TokenLogprob> bestTokens(std::span<const float> logits, int64_t count, double logSum);

/// The exponential function of token choice for x <= 0: f64, no fused multiply-add, the same bits on every machine.
double choiceExp(double x);

} // namespace adze
#endif
