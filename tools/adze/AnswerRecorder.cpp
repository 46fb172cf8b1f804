#include "AnswerRecorder.h"

#include "Terminal.h"

using namespace adze;

void AnswerRecorder::token(RequestId, const TokenEvent &event) {
  tokens.push_back(event.token);
  answerText += event.text;
  if (stream)
    writeAnswer(event.text);
  if (!event.choice)
    return;
  auto entry = [&](int32_t token, double logprob) {
    return Json{{"token", token}, {"text", tokenizer.tokenText(uint32_t(token))}, {"logprob", logprob}};
  };
  Json row = entry(event.token, event.choice->logprob);
  row["top"] = Json::array();
  for (const TokenLogprob &best : event.choice->top)
    row["top"].push_back(entry(best.token, best.logprob));
  logprobs.push_back(std::move(row));
}

void AnswerRecorder::finished(RequestId, const AnswerEnd &end) {
  answerText += end.text;
  if (stream)
    writeAnswer(end.text);
  answerEnd = end;
  answerEnd->text = {};
}

Json AnswerRecorder::json() const {
  const AnswerEnd &e = *answerEnd;
  Json result = {{"text", answerText},
                 {"tokens", tokens},
                 {"finish", finishReasonName(e.reason)},
                 {"prompt_tokens", e.promptTokens},
                 {"output_tokens", e.outputTokens},
                 {"seconds", double(e.ended - e.submitted) * 1e-9}};
  if (e.firstToken)
    result["first_token_seconds"] = double(e.firstToken - e.submitted) * 1e-9;
  if (!logprobs.empty())
    result["logprobs"] = logprobs;
  if (e.reason == FinishReason::Error)
    result["error"] = {{"code", errorCodeName(e.error.code())}, {"message", e.error.message()}};
  return result;
}
