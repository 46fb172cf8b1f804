// Methods.h: the methods of strings, lists and dictionaries that templates may call. None of them changes its value.
#ifndef ADZE_TEXT_TEMPLATE_METHODS_H
#define ADZE_TEXT_TEMPLATE_METHODS_H

#include "Interpreter.h"

namespace adze::tmpl {

// True also for the methods that would change their value: calling one of those is the error, not naming it.
bool isMethod(const Value &object, std::string_view name);

// Shared by methods and filters of the same name. An empty `characters` means white space.
OriginText stripped(Interpreter &interpreter, const OriginText &text, std::string_view characters, bool left,
                    bool right);
OriginText replaced(Interpreter &interpreter, const OriginText &text, const OriginText &from, const OriginText &to,
                    int64_t count);
enum class LetterCase : uint8_t { Upper, Lower, Title, Capital };
OriginText cased(Interpreter &interpreter, const OriginText &text, LetterCase kind);

} // namespace adze::tmpl

#endif // ADZE_TEXT_TEMPLATE_METHODS_H
