// --prompt, --tokens and --chat: one request, its text as it comes.
#include "AnswerRecorder.h"
#include "Session.h"
#include "Terminal.h"
#include "ValueDump.h"

using namespace adze;

int adze::runPrompt(Session &session) {
  const ToolOptions &options = session.options;
  Expected<std::vector<int32_t>> prompt = std::vector<int32_t>(options.tokens);
  if (options.prompt) {
    prompt = session.model->encodeText(*options.prompt);
  } else if (options.chat) {
    OrderedJson messages = session.startMessages();
    messages.push_back(chatMessage("user", *options.chat));
    prompt = session.model->encodeChat(messages);
  }
  if (!prompt)
    return reportError(prompt.status());

  std::unique_ptr<ValueDump> dump;
  if (options.dumpLayer) {
    Expected<std::unique_ptr<ValueDump>> made =
        ValueDump::create(session.model->manifest(), options.artifact, *options.dumpLayer);
    if (!made)
      return reportError(made.status());
    dump = std::move(*made);
    dump->watch(session.model->device());
  }

  InterruptGuard guard;
  auto answer = std::make_shared<AnswerRecorder>(session.model->tokenizer(), !options.json);
  AnswerRequest request = session.request(std::move(*prompt), options.chat.has_value());
  request.sink = answer;
  Expected<RequestId> id = session.model->engine().submit(std::move(request));
  if (!id)
    return reportError(id.status());
  bool cancelled = session.runUntilIdle(*id);
  const AnswerEnd &end = answer->end();
  writeAnswer(options.json ? writeJson(answer->json()) : "\n");
  printEnd(session, end);
  printProfile(session);
  if (end.reason == FinishReason::Error)
    return reportError(end.error);
  if (dump) {
    if (Status status = dump->write(options.dumpFile); !status.ok())
      return reportError(status);
    if (!options.quiet)
      writeNote("values of layer " + std::to_string(*options.dumpLayer) + " are in " + options.dumpFile);
  }
  return cancelled ? kInterruptedExitCode : 0;
}
