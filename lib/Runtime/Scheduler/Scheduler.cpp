// Admission and the composition of steps.
#include "adze/Runtime/Scheduler/Scheduler.h"
#include "adze/Support/Mutant.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

using namespace adze;

int64_t Scheduler::limitOf(const RequestShape &shape) const {
  return std::max(shape.knownTokens, std::min(shape.maxTokens, limits.context));
}

int64_t Scheduler::pagesOf(const RequestShape &shape) const {
  // The last token of all is chosen but never computed, so it needs no place; a given continuation is computed whole.
  return KvSequence::pagesFor(std::max(shape.knownTokens, limitOf(shape) - 1), limits.pageTokens);
}

Status Scheduler::check(RequestShape shape) const {
  if (shape.promptTokens < 1)
    return invalidInput("the prompt holds no token; give at least one");
  int64_t given = std::max(shape.promptTokens, shape.knownTokens);
  if (given > limits.context || (given == limits.context && shape.maxTokens > given))
    return invalidInput(
        fmt::format("the prompt has {} tokens and the context limit is {} for prompt and answer together; "
                    "shorten the prompt or raise --context",
                    given, limits.context));
  if (int64_t pages = pagesOf(shape); pages > blocks.total())
    return resourceExhausted(
        fmt::format("the request may need {} tokens, which are {} KV pages of {}, and the whole KV "
                    "pool has {} pages; ask for fewer tokens (--max-tokens) or raise --kv-memory",
                    limitOf(shape), pages, limits.pageTokens, blocks.total()));
  return Status();
}

void Scheduler::submit(RequestId id, RequestShape shape) { waiting.push_back({id, shape}); }

void Scheduler::admit() {
  // Strictly in order: letting a small request overtake a large one could keep the large one out for ever.
  while (!waiting.empty() && runningCount() < limits.requests) {
    Waiting &next = waiting.front();
    Expected<KvReservation> promise = blocks.reserve(pagesOf(next.shape));
    if (!promise)
      return;
    Running &request = running[next.id];
    request.pages = KvSequence(std::move(*promise), limits.pageTokens);
    request.known = next.shape.knownTokens;
    request.limit = limitOf(next.shape);
    request.firstRow = next.shape.firstRow;
    request.lastServed = steps;
    waiting.pop_front();
  }
}

// Rows of logits that a span needs: those from firstRow on, and always that of the last known token.
int64_t Scheduler::rowsOf(const Running &request, int64_t first, int64_t count) const {
  int64_t end = first + count;
  int64_t atEnd = end == request.known ? 1 : 0;
  if (request.firstRow < 0)
    return atEnd;
  return std::max(atEnd, end - std::max(first, std::min(request.firstRow, end)));
}

std::vector<ScheduledSpan> Scheduler::planStep() {
  ++steps;
  std::vector<std::map<RequestId, Running>::iterator> order;
  for (auto it = running.begin(); it != running.end(); ++it)
    if (it->second.computed < it->second.known)
      order.push_back(it);
  if (!ADZE_MUTANT("serve-in-order-of-arrival"))
    std::sort(order.begin(), order.end(), [](auto a, auto b) {
      return std::tie(a->second.lastServed, a->first) < std::tie(b->second.lastServed, b->first);
    });
  if (int64_t(order.size()) > limits.stepTokens)
    order.resize(size_t(limits.stepTokens));

  // One token each, and room for one row each.
  std::vector<int64_t> counts(order.size(), 1);
  int64_t tokensLeft = limits.stepTokens - int64_t(order.size());
  int64_t rowsLeft = limits.logitRows - int64_t(order.size());
  // The rest in even shares; a share that its request cannot use goes to the others in the next round.
  for (bool progress = true; progress && tokensLeft > 0;) {
    progress = false;
    int64_t wanting = 0;
    auto wants = [&](size_t i) {
      const Running &request = order[i]->second;
      int64_t most = request.known - request.computed;
      if (limits.prefillChunk > 0)
        most = std::min(most, limits.prefillChunk);
      return most - counts[i];
    };
    for (size_t i = 0; i < order.size(); ++i)
      wanting += wants(i) > 0;
    int64_t share = wanting ? std::max<int64_t>(1, tokensLeft / wanting) : 0;
    for (size_t i = 0; i < order.size() && tokensLeft > 0; ++i) {
      const Running &request = order[i]->second;
      int64_t more = std::min({share, wants(i), tokensLeft});
      // Rows beyond the first come out of the rest of the step's rows.
      auto extraRows = [&](int64_t count) {
        return std::max<int64_t>(1, rowsOf(request, request.computed, count)) - 1;
      };
      int64_t before = extraRows(counts[i]);
      while (more > 0 && extraRows(counts[i] + more) - before > rowsLeft)
        --more;
      if (more <= 0)
        continue;
      rowsLeft -= extraRows(counts[i] + more) - before;
      tokensLeft -= more;
      counts[i] += more;
      progress = true;
    }
  }

  std::vector<ScheduledSpan> spans;
  for (size_t i = 0; i < order.size(); ++i) {
    auto &[id, request] = *order[i];
    request.lastServed = steps;
    request.pages.growTo(request.computed + counts[i]);
    spans.push_back({id, request.computed, counts[i], rowsOf(request, request.computed, counts[i])});
  }
  std::sort(spans.begin(), spans.end(), [](const auto &a, const auto &b) { return a.request < b.request; });
  return spans;
}

void Scheduler::advance(const ScheduledSpan &span) {
  auto found = running.find(span.request);
  if (found != running.end())
    found->second.computed = span.first + span.count;
}

void Scheduler::append(RequestId id) {
  auto found = running.find(id);
  if (found != running.end())
    ++found->second.known;
}

void Scheduler::finish(RequestId id) {
  running.erase(id);
  std::erase_if(waiting, [&](const Waiting &request) { return request.id == id; });
}
