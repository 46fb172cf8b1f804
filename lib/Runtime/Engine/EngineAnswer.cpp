// From rows of logits to tokens, text and the end of an answer.
#include "EngineAnswer.h"

using namespace adze;

std::string_view adze::finishReasonName(FinishReason reason) {
  switch (reason) {
  case FinishReason::Stop:
    return "stop";
  case FinishReason::Length:
    return "length";
  case FinishReason::Cancelled:
    return "cancelled";
  case FinishReason::Error:
    return "error";
  }
  return "error";
}

void Engine::deliver(const ScheduledSpan &span, int64_t firstRow) {
  Answer &answer = *answers.at(span.request);
  int64_t end = span.first + span.count;
  for (int64_t i = 0; i < span.rows; ++i) {
    int64_t position = end - span.rows + i;
    if (answer.request.rowsFrom >= 0 && position >= answer.request.rowsFrom)
      answer.request.sink->row(span.request, position, builder->logits(firstRow + i));
  }
  if (end < answer.known())
    return;
  // The last known token has been computed. A request that is full at this point was only to be computed.
  if (scheduler.full(span.request))
    return finish(span.request, FinishReason::Length);
  choose(span.request, answer, builder->logits(firstRow + span.rows - 1));
}

void Engine::choose(RequestId id, Answer &answer, std::span<const float> logits) {
  const AnswerRequest &request = answer.request;
  Expected<TokenChoice> choice = chooser.choose(logits, answer.history, request.sampling, answer.known());
  if (!choice)
    return finish(id, FinishReason::Error, choice.status());

  TokenEvent event;
  event.position = answer.known();
  event.token = choice->token;
  event.choice = request.sampling.topLogprobs >= 0 ? &*choice : nullptr;
  answer.tokens.push_back(choice->token);
  if (request.sampling.hasPenalties())
    answer.history.addOutput(choice->token);
  scheduler.append(id);
  if (answer.outputTokens++ == 0)
    answer.firstToken = options.clock();

  bool isEnd = !request.ignoreEndTokens && endTokens.count(choice->token);
  std::string text;
  bool stopped = false;
  if (!isEnd) {
    Expected<bool> added = addText(answer, choice->token, text);
    if (!added)
      return finish(id, FinishReason::Error, added.status());
    stopped = *added;
  }
  event.text = text;
  request.sink->token(id, event);
  if (isEnd || stopped)
    finish(id, FinishReason::Stop);
  else if (scheduler.full(id))
    finish(id, FinishReason::Length);
}

Expected<bool> Engine::addText(Answer &answer, int32_t token, std::string &text) {
  if (!answer.stream)
    return false;
  Expected<std::string> piece = answer.stream->push(uint32_t(token));
  if (!piece)
    return piece.status();
  StopMatcher::Result result = answer.stops.push(*piece);
  text = std::move(result.text);
  return result.stop.has_value();
}

void Engine::finish(RequestId id, FinishReason reason, Status error) {
  auto node = answers.extract(id);
  Answer &answer = *node.mapped();
  scheduler.finish(id); // its pages are free before anybody hears of the end

  AnswerEnd end;
  end.reason = reason;
  end.error = std::move(error);
  // What is held back goes through the matcher as well: a character cut off at the end becomes U+FFFD, and text that
  // only looked like the start of a stop string is shown.
  std::string text;
  if (answer.stream) {
    StopMatcher::Result result = answer.stops.push(answer.stream->finish());
    text = result.text;
    if (!result.stop)
      text += answer.stops.finish();
  }
  end.text = text;
  end.promptTokens = answer.shape.promptTokens;
  end.outputTokens = answer.outputTokens;
  end.submitted = answer.submitted;
  end.firstToken = answer.firstToken;
  end.ended = options.clock();
  {
    std::lock_guard lock(mutex);
    --busy;
    waiting = scheduler.waitingCount();
  }
  answer.request.sink->finished(id, end);
}
