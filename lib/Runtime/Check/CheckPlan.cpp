// Lengths at the edges, in an order that the seed decides.
#include "adze/Runtime/Check/CheckPlan.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

using namespace adze;

int64_t CheckRandom::between(int64_t least, int64_t most) {
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return least + int64_t(z % uint64_t(most - least + 1));
}

int64_t CheckStep::tokens() const {
  int64_t sum = 0;
  for (const ScheduledSpan &span : spans)
    sum += span.count;
  return sum;
}

int64_t CheckStep::rows() const {
  int64_t sum = 0;
  for (const ScheduledSpan &span : spans)
    sum += span.rows;
  return sum;
}

std::string CheckStep::text() const {
  std::string each;
  for (const ScheduledSpan &span : spans)
    each += fmt::format(" {}+{}", span.first, span.count);
  return fmt::format("{} tokens of {} requests,{}", tokens(), spans.size(), each);
}

namespace {
struct Planner {
  const CheckPlanOptions &options;
  CheckRandom random;

  template <class T> void shuffle(std::vector<T> &list) {
    for (size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[size_t(random.between(0, int64_t(i) - 1))]);
  }

  // Lengths that a request can have and still get `more` tokens.
  std::vector<int64_t> fitting(const std::set<int64_t> &lengths, int64_t more) {
    std::vector<int64_t> list;
    for (int64_t length : lengths)
      if (length + more <= options.context)
        list.push_back(length);
    shuffle(list);
    return list;
  }

  CheckRequest request(int64_t prompt, int64_t length) {
    CheckRequest made{{}, prompt};
    const int64_t last = std::max<int64_t>(0, options.legalTokens * 3 / 4 - 1);
    for (int64_t i = 0; i < length; ++i)
      made.tokens.push_back(int32_t(random.between(0, last)));
    return made;
  }

  ScheduledSpan span(size_t number, int64_t first, int64_t count, bool rows) {
    return {RequestId(number), first, count, rows ? random.between(1, std::min<int64_t>(count, 3)) : 0};
  }

  std::set<int64_t> edges() {
    std::set<int64_t> lengths{0, 1};
    for (int64_t page : options.pageTokens)
      lengths.insert({page - 1, page, page + 1, 2 * page, 3 * page + random.between(1, page - 1)});
    return lengths;
  }

  // A prompt in one step, then a step of one token.
  CheckRound alone(int64_t prompt) {
    CheckRound round;
    round.requests.push_back(request(prompt, prompt + 1));
    round.steps.push_back({{span(0, 0, prompt, true)}});
    round.steps.push_back({{span(0, prompt, 1, true)}});
    return round;
  }

  // Histories of all lengths in two pieces each; then decodes beside pieces of prompts; then a decode of all.
  CheckRound crowd() {
    const int64_t counts[] = {1, 2, 3, 7, 16, 17, 33};
    CheckRound round;
    CheckStep head, tail, mixed, decode;
    for (int64_t history : fitting(edges(), 33 + 1)) {
      size_t number = round.requests.size();
      int64_t count = history > 0 && random.between(0, 1) ? 1 : counts[random.between(0, 6)];
      // One token behind the history is a decode where the prompt has ended, else the prompt's last.
      int64_t prompt = history > 0 && count == 1 ? history : history + count;
      round.requests.push_back(request(prompt, history + count + 1));
      int64_t cut = random.between(0, history);
      if (cut > 0)
        head.spans.push_back(span(number, 0, cut, cut == prompt));
      if (cut < history)
        tail.spans.push_back(span(number, cut, history - cut, history == prompt));
      mixed.spans.push_back(span(number, history, count, true));
      decode.spans.push_back(span(number, history + count, 1, true));
    }
    for (CheckStep *step : {&head, &tail, &mixed, &decode})
      if (!step->spans.empty())
        round.steps.push_back(std::move(*step));
    return round;
  }
};
} // namespace

std::vector<CheckRound> adze::makeCheckPlan(const CheckPlanOptions &options) {
  Planner planner{options, CheckRandom(options.seed)};
  std::set<int64_t> lengths = planner.edges();
  lengths.erase(0);
  lengths.insert({17, 65, 130, 2 * planner.random.between(8, 90) + 1});
  std::vector<int64_t> prompts;
  std::vector<CheckRound> rounds;
  for (int64_t i = 0; i < options.rounds; ++i) {
    if (i % 2 == 1) {
      rounds.push_back(planner.crowd());
      continue;
    }
    // Four prompts one after the other, until each length has had its turn.
    CheckRound round;
    for (int64_t n = 0; n < 4; ++n) {
      if (prompts.empty())
        prompts = planner.fitting(lengths, 1);
      if (prompts.empty())
        break;
      CheckRound next = planner.alone(prompts.back());
      prompts.pop_back();
      for (CheckStep &step : next.steps) {
        step.spans[0].request = RequestId(round.requests.size());
        round.steps.push_back(std::move(step));
      }
      round.requests.push_back(std::move(next.requests[0]));
    }
    rounds.push_back(std::move(round));
  }
  return rounds;
}
