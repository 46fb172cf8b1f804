// Engine.h: one loop that answers many requests with one model.
//
// step() composes a step from whatever the running requests need (pieces of prompts, single tokens), runs it on the
// device, chooses the next tokens and hands out text. A request's answer is a function of the request alone: never of
// its neighbours, the size of pieces, the pages it got or the number of threads (docs/Numerics.md).
//
// Everything has an end: the queue has a length, a request that could never run is refused by submit(), and an error
// inside a step ends the requests of that step, not the engine. A device that takes no more work (Device::fault) ends
// every request and the engine: from then on submit() says why. All memory is taken by create(), as evaluateMemory
// says.
//
// Threads: submit(), cancel() and idle() from any thread; step() from one thread at a time, which also calls the sinks.
#ifndef ADZE_RUNTIME_ENGINE_ENGINE_H
#define ADZE_RUNTIME_ENGINE_ENGINE_H

#include "adze/Runtime/Artifact/Artifact.h"
#include "adze/Runtime/Device/Device.h"
#include "adze/Runtime/Engine/Answer.h"
#include "adze/Runtime/Engine/EngineLimits.h"
#include "adze/Runtime/Engine/StepBuilder.h"
#include "adze/Text/Tokenizer.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace adze {

struct EngineOptions {
  EngineLimits limits;
  HandOut handOut = HandOut::Forward; // results do not depend on it
  bool poison = false;                // fill memory with NaN first: for tests
  std::function<int64_t()> clock;     // nanoseconds; empty: the steady clock
};

/// Sums over all steps so far; kernels' costs are linear in them.
struct WorkSums {
  int64_t steps = 0, nanoseconds = 0;
  double tokens = 0, requests = 0, rows = 0, kvLengths = 0, visiblePairs = 0;
};

class Engine {
public:
  /// Without a tokenizer requests get token ids without text, and stop strings are refused. The device outlives the
  /// engine.
  static Expected<std::unique_ptr<Engine>> create(std::shared_ptr<const Artifact> artifact, Device &device,
                                                  std::optional<Tokenizer> tokenizer, EngineOptions options);
  /// Requests that have not ended get no further call.
  ~Engine();

  /// Checks the request and queues it. InvalidInput names the field, what was found and what is accepted;
  /// ResourceExhausted names the limit (pool or queue); Internal: the device is lost. After an ok result the sink's
  /// finished() is called exactly once.
  Expected<RequestId> submit(AnswerRequest request);
  /// Ends the request before the next step; unknown and ended ids are ignored.
  void cancel(RequestId id);

  /// Runs one step. False when nothing is left to do.
  bool step();
  void runUntilIdle() {
    while (step()) {
    }
  }
  bool idle() const;

  const EngineLimits &limits() const { return options.limits; }
  const KvBlockAllocator &blocks() const { return allocator; }
  const WorkSums &work() const { return sums; }
  /// Ids below this one may be chosen and given, but for the illegal ones among them (ascending).
  int64_t legalTokens() const { return artifact->manifest().model.legalTokens; }
  std::span<const int32_t> illegalTokens() const { return illegal; }

private:
  struct Answer;
  Engine(std::shared_ptr<const Artifact> artifact, Device &device, std::optional<Tokenizer> tokenizer,
         EngineOptions options, std::unique_ptr<StepBuilder> builder, std::vector<int32_t> illegal);

  Status check(const AnswerRequest &request) const;
  Status checkTokens(const std::vector<int32_t> &tokens, const char *name) const;
  void takeSubmissions();
  void takeCancellations();
  void addToSums(std::span<const ScheduledSpan> spans, int64_t nanoseconds);
  /// Hands out a span's rows of logits, of which the first is row `firstRow` of the step, and chooses the next token.
  void deliver(const ScheduledSpan &span, int64_t firstRow);
  void choose(RequestId id, Answer &answer, int64_t row);
  /// Of a span's rows, the last ones, whose logits the host reads: those to hand out, and that of a token which the
  /// program does not choose.
  int64_t hostRows(const Answer &answer, const ScheduledSpan &span) const;
  bool choosesOnDevice(const Answer &answer) const;
  Expected<TokenChoice> chosen(const Answer &answer, int64_t row);
  /// Gives the token to the answer's text; true when a stop string ended it.
  Expected<bool> addText(Answer &answer, int32_t token, std::string &text);
  void finish(RequestId id, FinishReason reason, Status error = Status());
  /// Ends every request with the fault of the device, and refuses those to come.
  void stop(const Status &fault);

  std::shared_ptr<const Artifact> artifact;
  Device &device;
  std::optional<Tokenizer> tokenizer;
  EngineOptions options;
  std::unique_ptr<StepBuilder> builder;
  KvBlockAllocator allocator;
  Scheduler scheduler;
  std::vector<int32_t> illegal; // ids below legalTokens that are padding of the table
  TokenChooser chooser;
  std::set<int32_t> endTokens;
  std::map<RequestId, std::unique_ptr<Answer>> answers; // waiting in the scheduler or running
  WorkSums sums;

  mutable std::mutex mutex; // guards what follows
  Status stopped;           // the fault of the device, once it has one
  std::map<RequestId, std::unique_ptr<Answer>> inbox;
  std::set<RequestId> cancelled;
  RequestId nextId = 1;
  int64_t waiting = 0; // requests in the scheduler's queue
  int64_t busy = 0;    // requests in `answers`
};

} // namespace adze
#endif
