// Scheduler.h: which tokens of which requests make up the next step.
//
// It knows counts, not contents: each request has tokens that are known (the prompt, then what was chosen), of which
// the first `computed` have their K and V in the cache. A step is a list of spans of not yet computed tokens; a decode
// is a span of one, a piece of a prompt a longer one, and nothing else tells them apart.
//
// Admission: a request is let in when every page that it can ever need is promised to it (KvReservation), so it can
// always run to its end; requests enter in the order of arrival, and one that could never enter is refused by submit()
// at once. Fairness: tokens of a step go first to whoever waited longest, one each, then what is left is shared evenly
// among the prompts. So with budget n and m running requests each gets a token at least every ceil(m / n) steps, and a
// long prompt delays neither decodes nor a short prompt behind it.
//
// No clock and no device: a pure state machine. One thread at a time.
#ifndef ADZE_RUNTIME_SCHEDULER_SCHEDULER_H
#define ADZE_RUNTIME_SCHEDULER_SCHEDULER_H

#include "adze/Runtime/KvCache/KvSequence.h"
#include "adze/Support/Status.h"

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace adze {

using RequestId = uint64_t;

struct SchedulerLimits {
  int64_t stepTokens = 512; // tokens of one step, at least 1
  int64_t requests = 8;     // running at once, at least 1
  int64_t logitRows = 8;    // rows of logits of one step, at least `requests`
  int64_t context = 2048;   // tokens of one request, prompt and output together
  int64_t pageTokens = 64;  // of the artifact
  int64_t prefillChunk = 0; // longest span of one request in one step; 0: no other limit than stepTokens
};

/// What a new request may become.
struct RequestShape {
  int64_t promptTokens = 0; // at least 1
  int64_t knownTokens = 0;  // promptTokens, or more where a continuation is given (scoring)
  int64_t maxTokens = 0;    // most tokens of prompt and output together; cut to the context limit
  int64_t firstRow = -1;    // logits are wanted from this position on; -1: of the last known token only
};

/// Tokens [first, first + count) of one request, by position. The last `rows` of them want logits.
struct ScheduledSpan {
  RequestId request = 0;
  int64_t first = 0;
  int64_t count = 0;
  int64_t rows = 0;
};

class Scheduler {
public:
  Scheduler(SchedulerLimits limits, KvBlockAllocator &blocks) : limits(limits), blocks(blocks) {}

  const SchedulerLimits &sizes() const { return limits; }

  /// Whether such a request can ever run: InvalidInput for a prompt that leaves no room for an answer,
  /// ResourceExhausted for one that the whole pool could not hold; each names the limit and its option. Reads only what
  /// never changes, so any thread may ask.
  Status check(RequestShape shape) const;
  /// Queues a request that passed check().
  void submit(RequestId id, RequestShape shape);
  /// Lets waiting requests in, in order, as far as limits and pages allow.
  void admit();
  /// The next step; empty when nothing can run. Pages for its tokens have been taken.
  std::vector<ScheduledSpan> planStep();
  /// The span's tokens have been computed.
  void advance(const ScheduledSpan &span);
  /// One more token is known.
  void append(RequestId id);
  /// Ends a request, waiting or running, and gives its pages back. An unknown id is ignored.
  void finish(RequestId id);

  bool idle() const { return waiting.empty() && running.empty(); }
  int64_t runningCount() const { return int64_t(running.size()); }
  int64_t waitingCount() const { return int64_t(waiting.size()); }
  /// The pages of a running request.
  const KvSequence &sequence(RequestId id) const { return running.at(id).pages; }
  /// True when prompt and output have reached the request's limit or the context.
  bool full(RequestId id) const { return running.at(id).known >= running.at(id).limit; }

private:
  struct Waiting {
    RequestId id;
    RequestShape shape;
  };
  struct Running {
    KvSequence pages;
    int64_t known = 0;
    int64_t computed = 0;
    int64_t limit = 0;
    int64_t firstRow = -1;
    uint64_t lastServed = 0; // step number, for fairness
  };
  /// Most tokens the request can hold, and how many of them need a place in the cache.
  int64_t limitOf(const RequestShape &shape) const;
  int64_t pagesOf(const RequestShape &shape) const;
  int64_t rowsOf(const Running &request, int64_t first, int64_t count) const;

  SchedulerLimits limits;
  KvBlockAllocator &blocks;
  std::deque<Waiting> waiting;
  std::map<RequestId, Running> running; // by id
  uint64_t steps = 0;
};

} // namespace adze
#endif
