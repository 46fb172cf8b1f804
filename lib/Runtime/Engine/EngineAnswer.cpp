// From rows of logits to tokens, text and the end of an answer.
//
// Where the program chooses each row's best token, a request that wants nothing else needs no logits on the host. What
// the program cannot know (ids that the tokenizer marks unused) or say (which logit is not finite) is found by the
// host's own choice from that one row, so that a token and an error are the same whoever chose.
#include "EngineAnswer.h"
#include "adze/Support/Mutant.h"

#include <algorithm>

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
  choose(span.request, answer, firstRow + span.rows - 1);
}

bool Engine::choosesOnDevice(const Answer &answer) const {
  return builder->choosesTokens() && answer.request.sampling.takesBestToken();
}

int64_t Engine::hostRows(const Answer &answer, const ScheduledSpan &span) const {
  int64_t end = span.first + span.count, from = answer.request.rowsFrom;
  int64_t given = from < 0 ? 0 : std::clamp<int64_t>(end - from, 0, span.rows);
  bool chooses = end == answer.known() && !scheduler.full(span.request) && !choosesOnDevice(answer);
  return std::max<int64_t>(given, chooses);
}

Expected<TokenChoice> Engine::chosen(const Answer &answer, int64_t row) {
  auto byHost = [&](std::span<const float> logits) {
    return chooser.choose(logits, answer.history, answer.request.sampling, answer.known());
  };
  if (!choosesOnDevice(answer))
    return byHost(builder->logits(row));
  int32_t token = builder->chosenToken(row);
  bool unused = std::ranges::binary_search(illegal, token) && !ADZE_MUTANT("take-unused-ids-from-the-device");
  if (token >= 0 && token < legalTokens() && !unused)
    return TokenChoice{token, 0, {}};
  Expected<std::span<const float>> logits = builder->fetchLogits(row);
  return logits ? byHost(*logits) : logits.status();
}

void Engine::choose(RequestId id, Answer &answer, int64_t row) {
  const AnswerRequest &request = answer.request;
  Expected<TokenChoice> choice = chosen(answer, row);
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
