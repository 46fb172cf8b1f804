#include "Methods.h"

#include "../Utf8.h"

#include <algorithm>
#include <fmt/format.h>
#include <utf8proc.h>

using namespace adze;
using namespace adze::tmpl;

namespace {

constexpr std::string_view stringMethods[] = {
    "upper",   "lower",   "title",      "capitalize",   "strip",        "lstrip",  "rstrip",
    "split",   "rsplit",  "splitlines", "startswith",   "endswith",     "replace", "find",
    "rfind",   "index",   "count",      "join",         "isdigit",      "isalpha", "isalnum",
    "isspace", "isupper", "islower",    "removeprefix", "removesuffix", "format"};
constexpr std::string_view listMethods[] = {"index", "count"};
constexpr std::string_view dictMethods[] = {"get", "items", "keys", "values", "copy"};
constexpr std::string_view changing[] = {"append", "extend",  "insert", "remove",  "pop",       "clear",
                                         "sort",   "reverse", "update", "popitem", "setdefault"};

template <size_t N> bool among(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool inSet(std::string_view characters, uint32_t c) {
  if (characters.empty())
    return utf8::isWhiteSpace(c) || (c >= 0x1C && c <= 0x1F); // what Python calls white space
  for (size_t i = 0; i < characters.size(); i += utf8::length(characters[i]))
    if (utf8::codePoint(characters, i) == c)
      return true;
  return false;
}

} // namespace

bool tmpl::isMethod(const Value &object, std::string_view name) {
  switch (object.kind()) {
  case ValueKind::String:
    return among(stringMethods, name);
  case ValueKind::List:
    return among(listMethods, name) || among(changing, name);
  case ValueKind::Dict:
    return among(dictMethods, name) || among(changing, name);
  case ValueKind::Loop:
    return name == "cycle";
  default:
    return false;
  }
}

OriginText tmpl::stripped(Interpreter &in, const OriginText &value, std::string_view characters, bool left,
                          bool right) {
  const std::string &text = value.text();
  size_t begin = 0, end = text.size();
  in.work(text.size() * (1 + characters.size()));
  while (left && begin < end && inSet(characters, utf8::codePoint(text, begin)))
    begin += utf8::length(text[begin]);
  while (right && end > begin && inSet(characters, utf8::codePoint(text, utf8::previous(text, end))))
    end = utf8::previous(text, end);
  OriginText out;
  in.append(out, value, begin, end);
  return out;
}

OriginText tmpl::replaced(Interpreter &in, const OriginText &value, const OriginText &from, const OriginText &to,
                          int64_t count) {
  const std::string &text = value.text();
  OriginText out;
  size_t done = 0;
  in.work(text.size());
  for (size_t at = 0; count != 0 && in.ok(); --count) {
    if (from.empty()) { // before every character and at the end
      if (at > text.size())
        break;
      in.append(out, value, done, at);
      in.append(out, to);
      done = at;
      at += at < text.size() ? utf8::length(text[at]) : 1;
      in.step();
      continue;
    }
    at = text.find(from.text(), at);
    if (at == std::string::npos)
      break;
    in.step();
    in.append(out, value, done, at);
    in.append(out, to);
    done = at += from.size();
  }
  in.append(out, value, done, text.size());
  return out;
}

OriginText tmpl::cased(Interpreter &in, const OriginText &value, LetterCase kind) {
  const std::string &text = value.text();
  OriginText out;
  bool start = true;
  for (size_t i = 0; i < text.size() && in.ok();) {
    uint32_t c = utf8::codePoint(text, i);
    bool upper = kind == LetterCase::Upper || (start && kind != LetterCase::Lower);
    auto point = static_cast<utf8proc_int32_t>(c);
    std::string changed;
    if (upper && c == 0xDF) // the one common letter whose capital is two
      changed = kind == LetterCase::Upper ? "SS" : "Ss";
    else
      utf8::append(changed, static_cast<uint32_t>(!upper                      ? utf8proc_tolower(point)
                                                  : kind == LetterCase::Upper ? utf8proc_toupper(point)
                                                                              : utf8proc_totitle(point)));
    in.append(out, changed, value.origin(i));
    bool letter =
        utf8proc_tolower(point) != point || utf8proc_toupper(point) != point ||
        (utf8proc_category(point) >= UTF8PROC_CATEGORY_LU && utf8proc_category(point) <= UTF8PROC_CATEGORY_LO);
    start = kind == LetterCase::Title && !letter;
    i += utf8::length(text[i]);
  }
  in.work(text.size() * 16);
  return out;
}

namespace {

// Reads the arguments of one method call.
class StringMethod {
public:
  StringMethod(Interpreter &in, const Value &self, std::string_view name, const Arguments &arguments)
      : in(in), self(self), value(self.asText()), text(value.text()), name(name), arguments(arguments) {}

  Value call() {
    if (name == "upper" || name == "lower" || name == "title" || name == "capitalize")
      return Value::string(cased(in, value,
                                 name == "upper"   ? LetterCase::Upper
                                 : name == "lower" ? LetterCase::Lower
                                 : name == "title" ? LetterCase::Title
                                                   : LetterCase::Capital));
    if (name == "strip" || name == "lstrip" || name == "rstrip")
      return strip();
    if (name == "split" || name == "rsplit")
      return split(name == "rsplit");
    if (name == "splitlines")
      return splitLines();
    if (name == "startswith" || name == "endswith")
      return affix();
    if (name == "removeprefix" || name == "removesuffix")
      return removeAffix();
    if (name == "replace") {
      const OriginText *from = string(0, "old"), *to = string(1, "new");
      const Value *count = argument(arguments, 2, "count");
      if (!from || !to)
        return Value();
      return Value::string(replaced(in, value, *from, *to, count && count->is(ValueKind::Int) ? count->asInt() : -1));
    }
    if (name == "find" || name == "rfind" || name == "index" || name == "count")
      return find();
    if (name == "join")
      return join();
    if (name == "format")
      return format();
    return classify();
  }

private:
  const OriginText *string(size_t index, std::string_view parameter) {
    const Value *given = argument(arguments, index, parameter);
    if (given && given->is(ValueKind::String))
      return &given->asText();
    if (given && !given->is(ValueKind::Undefined))
      in.fail(fmt::format("the argument of {} is {}; it must be a string", name, given->typeName()));
    else
      in.fail(fmt::format("{} needs a string as argument {}", name, index + 1));
    return nullptr;
  }

  Value strip() {
    const Value *characters = argument(arguments, 0, "chars");
    bool given = characters && !characters->is(ValueKind::None);
    const OriginText *set = given ? string(0, "chars") : nullptr;
    if (given && !set)
      return Value();
    if (given && set->empty())
      return self;
    return Value::string(stripped(in, value, given ? set->text() : "", name != "rstrip", name != "lstrip"));
  }

  Value piece(size_t begin, size_t end) {
    OriginText out;
    in.append(out, value, begin, end);
    in.step();
    return Value::string(std::move(out));
  }

  Value split(bool fromRight) {
    const Value *separator = argument(arguments, 0, "sep"), *most = argument(arguments, 1, "maxsplit");
    int64_t limit = most && most->is(ValueKind::Int) && most->asInt() >= 0 ? most->asInt() : INT64_MAX;
    std::vector<Value> parts;
    in.work(text.size());
    if (!separator || separator->is(ValueKind::None)) {
      if (fromRight && limit != INT64_MAX) {
        in.fail("rsplit by white space with a limit is not supported", ErrorCode::Unsupported);
        return Value();
      }
      for (size_t at = 0; in.ok();) {
        while (at < text.size() && inSet("", utf8::codePoint(text, at)))
          at += utf8::length(text[at]);
        if (at == text.size())
          break;
        size_t end = at;
        if (limit-- == 0) {
          parts.push_back(piece(at, text.size()));
          break;
        }
        while (end < text.size() && !inSet("", utf8::codePoint(text, end)))
          end += utf8::length(text[end]);
        parts.push_back(piece(at, end));
        at = end;
      }
      return in.list(std::move(parts));
    }
    const OriginText *by = string(0, "sep");
    if (!by)
      return Value();
    if (by->empty()) {
      in.fail("split needs a separator that is not empty");
      return Value();
    }
    const std::string &mark = by->text();
    if (fromRight) {
      size_t end = text.size();
      while (in.ok() && limit-- > 0 && end >= mark.size()) {
        size_t at = text.rfind(mark, end - mark.size());
        if (at == std::string::npos)
          break;
        parts.push_back(piece(at + mark.size(), end));
        end = at;
      }
      parts.push_back(piece(0, end));
      std::reverse(parts.begin(), parts.end());
    } else {
      size_t begin = 0;
      for (size_t at; in.ok() && limit-- > 0 && (at = text.find(mark, begin)) != std::string::npos;
           begin = at + mark.size())
        parts.push_back(piece(begin, at));
      parts.push_back(piece(begin, text.size()));
    }
    return in.list(std::move(parts));
  }

  Value splitLines() {
    std::vector<Value> lines;
    for (size_t begin = 0; begin < text.size() && in.ok();) {
      size_t end = std::min(text.find_first_of("\n\r", begin), text.size());
      lines.push_back(piece(begin, end));
      begin = end + 1 + (end + 1 < text.size() && text[end] == '\r' && text[end + 1] == '\n');
    }
    return in.list(std::move(lines));
  }

  Value affix() {
    const Value *given = argument(arguments, 0, "prefix");
    std::vector<Value> options;
    if (given && given->is(ValueKind::List) && given->asList().tuple)
      options = given->asList().items;
    else if (given && given->is(ValueKind::String))
      options = {*given};
    else
      return in.wrongType(name, given ? *given : Value());
    for (const Value &option : options) {
      if (!option.is(ValueKind::String))
        return in.wrongType(name, option);
      in.work(option.asString().size());
      if (name == "startswith" ? text.starts_with(option.asString()) : text.ends_with(option.asString()))
        return Value::boolean(true);
    }
    return Value::boolean(false);
  }

  Value removeAffix() {
    const OriginText *affix = string(0, "prefix");
    if (!affix)
      return Value();
    if (name == "removeprefix")
      return text.starts_with(affix->text()) ? piece(affix->size(), text.size()) : self;
    return text.ends_with(affix->text()) ? piece(0, text.size() - affix->size()) : self;
  }

  Value find() {
    const OriginText *wanted = string(0, "sub");
    if (!wanted)
      return Value();
    if (arguments.positional.size() > 1) {
      in.fail(fmt::format("{} with bounds is not supported", name), ErrorCode::Unsupported);
      return Value();
    }
    in.work(text.size() + wanted->size());
    if (name == "count") {
      int64_t count = 0;
      if (wanted->empty())
        return Value::integer(static_cast<int64_t>(characterCount(text)) + 1);
      for (size_t at = 0; (at = text.find(wanted->text(), at)) != std::string::npos; at += wanted->size())
        ++count;
      return Value::integer(count);
    }
    size_t at = name == "rfind" ? text.rfind(wanted->text()) : text.find(wanted->text());
    if (at == std::string::npos) {
      if (name == "index")
        in.fail("index: the text was not found");
      return Value::integer(-1);
    }
    return Value::integer(static_cast<int64_t>(characterCount(std::string_view(text).substr(0, at))));
  }

  Value join() {
    const Value *given = argument(arguments, 0, "iterable");
    std::vector<Value> items;
    if (!given || !in.iterate(*given, items))
      return given ? Value() : in.wrongType(name, Value());
    OriginText out;
    for (size_t i = 0; i < items.size() && in.ok(); ++i) {
      if (!items[i].is(ValueKind::String))
        return in.wrongType(name, items[i]);
      if (i > 0)
        in.append(out, value);
      in.append(out, items[i].asText());
    }
    return Value::string(std::move(out));
  }

  // {} and {0} without format specifications.
  Value format() {
    OriginText out;
    size_t automatic = 0;
    for (size_t i = 0; i < text.size() && in.ok(); ++i) {
      char c = text[i];
      bool twice = i + 1 < text.size() && text[i + 1] == c;
      if ((c != '{' && c != '}') || twice) {
        in.append(out, value, i, i + 1);
        i += (c == '{' || c == '}') && twice;
        continue;
      }
      size_t close = text.find('}', i);
      std::string field = c == '{' && close != std::string::npos ? text.substr(i + 1, close - i - 1) : "!";
      const Value *given = nullptr;
      if (field.empty())
        given = argument(arguments, automatic++, "");
      else if (field.size() < 4 && std::all_of(field.begin(), field.end(), [](char d) { return d >= '0' && d <= '9'; }))
        given = argument(arguments, std::stoul(field), "");
      else if (field.find_first_of(":!.[") == std::string::npos)
        given = argument(arguments, SIZE_MAX, field);
      if (!given) {
        in.fail(fmt::format("format: the field {{{}}} is not supported or has no argument", field),
                ErrorCode::Unsupported);
        return Value();
      }
      in.append(out, in.text(*given));
      i = close;
    }
    return Value::string(std::move(out));
  }

  Value classify() {
    bool any = false, all = true;
    for (size_t i = 0; i < text.size(); i += utf8::length(text[i])) {
      auto c = static_cast<utf8proc_int32_t>(utf8::codePoint(text, i));
      utf8proc_category_t category = utf8proc_category(c);
      bool alpha = category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
      bool digit = category == UTF8PROC_CATEGORY_ND;
      bool upper = category == UTF8PROC_CATEGORY_LU, lower = category == UTF8PROC_CATEGORY_LL;
      if (name == "isdigit")
        all &= digit;
      else if (name == "isalpha")
        all &= alpha;
      else if (name == "isalnum")
        all &= alpha || digit;
      else if (name == "isspace")
        all &= inSet("", static_cast<uint32_t>(c));
      else // letters without case do not count
        all &= name == "isupper" ? !lower : !upper;
      any |= (name != "isupper" && name != "islower") || (name == "isupper" ? upper : lower);
    }
    in.work(text.size() * 8);
    return Value::boolean(any && all);
  }

  Interpreter &in;
  const Value &self;
  const OriginText &value;
  const std::string &text;
  std::string_view name;
  const Arguments &arguments;
};

Value dictMethod(Interpreter &in, const Value &self, std::string_view name, const Arguments &arguments) {
  const Dict &dict = self.asDict();
  if (!in.step(dict.entries.size() / 8))
    return Value();
  if (name == "get") {
    const Value *key = argument(arguments, 0, "key"), *fallback = argument(arguments, 1, "default");
    const Value *found = key ? dict.find(*key) : nullptr;
    return found ? *found : fallback ? *fallback : Value::none();
  }
  if (name == "copy")
    return self;
  std::vector<Value> items;
  for (const auto &[key, value] : dict.entries)
    items.push_back(name == "keys" ? key : name == "values" ? value : in.list({key, value}, true));
  return in.list(std::move(items));
}

Value listMethod(Interpreter &in, const Value &self, std::string_view name, const Arguments &arguments) {
  const Value *wanted = argument(arguments, 0, "value");
  const std::vector<Value> &items = self.asList().items;
  if (!wanted || !in.step(items.size() / 4))
    return in.wrongType(name, Value());
  if (name == "count")
    return Value::integer(std::count_if(items.begin(), items.end(), [&](const Value &v) { return equal(v, *wanted); }));
  for (size_t i = 0; i < items.size(); ++i)
    if (equal(items[i], *wanted))
      return Value::integer(static_cast<int64_t>(i));
  in.fail("index: the value is not in the list");
  return Value();
}

} // namespace

Value Interpreter::callMethod(const Value &self, std::string_view name, const Arguments &arguments) {
  if ((self.is(ValueKind::List) || self.is(ValueKind::Dict)) && among(changing, name)) {
    fail(fmt::format("\"{}\" would change {}; templates cannot change values", name, self.typeName()));
    return Value();
  }
  switch (self.kind()) {
  case ValueKind::String:
    return StringMethod(*this, self, name, arguments).call();
  case ValueKind::List:
    return listMethod(*this, self, name, arguments);
  case ValueKind::Dict:
    return dictMethod(*this, self, name, arguments);
  case ValueKind::Loop: {
    if (arguments.positional.empty())
      return wrongType(name, Value());
    return arguments.positional[self.asLoop().index % arguments.positional.size()];
  }
  default:
    return wrongType(name, self);
  }
}
