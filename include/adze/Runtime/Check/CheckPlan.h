// CheckPlan.h: the steps by which two artifacts of one model are compared.
//
// Random, and yet at the edges where kernels go wrong: steps of one token, of odd numbers of them, of some more than a
// tile of 16, 64 and 128; requests with 0, 1, page - 1, page, page + 1 and several pages of tokens behind them; prompts
// in pieces, whose middles want no logits; decodes and prompts in one step. The steps of a round build on each other:
// the KV cache is filled by the steps that are checked.
#ifndef ADZE_RUNTIME_CHECK_CHECKPLAN_H
#define ADZE_RUNTIME_CHECK_CHECKPLAN_H

#include "adze/Runtime/Scheduler/Scheduler.h"

#include <cstdint>
#include <string>
#include <vector>

namespace adze {

/// Numbers that a seed decides (splitmix64).
class CheckRandom {
public:
  explicit CheckRandom(uint64_t seed) : state(seed) {}
  /// One of least .. most, both included.
  int64_t between(int64_t least, int64_t most);

private:
  uint64_t state;
};

/// A request of a round: all its tokens, and how many of them are its prompt.
struct CheckRequest {
  std::vector<int32_t> tokens;
  int64_t promptTokens = 0;
};

/// The spans of one step; `request` counts the requests of the round, each at most once and ascending.
struct CheckStep {
  std::vector<ScheduledSpan> spans;

  int64_t tokens() const;
  int64_t rows() const;
  /// "17 tokens of 2 requests, 0+16 1+1": tokens before the step and tokens of it, for each request.
  std::string text() const;
};

struct CheckRound {
  std::vector<CheckRequest> requests;
  std::vector<CheckStep> steps;
};

struct CheckPlanOptions {
  int64_t rounds = 8;
  uint64_t seed = 0;
  std::vector<int64_t> pageTokens; ///< of both artifacts; not empty
  int64_t context = 0;             ///< of the model; no request is longer
  int64_t legalTokens = 0;         ///< ids are below three quarters of it, since control tokens lie behind
};

/// Equal options make equal plans. Rounds alternate between one request alone and a crowd of them.
std::vector<CheckRound> makeCheckPlan(const CheckPlanOptions &options);

} // namespace adze
#endif
