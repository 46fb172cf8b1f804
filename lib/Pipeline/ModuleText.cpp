// ModuleText.cpp: one pass over the characters with a stack of open brackets.
#include "adze/Pipeline/ModuleText.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace adze {

namespace {

bool startsName(char c) { return isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool inName(char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.'; }

class ModuleTextCheck {
public:
  ModuleTextCheck(std::string_view text, const std::string &file, const ModuleTextLimits &limits)
      : text(text), file(file), limits(limits) {}

  Status run() {
    if (text.size() > limits.bytes)
      return invalidInput(file + ": the module has " + std::to_string(text.size()) + " bytes; up to " +
                          std::to_string(limits.bytes) + " are accepted");
    // Bytecode starts with these bytes, and a text never does.
    if (text.starts_with("ML\xefR"))
      return invalidInput(file + ": MLIR bytecode; the text of a module is accepted, as --compile-to writes it");
    std::string_view before[2]; // the two tokens before this one
    while (at < text.size()) {
      size_t begin = at;
      if (Status status = token(); !status.ok())
        return status;
      std::string_view read = text.substr(begin, at - begin);
      if (isspace(static_cast<unsigned char>(read[0])) || read[0] == '\0' || read.starts_with("//"))
        continue;
      if (before[0] == "array" && before[1] == "<" && read == "index")
        return invalidInput(file + ":" + std::to_string(line) +
                            ": array<index: ...>, which MLIR's parser does not survive; write array<i64: ...>");
      before[0] = std::exchange(before[1], read);
    }
    return Status::success();
  }

private:
  struct Alias {
    int depth = 0;
    uint64_t words = 0;
  };

  Status token() {
    char c = text[at], next = at + 1 < text.size() ? text[at + 1] : '\0';
    switch (c) {
    case '\n':
      ++line;
      newLine = true;
      ++at;
      return Status::success();
    case ' ':
    case '\t':
    case '\r':
      ++at;
      return Status::success();
    case '/':
      if (next == '/')
        at = std::min(text.find('\n', at), text.size());
      else
        ++at;
      return Status::success();
    case '"':
      return string();
    case '(':
    case '[':
    case '{':
    case '<':
      if (c == '<' && next == '=') // a comparison of an integer set
        return separator(2);
      return open(c);
    case ')':
    case ']':
    case '}':
    case '>':
      if (c == '>' && next == '=')
        return separator(2);
      if (!brackets.empty() && brackets.back() == c)
        brackets.pop_back();
      return separator(1);
    case '-':
      if (next == '>')
        return separator(2);
      [[fallthrough]];
    case '+':
    case '*':
      ++at;
      newLine = false;
      if (++operators > limits.operators)
        return refuse("an expression with more than " + std::to_string(limits.operators) + " operators");
      return Status::success();
    case '#':
    case '!':
      return alias();
    case ',':
    case ':':
    case '=':
      return separator(1);
    default:
      break;
    }
    if (startsName(c) || c == '%' || c == '@' || c == '^') {
      endAlias();
      size_t begin = at++;
      while (at < text.size() && (inName(text[at]) || text[at] == '#'))
        ++at;
      // Operators that are words.
      std::string_view word = text.substr(begin, at - begin);
      if ((word == "mod" || word == "floordiv" || word == "ceildiv") && ++operators > limits.operators)
        return refuse("an expression with more than " + std::to_string(limits.operators) + " operators");
    } else {
      ++at;
    }
    return count(1);
  }

  Status string() {
    endAlias();
    for (++at; at < text.size() && text[at] != '"'; ++at) {
      if (text[at] == '\\')
        ++at;
      if (at < text.size() && text[at] == '\n')
        ++line;
    }
    at = std::min(at + 1, text.size());
    return count(1);
  }

  Status open(char bracket) {
    brackets.push_back(bracket == '(' ? ')' : bracket == '[' ? ']' : bracket == '{' ? '}' : '>');
    if (int(brackets.size()) > limits.nesting)
      return tooDeep();
    if (current)
      current->depth = std::max(current->depth, int(brackets.size()));
    return separator(1);
  }

  Status separator(size_t length) {
    last = text[at];
    at += length;
    operators = 0;
    newLine = false;
    return Status::success();
  }

  // `#name` or `!name`: a definition where `=` follows outside all brackets, else a use.
  Status alias() {
    size_t begin = at++;
    while (at < text.size() && inName(text[at]))
      ++at;
    std::string name(text.substr(begin, at - begin));
    size_t after = text.find_first_not_of(" \t\r\n", at);
    if (brackets.empty() && after != std::string_view::npos && text[after] == '=' && text.substr(after, 2) != "==") {
      current = &aliases[name];
      *current = Alias();
      newLine = false;
      return Status::success();
    }
    endAlias();
    auto found = aliases.find(name);
    if (found == aliases.end())
      return count(1);
    Alias used = found->second;
    if (int(brackets.size()) + used.depth > limits.nesting)
      return tooDeep();
    if (current)
      current->depth = std::max(current->depth, int(brackets.size()) + used.depth + 1);
    return count(used.words + 1);
  }

  // A word at the start of a line outside all brackets begins something else, unless what was before (`->` ends as `-`)
  // asks for more.
  void endAlias() {
    if (newLine && brackets.empty() && last != '=' && last != ':' && last != '-')
      current = nullptr;
    newLine = false;
    last = '\0';
  }

  Status count(uint64_t words) {
    newLine = false;
    last = '\0';
    if (!current)
      return Status::success();
    current->words += words;
    if (current->words > limits.expanded)
      return refuse("an alias that stands for more than " + std::to_string(limits.expanded) + " words");
    return Status::success();
  }

  Status tooDeep() { return refuse("nesting deeper than " + std::to_string(limits.nesting)); }

  Status refuse(const std::string &what) {
    return invalidInput(file + ":" + std::to_string(line) + ": " + what +
                        ", which is the limit for a module to start from; write the module in smaller steps");
  }

  std::string_view text;
  const std::string &file;
  const ModuleTextLimits &limits;
  size_t at = 0, line = 1;
  bool newLine = true; // nothing but space since the last line end
  char last = '\0';    // the separator before this place, if nothing came between
  int operators = 0;
  std::vector<char> brackets; // what closes them
  std::unordered_map<std::string, Alias> aliases;
  Alias *current = nullptr; // the definition that this place is in; nodes of the map do not move
};

} // namespace

Status checkModuleText(std::string_view text, const std::string &file, const ModuleTextLimits &limits) {
  return ModuleTextCheck(text, file, limits).run();
}

} // namespace adze
