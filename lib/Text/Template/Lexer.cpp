#include "Lexer.h"

#include "../Utf8.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

using namespace adze;
using namespace adze::tmpl;

Status tmpl::templateError(ErrorCode code, std::string_view name, uint32_t line, std::string message) {
  return Status(code, fmt::format("{}, line {}: {}", name, line, message));
}

namespace {

bool isSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isNameStart(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || static_cast<uint8_t>(c) >= 0x80;
}

class Lexer {
public:
  Lexer(std::string_view raw, std::string_view name) : name(name) {
    // One kind of line end, and none at the very end.
    for (size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] == '\r') {
        source += '\n';
        i += i + 1 < raw.size() && raw[i + 1] == '\n';
      } else {
        source += raw[i];
      }
    }
    if (source.ends_with('\n'))
      source.pop_back();
  }

  Expected<std::vector<Token>> run() {
    while (status.ok() && at < source.size())
      data();
    if (!status.ok())
      return status;
    add(TokenType::End, "");
    return std::move(tokens);
  }

private:
  void add(TokenType type, std::string text) { tokens.push_back({type, line, std::move(text)}); }
  void advance(size_t to) {
    line += static_cast<uint32_t>(
        std::count(source.begin() + static_cast<ptrdiff_t>(at), source.begin() + static_cast<ptrdiff_t>(to), '\n'));
    at = to;
  }
  void fail(std::string message) {
    if (status.ok())
      status = templateError(ErrorCode::InvalidInput, name, line, std::move(message));
  }
  bool looking(std::string_view text) const { return std::string_view(source).substr(at).starts_with(text); }

  // Text up to the next tag, then that tag.
  void data() {
    size_t tag = at;
    while ((tag = source.find('{', tag)) != std::string::npos &&
           (tag + 1 == source.size() || (source[tag + 1] != '{' && source[tag + 1] != '%' && source[tag + 1] != '#')))
      ++tag;
    bool last = tag == std::string::npos;
    std::string text = source.substr(at, last ? std::string::npos : tag - at);
    if (last) {
      emitData(std::move(text));
      advance(source.size());
      return;
    }
    char kind = source[tag + 1];
    char sign = tag + 2 < source.size() ? source[tag + 2] : ' ';
    if (sign == '-') {
      trimRight(text);
    } else if (sign != '+' && kind != '{') {
      size_t lineStart = text.rfind('\n') + 1; // npos + 1 is 0
      if ((lineStart > 0 || lineStarting) &&
          std::all_of(text.begin() + static_cast<ptrdiff_t>(lineStart), text.end(), isSpace))
        text.resize(lineStart);
    }
    emitData(std::move(text));
    advance(tag);
    advance(at + (sign == '-' || sign == '+' ? 3 : 2));
    lineStarting = false;
    if (kind == '#')
      comment();
    else
      tagBody(kind == '%');
  }

  void emitData(std::string text) {
    if (!text.empty())
      add(TokenType::Data, std::move(text));
  }

  static void trimRight(std::string &text) {
    while (!text.empty()) {
      size_t start = utf8::previous(text, text.size());
      if (!utf8::isWhiteSpace(utf8::codePoint(text, start)))
        break;
      text.resize(start);
    }
  }

  void comment() {
    size_t end = source.find("#}", at);
    if (end == std::string::npos) {
      fail("a comment is not closed by #}");
      return;
    }
    char sign = end > at ? source[end - 1] : ' ';
    advance(end + 2);
    afterTag(sign == '-', sign == '+', true);
  }

  // The white space behind a tag.
  void afterTag(bool strip, bool keep, bool block) {
    size_t begin = at, end = at;
    if (strip)
      while (end < source.size() && utf8::isWhiteSpace(utf8::codePoint(source, end)))
        end += utf8::length(source[end]);
    else if (block && !keep && end < source.size() && source[end] == '\n')
      ++end;
    advance(end);
    lineStarting = end > begin && source[end - 1] == '\n';
  }

  void tagBody(bool block) {
    add(block ? TokenType::BlockBegin : TokenType::OutputBegin, "");
    std::string open;
    std::string_view close = block ? "%}" : "}}";
    while (status.ok()) {
      while (at < source.size() && isSpace(source[at]))
        advance(at + 1);
      if (at >= source.size()) {
        fail(fmt::format("a tag is not closed by {}", close));
        return;
      }
      char c = source[at];
      bool signedClose =
          (c == '-' || (block && c == '+')) && std::string_view(source).substr(at + 1).starts_with(close);
      if (open.empty() && (signedClose || looking(close))) {
        add(block ? TokenType::BlockEnd : TokenType::OutputEnd, "");
        advance(at + (signedClose ? 3 : 2));
        afterTag(signedClose && c == '-', signedClose && c == '+', block);
        return;
      }
      if (c == '\'' || c == '"')
        string(c);
      else if (isDigit(c))
        number();
      else if (isNameStart(c))
        identifier();
      else
        op(open);
    }
  }

  void identifier() {
    size_t end = at;
    while (end < source.size() && (isNameStart(source[end]) || isDigit(source[end])))
      ++end;
    add(TokenType::Name, source.substr(at, end - at));
    advance(end);
  }

  void number() {
    size_t end = at;
    bool fraction = false;
    auto digits = [&] {
      while (end < source.size() && (isDigit(source[end]) || source[end] == '_'))
        ++end;
    };
    digits();
    if (end + 1 < source.size() && source[end] == '.' && isDigit(source[end + 1])) {
      fraction = true;
      ++end;
      digits();
    }
    if (end < source.size() && (source[end] == 'e' || source[end] == 'E')) {
      size_t after = end + 1;
      after += after < source.size() && (source[after] == '+' || source[after] == '-');
      if (after < source.size() && isDigit(source[after])) {
        fraction = true;
        end = after;
        digits();
      }
    }
    std::string text = source.substr(at, end - at);
    text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
    add(fraction ? TokenType::Float : TokenType::Integer, std::move(text));
    advance(end);
  }

  void string(char quote) {
    size_t end = at + 1;
    while (end < source.size() && source[end] != quote)
      end += source[end] == '\\' ? 2 : 1;
    if (end >= source.size()) {
      fail("a string is not closed");
      return;
    }
    add(TokenType::String, unescape(std::string_view(source).substr(at + 1, end - at - 1)));
    advance(end + 1);
  }

  // Python's escapes; an unknown one stays as it is written.
  std::string unescape(std::string_view text) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '\\' || i + 1 == text.size()) {
        out += text[i];
        continue;
      }
      char c = text[++i];
      constexpr std::string_view letters = "abfnrtv\\'\"", values = "\a\b\f\n\r\t\v\\'\"";
      if (size_t known = letters.find(c); known != std::string_view::npos) {
        out += values[known];
        continue;
      }
      if (c == '\n')
        continue;
      size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
      uint32_t value = 0;
      size_t end = i + 1;
      if (c >= '0' && c <= '7') {
        for (end = i; end < text.size() && end < i + 3 && text[end] >= '0' && text[end] <= '7'; ++end)
          value = value * 8 + static_cast<uint32_t>(text[end] - '0');
      } else if (digits == 0) {
        (out += '\\') += c;
        continue;
      } else {
        for (; end < text.size() && end < i + 1 + digits && std::isxdigit(static_cast<unsigned char>(text[end])); ++end)
          value =
              value * 16 + static_cast<uint32_t>(isDigit(text[end]) ? text[end] - '0' : (text[end] | 32) - 'a' + 10);
        if (end != i + 1 + digits || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) {
          fail(fmt::format("the escape \\{} in a string is broken", c));
          return out;
        }
      }
      utf8::append(out, value);
      i = end - 1;
    }
    return out;
  }

  void op(std::string &open) {
    std::string_view rest = std::string_view(source).substr(at);
    for (std::string_view two : {"==", "!=", ">=", "<=", "//", "**"})
      if (rest.starts_with(two)) {
        add(TokenType::Operator, std::string(two));
        advance(at + 2);
        return;
      }
    char c = rest[0];
    if (std::string_view("+-/*%~[](){}<>=.:|,").find(c) == std::string_view::npos) {
      fail(fmt::format("unexpected character '{}'", c));
      return;
    }
    if (c == '(' || c == '[' || c == '{') {
      open += c;
    } else if (c == ')' || c == ']' || c == '}') {
      char wanted = c == ')' ? '(' : c == ']' ? '[' : '{';
      if (open.empty() || open.back() != wanted) {
        fail(fmt::format("unexpected '{}'", c));
        return;
      }
      open.pop_back();
    }
    add(TokenType::Operator, std::string(1, c));
    advance(at + 1);
  }

  std::string source;
  std::string_view name;
  size_t at = 0;
  uint32_t line = 1;
  bool lineStarting = true;
  std::vector<Token> tokens;
  Status status;
};

} // namespace

Expected<std::vector<Token>> tmpl::lexTemplate(std::string_view source, std::string_view name) {
  return Lexer(source, name).run();
}
