// Filters of single values: text, numbers, JSON.
#include "Filters.h"
#include "Methods.h"

#include "../Utf8.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

using namespace adze;
using namespace adze::tmpl;

bool tmpl::flagArgument(const Arguments &arguments, size_t index, std::string_view name, bool absent) {
  const Value *given = argument(arguments, index, name);
  return given ? given->truth() : absent;
}

namespace {

// Runs a method of strings on str(value).
template <char const *const &method> Value asMethod(Interpreter &in, const Value &value, const Arguments &arguments) {
  OriginText text = in.text(value);
  return in.ok() ? in.callMethod(Value::string(std::move(text)), method, arguments) : Value();
}
constexpr const char *upperName = "upper", *lowerName = "lower", *capitalName = "capitalize", *stripName = "strip",
                     *replaceName = "replace";

Value defaultFilter(Interpreter &, const Value &value, const Arguments &arguments) {
  bool missing = value.is(ValueKind::Undefined) || (flagArgument(arguments, 1, "boolean", false) && !value.truth());
  const Value *fallback = argument(arguments, 0, "default_value");
  return !missing ? value : fallback ? *fallback : Value::string("");
}

Value stringFilter(Interpreter &in, const Value &value, const Arguments &) { return Value::string(in.text(value)); }

// A capital behind white space, hyphens and opening brackets; everything else small.
Value titleFilter(Interpreter &in, const Value &value, const Arguments &) {
  OriginText text = in.text(value), out;
  bool start = true;
  for (size_t i = 0; i < text.size() && in.ok();) {
    size_t end = i + utf8::length(text.text()[i]);
    uint32_t c = utf8::codePoint(text.text(), i);
    OriginText one = text.slice(i, end);
    in.append(out, cased(in, one, start ? LetterCase::Upper : LetterCase::Lower));
    start = utf8::isWhiteSpace(c) || c == '-' || c == '(' || c == '{' || c == '[' || c == '<';
    i = end;
  }
  return Value::string(std::move(out));
}

Value indentFilter(Interpreter &in, const Value &value, const Arguments &arguments) {
  const Value *width = argument(arguments, 0, "width");
  OriginText margin;
  if (width && width->is(ValueKind::String))
    margin = width->asText();
  else if (int64_t spaces = width && width->is(ValueKind::Int) ? width->asInt() : 4; spaces > 0 && spaces <= 1024)
    in.append(margin, std::string(static_cast<size_t>(spaces), ' '));
  bool first = flagArgument(arguments, 1, "first", false), blank = flagArgument(arguments, 2, "blank", false);
  OriginText text = in.text(value), out;
  const std::string &bytes = text.text();
  bool firstLine = true;
  for (size_t begin = 0; begin <= bytes.size() && in.ok(); firstLine = false) {
    size_t end = std::min(bytes.find('\n', begin), bytes.size());
    if (!firstLine)
      in.append(out, "\n");
    if (firstLine ? first : blank || end > begin)
      in.append(out, margin);
    in.append(out, text, begin, end);
    begin = end + 1;
  }
  return Value::string(std::move(out));
}

Value intFilter(Interpreter &in, const Value &value, const Arguments &arguments) {
  const Value *fallback = argument(arguments, 0, "default");
  Value missing = fallback ? *fallback : Value::integer(0);
  if (value.is(ValueKind::Int) || value.is(ValueKind::Bool))
    return Value::integer(value.asInt());
  double number = 0;
  if (value.is(ValueKind::String)) {
    std::string text = stripped(in, value.asText(), "", true, true).text();
    const char *begin = text.data() + (text.starts_with('+') ? 1 : 0), *end = text.data() + text.size();
    int64_t integer = 0;
    if (auto [at, error] = std::from_chars(begin, end, integer); error == std::errc() && at == end)
      return Value::integer(integer);
    if (auto [at, error] = std::from_chars(begin, end, number); error != std::errc() || at != end)
      return missing;
  } else if (value.is(ValueKind::Float)) {
    number = value.asDouble();
  } else {
    return missing;
  }
  return std::abs(number) < 9e18 ? Value::integer(static_cast<int64_t>(number)) : missing;
}

Value floatFilter(Interpreter &in, const Value &value, const Arguments &arguments) {
  const Value *fallback = argument(arguments, 0, "default");
  if (value.isNumber())
    return Value::number(value.asDouble());
  double number = 0;
  if (value.is(ValueKind::String)) {
    std::string text = stripped(in, value.asText(), "", true, true).text();
    auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && at == text.data() + text.size())
      return Value::number(number);
  }
  return fallback ? *fallback : Value::number(0);
}

Value absFilter(Interpreter &in, const Value &value, const Arguments &) {
  if (!value.isNumber())
    return in.wrongType("abs", value);
  if (value.is(ValueKind::Float))
    return Value::number(std::abs(value.asDouble()));
  return value.asInt() < 0 ? in.binary("-", Value::integer(0), value) : Value::integer(value.asInt());
}

Value roundFilter(Interpreter &in, const Value &value, const Arguments &arguments) {
  const Value *precision = argument(arguments, 0, "precision"), *method = argument(arguments, 1, "method");
  if (!value.isNumber())
    return in.wrongType("round", value);
  int64_t places = precision && precision->is(ValueKind::Int) ? precision->asInt() : 0;
  std::string how = method && method->is(ValueKind::String) ? method->asString() : "common";
  if (places < -300 || places > 300 || (how != "common" && how != "ceil" && how != "floor")) {
    in.fail("round takes a precision of at most 300 places and common, ceil or floor");
    return Value();
  }
  double scale = std::pow(10.0, static_cast<double>(places)), x = value.asDouble() * scale;
  return Value::number((how == "ceil" ? std::ceil(x) : how == "floor" ? std::floor(x) : std::nearbyint(x)) / scale);
}

Value toJson(Interpreter &in, const Value &value, const Arguments &arguments) {
  const Value *indent = argument(arguments, 1, "indent"), *separators = argument(arguments, 2, "separators");
  bool ascii = flagArgument(arguments, 0, "ensure_ascii", false),
       sorted = flagArgument(arguments, 3, "sort_keys", false);
  int width = indent && indent->isNumber() ? static_cast<int>(std::clamp<int64_t>(indent->asInt(), 0, 64)) : -1;
  std::string item = width < 0 ? ", " : ",", key = ": ";
  if (separators && separators->is(ValueKind::List) && separators->asList().items.size() == 2) {
    item = in.text(separators->asList().items[0]).text();
    key = in.text(separators->asList().items[1]).text();
  }
  OriginText out;
  appendJson(in, out, value, width, ascii, sorted, item, key);
  return Value::string(std::move(out));
}

constexpr FilterRow rows[] = {
    {"upper", asMethod<upperName>},
    {"lower", asMethod<lowerName>},
    {"capitalize", asMethod<capitalName>},
    {"trim", asMethod<stripName>},
    {"replace", asMethod<replaceName>},
    {"title", titleFilter},
    {"string", stringFilter},
    {"safe", stringFilter}, // nothing is escaped, so nothing needs to be exempt
    {"default", defaultFilter},
    {"d", defaultFilter},
    {"indent", indentFilter},
    {"int", intFilter},
    {"float", floatFilter},
    {"abs", absFilter},
    {"round", roundFilter},
    {"tojson", toJson},
};

} // namespace

FilterFunction tmpl::findFilter(std::string_view name) {
  for (const FilterRow &row : rows)
    if (row.name == name)
      return row.function;
  return findSequenceFilter(name);
}
