// Answer.h: what goes into the engine for one request and what comes out.
#ifndef ADZE_RUNTIME_ENGINE_ANSWER_H
#define ADZE_RUNTIME_ENGINE_ANSWER_H

#include "adze/Runtime/Engine/SamplingParameters.h"
#include "adze/Runtime/Engine/TokenChooser.h"
#include "adze/Runtime/Scheduler/Scheduler.h"
#include "adze/Support/Status.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adze {

enum class FinishReason {
  Stop,      // an end token or a stop string
  Length,    // max tokens or the context limit
  Cancelled, // cancel()
  Error      // this request alone failed; `error` says why
};

/// "stop", "length", "cancelled" or "error".
std::string_view finishReasonName(FinishReason reason);

/// One token of an answer. Views live during the call.
struct TokenEvent {
  int64_t position = 0; // in prompt + output, from 0
  int32_t token = 0;
  std::string_view text; // valid UTF-8 that became certain with this token; may be empty, may hold text of earlier ones
  const TokenChoice *choice = nullptr; // logprobs, where asked for
};

struct AnswerEnd {
  FinishReason reason = FinishReason::Stop;
  Status error;          // where reason is Error
  std::string_view text; // what was held back until now and belongs to the answer
  int64_t promptTokens = 0;
  int64_t outputTokens = 0;                         // an end token included
  int64_t submitted = 0, firstToken = 0, ended = 0; // nanoseconds of the engine's clock; firstToken 0: there was none
};

/// Receives one answer. Called on the thread that calls Engine::step(); may call Engine::cancel().
class AnswerSink {
public:
  virtual ~AnswerSink() = default;
  virtual void token(RequestId id, const TokenEvent &event) {}
  /// A row of logits that was asked for by `rowsFrom`: of the token at `position`, all `vocabulary` entries, before any
  /// mask. Rows come in ascending position.
  virtual void row(RequestId id, int64_t position, std::span<const float> logits) {}
  virtual void finished(RequestId id, const AnswerEnd &end) {}
};

struct AnswerRequest {
  std::vector<int32_t> prompt;       // at least one legal id
  std::vector<int32_t> continuation; // known tokens behind the prompt that count as its answer (scoring)
  int64_t maxTokens = -1;            // tokens to choose; 0: none, only compute what is given; -1: up to the context
  SamplingParameters sampling;
  std::vector<std::string> stop; // answers end before any of these; needs an engine with a tokenizer
  bool ignoreEndTokens = false;
  bool atTextStart = false; // the answer begins a text (chat) and does not continue the prompt's (completion)
  int64_t rowsFrom = -1;    // hand the rows of logits from this position on to the sink; -1: none
  std::shared_ptr<AnswerSink> sink;
};

} // namespace adze
#endif
