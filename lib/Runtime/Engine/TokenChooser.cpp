// Token choice, step by step as docs/Numerics.md states it: mask, finite, penalties, greedy or temperature, top-k,
// top-p, min-p, draw.
//
// The order of every sum is part of the specification (candidates by ascending id), so nothing here depends on how a
// selection algorithm happened to leave its array. Selecting avoids sorting the vocabulary: a top-k or top-p prefix is
// found by partial selection, and only the prefix is ordered.
#include "adze/Runtime/Engine/TokenChooser.h"

#include "adze/Runtime/Engine/Philox.h"
#include "adze/Support/Mutant.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <limits>

// Contracting a * b + c into one rounding would make the result depend on the machine that the runtime was built for.
#pragma STDC FP_CONTRACT OFF

using namespace adze;

// What an illegal id's logit is replaced by: legal logits are finite, so nothing else has this value.
static constexpr float kAbsent = -std::numeric_limits<float>::infinity();

double adze::choiceExp(double x) {
  if (!(x > -708.0)) // 2^-1022 and below count as nothing
    return 0.0;
  // x = k ln 2 + r with |r| <= ln 2 / 2. Adding and subtracting 1.5 * 2^52 rounds to the nearest integer, ties to even.
  constexpr double kShift = 0x1.8p52, kLog2E = 0x1.71547652b82fep0;
  constexpr double kLn2High = 0x1.62e42fefa3800p-1, kLn2Low = 0x1.ef35793c76730p-45;
  double k = x * kLog2E + kShift - kShift;
  double r = (x - k * kLn2High) - k * kLn2Low;
  constexpr double kInverseFactorial[] = {1.0 / 6227020800.0,
                                          1.0 / 479001600.0,
                                          1.0 / 39916800.0,
                                          1.0 / 3628800.0,
                                          1.0 / 362880.0,
                                          1.0 / 40320.0,
                                          1.0 / 5040.0,
                                          1.0 / 720.0,
                                          1.0 / 120.0,
                                          1.0 / 24.0,
                                          1.0 / 6.0,
                                          1.0 / 2.0,
                                          1.0,
                                          1.0};
  double sum = kInverseFactorial[0];
  for (int i = 1; i < 14; ++i)
    sum = sum * r + kInverseFactorial[i];
  return sum * std::bit_cast<double>(uint64_t(int64_t(k) + 1023) << 52);
}

double adze::logSumExp(std::span<const float> logits) {
  float best = kAbsent;
  for (float value : logits)
    best = std::max(best, value);
  double sum = 0;
  for (float value : logits)
    sum += choiceExp(double(value) - double(best));
  return double(best) + std::log(sum);
}

std::vector<TokenLogprob> adze::bestTokens(std::span<const float> logits, int64_t count, double logSum) {
  std::vector<int32_t> ids;
  ids.reserve(logits.size());
  for (size_t i = 0; i < logits.size(); ++i)
    if (logits[i] != kAbsent)
      ids.push_back(int32_t(i));
  auto before = [&](int32_t a, int32_t b) { return logits[a] != logits[b] ? logits[a] > logits[b] : a < b; };
  size_t kept = std::min<size_t>(size_t(count), ids.size());
  std::partial_sort(ids.begin(), ids.begin() + kept, ids.end(), before);
  std::vector<TokenLogprob> result;
  for (size_t i = 0; i < kept; ++i)
    result.push_back({ids[i], double(logits[ids[i]]) - logSum});
  return result;
}

std::span<const float> TokenChooser::mask(std::span<const float> logits) {
  std::span<const float> row = logits.first(size_t(legalTokens));
  if (ADZE_MUTANT("show-unused-ids") || illegal.empty())
    return row;
  masked.assign(row.begin(), row.end());
  for (int32_t token : illegal)
    masked[size_t(token)] = kAbsent;
  return masked;
}

std::span<const float> TokenChooser::penalise(std::span<const float> logits, const TokenHistory &history,
                                              const SamplingParameters &p) {
  if (!p.hasPenalties() || history.tokens().empty())
    return logits;
  penalised.assign(logits.begin(), logits.end());
  for (const auto &[token, seen] : history.tokens()) {
    if (token < 0 || token >= legalTokens || penalised[size_t(token)] == kAbsent)
      continue;
    double value = penalised[token];
    value = value > 0 ? value / p.repetitionPenalty : value * p.repetitionPenalty;
    if (seen.outputCount > 0)
      value -= p.presencePenalty + p.frequencyPenalty * double(seen.outputCount);
    // A penalty may push a huge logit past f32; it stays the largest or smallest number instead of an infinity.
    constexpr double kMax = std::numeric_limits<float>::max();
    penalised[token] = float(std::clamp(value, -kMax, kMax));
  }
  return penalised;
}

void TokenChooser::keepTopK(std::span<const float> values, int64_t topK) {
  candidates.clear();
  // A few are kept in a heap, the one that comes last on top, while the row is read once. Ids ascend, so that a new one
  // is before the last only where it is larger.
  constexpr int64_t kMostInHeap = 1024;
  if (topK > 0 && topK <= kMostInHeap) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (int64_t(candidates.size()) == topK) {
        if (!(values[i] > candidates.front().value))
          continue;
        std::pop_heap(candidates.begin(), candidates.end(), Candidate::isBetter);
        candidates.pop_back();
      } else if (values[i] == kAbsent) {
        continue;
      }
      candidates.push_back({int32_t(i), values[i], 0});
      std::push_heap(candidates.begin(), candidates.end(), Candidate::isBetter);
    }
    std::sort(candidates.begin(), candidates.end(), Candidate::hasLowerId);
    return;
  }
  candidates.reserve(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] != kAbsent)
      candidates.push_back({int32_t(i), values[i], 0});
  if (topK == 0 || topK >= int64_t(candidates.size()))
    return;
  std::nth_element(candidates.begin(), candidates.begin() + (topK - 1), candidates.end(), Candidate::isBetter);
  candidates.resize(size_t(topK));
  std::sort(candidates.begin(), candidates.end(), Candidate::hasLowerId);
}

void TokenChooser::weigh(double temperature) {
  float best = candidates.front().value;
  for (const Candidate &candidate : candidates)
    best = std::max(best, candidate.value);
  for (Candidate &candidate : candidates)
    candidate.weight = choiceExp((double(candidate.value) - double(best)) / temperature);
}

void TokenChooser::keepTopP(double topP) {
  if (topP >= 1)
    return;
  double total = 0;
  for (const Candidate &candidate : candidates)
    total += candidate.weight;
  double sum = 0;
  size_t kept = 0, ordered = 0, run = 64;
  for (bool reached = false; !reached && kept < candidates.size();) {
    if (kept == ordered) {
      ordered = std::min(ordered + run, candidates.size());
      run *= 4;
      std::partial_sort(candidates.begin() + kept, candidates.begin() + ordered, candidates.end(), Candidate::isBetter);
    }
    sum += candidates[kept++].weight;
    reached = sum >= topP * total;
  }
  candidates.resize(kept);
  std::sort(candidates.begin(), candidates.end(), Candidate::hasLowerId);
}

int32_t TokenChooser::draw(double uniform) const {
  double total = 0;
  for (const Candidate &candidate : candidates)
    total += candidate.weight;
  double target = uniform * total, sum = 0;
  int32_t last = candidates.front().token;
  for (const Candidate &candidate : candidates) {
    if (candidate.weight == 0)
      continue;
    last = candidate.token;
    sum += candidate.weight;
    if (sum > target)
      break;
  }
  return last;
}

Expected<TokenChoice> TokenChooser::choose(std::span<const float> logits, const TokenHistory &history,
                                           const SamplingParameters &p, int64_t position) {
  std::span<const float> legal = mask(logits);
  for (size_t i = 0; i < legal.size(); ++i) {
    if (std::isfinite(legal[i]) || (legal[i] == kAbsent && std::ranges::binary_search(illegal, int32_t(i))))
      continue;
    return internalError(
        fmt::format("the logit of token {} for position {} is {}: the model's numbers left the range of "
                    "their type, so this request ends here; compile with --numerics=f32 or bf16",
                    i, position, legal[i]));
  }
  TokenChoice choice;
  std::span<const float> values = penalise(legal, history, p);
  if (p.mode == ChoiceMode::Greedy) {
    choice.token = int32_t(std::max_element(values.begin(), values.end()) - values.begin());
  } else {
    keepTopK(values, p.topK);
    weigh(p.temperature);
    keepTopP(p.topP);
    if (p.minP > 0)
      std::erase_if(candidates, [&](const Candidate &candidate) { return candidate.weight < p.minP; });
    choice.token = draw(uniformAt(p.seed, ADZE_MUTANT("draw-by-seed-alone") ? 0 : uint64_t(position)));
  }
  if (p.topLogprobs >= 0) {
    double logSum = logSumExp(legal);
    choice.logprob = double(legal[choice.token]) - logSum;
    choice.top = bestTokens(legal, p.topLogprobs, logSum);
  }
  return choice;
}
