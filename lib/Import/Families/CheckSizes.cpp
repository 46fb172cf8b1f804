// Rules between the numbers of a configuration, checked once for every door before anything is made from them.
#include "adze/Import/Checkpoint.h"

#include <algorithm>
#include <cmath>

namespace adze::import {
namespace {

Status outOfRange(const std::string &where, const std::string &key, const std::string &found,
                  const std::string &accepted) {
  return invalidInput(where + ": '" + key + "' is " + found + "; accepted is " + accepted);
}

} // namespace

Status checkSizes(const ModelConfig &c, const SizeKeys &keys, const std::string &where) {
  struct Row {
    int64_t value, low, high;
    const std::string &key;
  };
  // Generous against every published model, small enough that no later product of two of them leaves 63 bits.
  const Row rows[] = {
      {c.layers, 1, 1024, keys.layers},
      {c.hidden, 1, 1 << 18, keys.hidden},
      {c.feedForward, 1, 1 << 20, keys.feedForward},
      {c.heads, 1, 4096, keys.heads},
      {c.kvHeads, 1, 4096, keys.kvHeads},
      {c.headDim, 2, 1024, keys.headDim},
      {c.vocabulary, 1, 1 << 22, keys.vocabulary},
      {c.context, 1, 1 << 30, keys.context},
  };
  for (const Row &row : rows)
    if (row.value < row.low || row.value > row.high)
      return outOfRange(where, row.key, std::to_string(row.value),
                        std::to_string(row.low) + " to " + std::to_string(row.high));
  if (c.heads % c.kvHeads != 0)
    return outOfRange(where, keys.heads, std::to_string(c.heads),
                      "a multiple of '" + keys.kvHeads + "', which is " + std::to_string(c.kvHeads));
  if (c.headDim % 2 != 0)
    return outOfRange(where, keys.headDim, std::to_string(c.headDim), "an even number: rotary positions turn pairs");
  if (!(c.epsilon > 0 && c.epsilon < 1))
    return outOfRange(where, keys.epsilon, std::to_string(c.epsilon), "a number above 0 and below 1");
  if (!(c.rope.base > 1 && std::isfinite(c.rope.base)))
    return outOfRange(where, keys.ropeBase, std::to_string(c.rope.base), "a number above 1");
  for (int64_t window : c.windows)
    if (window < 0 || window > 1 << 30)
      return outOfRange(where, keys.window, std::to_string(window), "1 to " + std::to_string(1 << 30));
  if (!c.rope.divisors.empty()) {
    if (int64_t(c.rope.divisors.size()) != c.headDim / 2)
      return invalidInput(where + ": the table of rotary divisors has " + std::to_string(c.rope.divisors.size()) +
                          " entries; half the head width is " + std::to_string(c.headDim / 2));
    for (float divisor : c.rope.divisors)
      if (!(divisor > 0 && std::isfinite(divisor)))
        return invalidInput(where + ": the table of rotary divisors holds " + std::to_string(divisor) +
                            "; divisors are above 0");
  }
  return Status::success();
}

Status finishGeneration(Checkpoint &checkpoint) {
  GenerationDefaults &g = checkpoint.generation;
  for (uint32_t id : checkpoint.tokenizer.endTokens)
    g.endTokens.push_back(int32_t(id));
  std::sort(g.endTokens.begin(), g.endTokens.end());
  g.endTokens.erase(std::unique(g.endTokens.begin(), g.endTokens.end()), g.endTokens.end());
  int64_t vocabulary = checkpoint.config.vocabulary;
  if (int64_t(checkpoint.tokenizer.size()) > vocabulary)
    return invalidInput(checkpoint.where + ": the tokenizer has " + std::to_string(checkpoint.tokenizer.size()) +
                        " tokens, the model only " + std::to_string(vocabulary) +
                        ". The tokenizer files belong to another model");
  for (int32_t id : g.endTokens)
    if (id < 0 || id >= vocabulary)
      return invalidInput(checkpoint.where + ": end token " + std::to_string(id) + " is outside the vocabulary of " +
                          std::to_string(vocabulary) + " tokens");
  struct Row {
    const char *name;
    bool good;
    const char *accepted;
  };
  const Row rows[] = {
      {"temperature", g.temperature > 0 && std::isfinite(g.temperature), "a number above 0"},
      {"top_k", g.topK >= 0, "0 (off) or a positive number"},
      {"top_p", g.topP > 0 && g.topP <= 1, "a number above 0, at most 1"},
      {"min_p", g.minP >= 0 && g.minP <= 1, "a number from 0 to 1"},
      {"repetition_penalty", g.repetitionPenalty > 0 && std::isfinite(g.repetitionPenalty), "a number above 0"},
  };
  for (const Row &row : rows)
    if (!row.good)
      return invalidInput(checkpoint.where + ": the model's default '" + row.name + "' is out of range; accepted is " +
                          row.accepted);
  return Status::success();
}

} // namespace adze::import
