// TextRuns.h: text that remembers who wrote it.
//
// A rendered prompt is a list of runs. Only bytes of origin Template (written by the model's chat template, or by our
// own code) can become control tokens; whatever a caller typed stays text, even where it spells a control token.
#ifndef ADZE_TEXT_TEXTRUNS_H
#define ADZE_TEXT_TEXTRUNS_H

#include <cstdint>
#include <string>

namespace adze {

enum class TextOrigin : uint8_t { Template, User };

struct TextRun {
  std::string text;
  TextOrigin origin = TextOrigin::User;
  friend bool operator==(const TextRun &, const TextRun &) = default;
};

} // namespace adze

#endif // ADZE_TEXT_TEXTRUNS_H
