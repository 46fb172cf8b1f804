#include "adze/Text/ChatTemplate.h"

#include "Interpreter.h"
#include "Parser.h"

#include "../Utf8.h"

#include <fmt/format.h>

using namespace adze;
using namespace adze::tmpl;

struct ChatTemplate::Program {
  std::string name;
  Body body;
};

OrderedJson adze::chatMessage(std::string_view role, std::string_view content) {
  return {{"role", std::string(role)}, {"content", std::string(content)}};
}

void ChatInput::addMessage(std::string_view role, std::string_view content) {
  messages.push_back(chatMessage(role, content));
}

void ChatInput::setNow() {
  std::time_t seconds = std::time(nullptr);
  localtime_r(&seconds, &now);
}

std::string adze::joinRuns(const std::vector<TextRun> &runs) {
  std::string out;
  for (const TextRun &run : runs)
    out += run.text;
  return out;
}

Expected<ChatTemplate> ChatTemplate::parse(std::string_view source, std::string_view name) {
  if (source.size() > templateSourceLimit)
    return resourceExhausted(fmt::format("{}: the template has {} bytes; at most {} are accepted", name, source.size(),
                                         templateSourceLimit));
  if (!utf8::valid(source))
    return invalidInput(fmt::format("{}: the template is not UTF-8", name));
  Expected<std::vector<Token>> tokens = lexTemplate(source, name);
  if (!tokens)
    return tokens.takeStatus();
  Expected<Body> body = Parser(std::move(*tokens), name).parse();
  if (!body)
    return body.takeStatus();
  auto program = std::make_shared<Program>();
  program->name = name;
  program->body = std::move(*body);
  return ChatTemplate(std::move(program));
}

Expected<std::vector<TextRun>> ChatTemplate::render(const ChatInput &input, const RenderLimits &limits) const {
  Interpreter interpreter(program->name, limits, input.now);
  Scope &globals = interpreter.globals();
  globals.set("messages", interpreter.fromJson(input.messages, TextOrigin::User));
  globals.set("add_generation_prompt", Value::boolean(input.addGenerationPrompt));
  if (!input.bosToken.empty())
    globals.set("bos_token", Value::string(input.bosToken));
  if (!input.eosToken.empty())
    globals.set("eos_token", Value::string(input.eosToken));
  // Defined and none, not undefined, where the caller has nothing to say: what templates expect.
  globals.set("tools", Value::none());
  globals.set("documents", Value::none());
  if (input.variables.is_object())
    for (const auto &[key, value] : input.variables.items())
      globals.set(key, interpreter.fromJson(value, TextOrigin::User));
  OriginText out;
  if (Status status = interpreter.run(program->body, out); !status.ok())
    return status;
  std::vector<TextRun> runs;
  out.appendRuns(runs);
  return runs;
}
