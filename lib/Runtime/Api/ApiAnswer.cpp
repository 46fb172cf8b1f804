#include "ApiAnswer.h"

#include "ApiError.h"
#include "SizedStruct.h"

#include "adze/Runtime/Engine/Engine.h"

using namespace adze;
using namespace adze::api;

void OpenRequests::cancel(RequestId id) {
  std::lock_guard lock(mutex);
  if (engine && ids.count(id))
    engine->cancel(id);
}

void OpenRequests::cancelAll() {
  std::lock_guard lock(mutex);
  for (RequestId id : ids)
    engine->cancel(id);
}

void OpenRequests::close() {
  std::lock_guard lock(mutex);
  engine = nullptr;
}

// A request can end on another thread before the one that submitted it has heard its id.
void OpenRequests::add(RequestId id, const AnswerEvents &answer) {
  std::lock_guard lock(mutex);
  if (!answer.ended)
    ids.insert(id);
}

void OpenRequests::remove(RequestId id, AnswerEvents &answer) {
  std::lock_guard lock(mutex);
  answer.ended = true;
  ids.erase(id);
}

AnswerEvents::Piece AnswerEvents::piece(int32_t token, double logprob) const {
  Piece result;
  result.text = tokenizer.tokenText(uint32_t(token));
  result.logprob.token = token;
  result.logprob.logprob = logprob;
  return result;
}

void AnswerEvents::token(RequestId, const TokenEvent &event) {
  Event kept;
  kept.event.kind = ADZE_EVENT_TOKEN;
  kept.event.token = event.token;
  kept.event.position = event.position;
  kept.text = event.text;
  if (event.choice) {
    kept.logprobs = true;
    kept.chosen = piece(event.token, event.choice->logprob);
    for (const TokenLogprob &best : event.choice->top)
      kept.best.push_back(piece(best.token, best.logprob));
  }
  std::lock_guard lock(mutex);
  waiting.push_back(std::move(kept));
}

void AnswerEvents::finished(RequestId id, const AnswerEnd &answerEnd) {
  Event kept;
  AdzeEvent &event = kept.event;
  event.kind = ADZE_EVENT_END;
  switch (answerEnd.reason) {
  case FinishReason::Stop:
    event.end = ADZE_END_STOP;
    break;
  case FinishReason::Length:
    event.end = ADZE_END_LENGTH;
    break;
  case FinishReason::Cancelled:
    event.end = ADZE_END_CANCELLED;
    break;
  case FinishReason::Error:
    event.end = ADZE_END_ERROR;
    event.error_code = codeOf(answerEnd.error.code());
    kept.error = answerEnd.error.message();
    break;
  }
  kept.text = answerEnd.text;
  event.prompt_tokens = answerEnd.promptTokens;
  event.output_tokens = answerEnd.outputTokens;
  event.seconds = double(answerEnd.ended - answerEnd.submitted) * 1e-9;
  if (answerEnd.firstToken)
    event.first_seconds = double(answerEnd.firstToken - answerEnd.submitted) * 1e-9;
  {
    std::lock_guard lock(mutex);
    end = std::move(kept);
  }
  open->remove(id, *this);
}

AdzeEvent AnswerEvents::next() {
  auto view = [](const std::string &text) { return AdzeText{text.c_str(), text.size()}; };
  std::lock_guard lock(mutex);
  if (!waiting.empty()) {
    current = std::move(waiting.front());
    waiting.pop_front();
  } else if (end) {
    current = *end;
  } else {
    current = Event();
    return current.event;
  }
  // The strings lie where they stay until the next call only now.
  AdzeEvent &event = current.event;
  event.text = view(current.text);
  if (event.kind == ADZE_EVENT_END && event.end == ADZE_END_ERROR)
    event.error_message = view(current.error);
  if (current.logprobs) {
    event.chosen = current.chosen.logprob;
    event.chosen.text = view(current.chosen.text);
    for (const Piece &best : current.best) {
      current.table.push_back(best.logprob);
      current.table.back().text = view(best.text);
    }
    event.best = current.table.data();
    event.best_count = current.table.size();
  }
  return event;
}

extern "C" {

AdzeCode adze_answer_poll(AdzeAnswer *answer, AdzeEvent *event, size_t struct_size, AdzeError **error) {
  return guarded(error, [&]() -> Status {
    if (!answer || !event)
      return invalidInput("adze_answer_poll needs an answer and an event; one of them is NULL");
    constexpr SizedName kName{"AdzeEvent", 144};
    // Asked before an event is taken: a wrong size must not lose one.
    if (Status status = checkSize(struct_size, kName); !status.ok())
      return status;
    return writeStruct(answer->events->next(), event, struct_size, kName);
  });
}

void adze_answer_cancel(AdzeAnswer *answer) {
  guarded(nullptr, [&]() -> Status {
    if (answer)
      answer->open->cancel(answer->id);
    return Status();
  });
}

void adze_answer_free(AdzeAnswer *answer) {
  adze_answer_cancel(answer);
  delete answer;
}

} // extern "C"
