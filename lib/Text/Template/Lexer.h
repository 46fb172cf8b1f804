// Lexer.h: template source to tokens, with the white-space rules of trim_blocks and lstrip_blocks.
#ifndef ADZE_TEXT_TEMPLATE_LEXER_H
#define ADZE_TEXT_TEMPLATE_LEXER_H

#include "adze/Support/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace adze::tmpl {

enum class TokenType : uint8_t {
  Data,       // text outside of tags; `text` holds it
  BlockBegin, // {%
  BlockEnd,
  OutputBegin, // {{
  OutputEnd,
  Name,
  String, // `text` holds the value, escapes undone
  Integer,
  Float,
  Operator, // `text` holds it: "==", "[", ...
  End
};

struct Token {
  TokenType type;
  uint32_t line;
  std::string text;
};

// `name` and the line stand in front of a message.
Status templateError(ErrorCode code, std::string_view name, uint32_t line, std::string message);

Expected<std::vector<Token>> lexTemplate(std::string_view source, std::string_view name);

} // namespace adze::tmpl

#endif // ADZE_TEXT_TEMPLATE_LEXER_H
