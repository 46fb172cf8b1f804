// --interactive: a conversation on standard input, one line a turn. Ctrl-C ends an answer, or the program where none
// is running; the end of the input ends it as well.
#include "AnswerRecorder.h"
#include "Session.h"
#include "Terminal.h"

#include <iostream>

using namespace adze;

namespace {
bool readLine(InputLines &input, std::string &line) {
  if (inputIsTerminal())
    std::cerr << "> " << std::flush;
  return input.next(line);
}
} // namespace

int adze::runInteractive(Session &session) {
  OrderedJson messages = session.startMessages();
  int code = 0;
  InputLines input;
  std::string line;
  while (true) {
    InterruptGuard guard; // a fresh one for each turn: Ctrl-C works once per answer
    InterruptGuard::clear();
    if (!readLine(input, line))
      break;
    if (line.empty())
      continue;
    messages.push_back(chatMessage("user", line));
    Expected<std::vector<int32_t>> prompt = session.model->encodeChat(messages);
    auto answer = std::make_shared<AnswerRecorder>(session.model->tokenizer(), true);
    auto submit = [&]() -> Expected<RequestId> {
      if (!prompt)
        return prompt.status();
      AnswerRequest request = session.request(std::move(*prompt), true);
      request.sink = answer;
      return session.model->engine().submit(std::move(request));
    };
    Expected<RequestId> id = submit();
    if (!id) {
      // The turn is taken back, so that a shorter one can be tried.
      messages.erase(messages.size() - 1);
      code = reportError(id.status());
      continue;
    }
    session.runUntilIdle(*id);
    writeAnswer("\n");
    printEnd(session, answer->end());
    if (answer->end().reason == FinishReason::Error)
      code = reportError(answer->end().error);
    messages.push_back(chatMessage("assistant", answer->text()));
  }
  if (inputIsTerminal())
    writeNote("");
  printProfile(session);
  return code;
}
