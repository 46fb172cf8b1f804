// AnswerRecorder.h: a sink that keeps an answer and, where asked, writes it while it comes.
#ifndef ADZE_TOOLS_ADZE_ANSWERRECORDER_H
#define ADZE_TOOLS_ADZE_ANSWERRECORDER_H

#include "adze/Runtime/Engine/Answer.h"
#include "adze/Support/Json.h"
#include "adze/Text/Tokenizer.h"

#include <optional>

namespace adze {

class AnswerRecorder : public AnswerSink {
public:
  /// `stream`: write text to standard output as it becomes certain.
  AnswerRecorder(const Tokenizer &tokenizer, bool stream) : tokenizer(tokenizer), stream(stream) {}

  void token(RequestId id, const TokenEvent &event) override;
  void finished(RequestId id, const AnswerEnd &end) override;

  const std::string &text() const { return answerText; }
  bool ended() const { return answerEnd.has_value(); }
  const AnswerEnd &end() const { return *answerEnd; }
  /// text, tokens, finish, counts, times, logprobs where asked for, error where there was one.
  Json json() const;

private:
  const Tokenizer &tokenizer;
  bool stream;
  std::string answerText;
  std::vector<int32_t> tokens;
  Json logprobs = Json::array();
  std::optional<AnswerEnd> answerEnd; // its text view is empty
};

} // namespace adze
#endif
