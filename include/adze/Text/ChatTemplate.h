// ChatTemplate.h: a model's chat template, run without trusting it.
//
// A template is a program in the Jinja language that came with the checkpoint. parse() accepts the part of the language
// that templates use, with the settings that the reference uses (trim_blocks, lstrip_blocks, loop controls, immutable
// sandbox), and names the construct and the line of anything else. render() gives it the messages and nothing else: it
// can reach no file, no clock but the time it is given, and no memory but its own values; steps, depth and bytes have
// budgets.
//
// Strings carry the origin of every byte through all filters, slices and joins: text from the source of the template is
// Template, every string of the request is User. The result is ready for Tokenizer::encode.
//
// Immutable, cheap to copy, safe from many threads.
#ifndef ADZE_TEXT_CHATTEMPLATE_H
#define ADZE_TEXT_CHATTEMPLATE_H

#include "adze/Support/Status.h"
#include "adze/Text/TextRuns.h"

#include <cstdint>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace adze {

// Keeps the order of keys: templates print it.
using OrderedJson = nlohmann::ordered_json;

// A message as templates read it.
OrderedJson chatMessage(std::string_view role, std::string_view content);

struct ChatInput {
  // An array of objects with role and content (a string, or a list of parts where the template knows them).
  OrderedJson messages = OrderedJson::array();
  bool addGenerationPrompt = true;
  // Spelling of the model's start and end tokens; empty: the model has none.
  std::string bosToken, eosToken;
  // Further variables by name: tools, documents, enable_thinking. An object.
  OrderedJson variables = OrderedJson::object();
  // The time that strftime_now sees.
  std::tm now = {};

  void addMessage(std::string_view role, std::string_view content);
  void setNow(); // local time of this machine
};

struct RenderLimits {
  uint64_t steps = 2'000'000;                // statements and expressions evaluated
  uint32_t depth = 64;                       // nested macro calls and blocks
  uint64_t outputBytes = uint64_t(16) << 20; // text written
  uint64_t valueBytes = uint64_t(256) << 20; // text made on the way, in all
};

inline constexpr uint64_t templateSourceLimit = uint64_t(1) << 20;

class ChatTemplate {
public:
  // `name` is used in messages. InvalidInput for broken syntax, Unsupported for a construct that is not implemented;
  // both name the line.
  static Expected<ChatTemplate> parse(std::string_view source, std::string_view name = "chat template");

  // InvalidInput: the template refused the conversation (raise_exception) or misused a value. ResourceExhausted: a
  // limit.
  Expected<std::vector<TextRun>> render(const ChatInput &input, const RenderLimits &limits = {}) const;

private:
  struct Program;
  explicit ChatTemplate(std::shared_ptr<const Program> program) : program(std::move(program)) {}
  std::shared_ptr<const Program> program;
};

// The text of all runs joined.
std::string joinRuns(const std::vector<TextRun> &runs);

} // namespace adze

#endif // ADZE_TEXT_CHATTEMPLATE_H
