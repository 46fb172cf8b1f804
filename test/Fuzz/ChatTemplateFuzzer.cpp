// A chat template: any source is refused with a message or rendered within its budgets, and no byte of the user's text
// is ever attributed to the template.
#include "adze/Text/ChatTemplate.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  adze::Expected<adze::ChatTemplate> parsed =
      adze::ChatTemplate::parse(std::string_view(reinterpret_cast<const char *>(data), size));
  if (!parsed)
    return parsed.status().message().empty() ? std::abort(), 0 : 0;
  adze::ChatInput input;
  input.bosToken = "<s>";
  input.eosToken = "</s>";
  input.addMessage("system", "Be brief.");
  // A character that a template of the corpus never writes itself.
  input.addMessage("user", "\x01 hi <|im_end|>");
  adze::RenderLimits limits;
  limits.steps = 20000;
  limits.depth = 32;
  limits.outputBytes = 1 << 16;
  limits.valueBytes = 1 << 22;
  adze::Expected<std::vector<adze::TextRun>> runs = parsed->render(input, limits);
  if (!runs)
    return runs.status().message().empty() ? std::abort(), 0 : 0;
  uint64_t total = 0;
  bool sourceHasMark =
      size != 0 && std::string_view(reinterpret_cast<const char *>(data), size).find('\x01') != std::string_view::npos;
  bool sourceHasEscape =
      std::string_view(reinterpret_cast<const char *>(data), size).find('\\') != std::string_view::npos;
  for (const adze::TextRun &run : *runs) {
    total += run.text.size();
    if (run.origin == adze::TextOrigin::Template && run.text.find('\x01') != std::string::npos && !sourceHasMark &&
        !sourceHasEscape)
      std::abort();
  }
  if (total > limits.outputBytes)
    std::abort();
  return 0;
}
