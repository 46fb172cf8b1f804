// Values as text: str(), repr() and JSON, as Python writes them.
#include "Interpreter.h"

#include "../Utf8.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <utf8proc.h>

using namespace adze;
using namespace adze::tmpl;

std::string tmpl::spellNumber(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  if (value == 0)
    return std::signbit(value) ? "-0.0" : "0.0";
  char buffer[40];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific);
  std::string_view text(buffer, static_cast<size_t>(end - buffer));
  size_t e = text.find('e');
  int exponent = 0;
  size_t digit = e + 1 + (text[e + 1] == '+');
  std::from_chars(buffer + digit, end, exponent);
  std::string digits;
  for (char c : text.substr(0, e))
    if (c >= '0' && c <= '9')
      digits += c;
  std::string out = value < 0 ? "-" : "";
  int count = static_cast<int>(digits.size());
  if (exponent < -4 || exponent >= 16) {
    out += digits[0];
    if (count > 1)
      out += "." + digits.substr(1);
    return out + fmt::format("e{}{:02}", exponent < 0 ? '-' : '+', std::abs(exponent));
  }
  if (exponent < 0)
    return out + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  if (count <= exponent + 1)
    return out + digits + std::string(static_cast<size_t>(exponent + 1 - count), '0') + ".0";
  return out + digits.substr(0, static_cast<size_t>(exponent + 1)) + "." +
         digits.substr(static_cast<size_t>(exponent + 1));
}

OriginText Interpreter::text(const Value &value) {
  OriginText out;
  switch (value.kind()) {
  case ValueKind::Undefined:
    break;
  case ValueKind::String:
    return value.asText();
  case ValueKind::Callable:
  case ValueKind::Loop:
    wrongType("printing", value);
    break;
  default:
    appendRepr(out, value);
  }
  return out;
}

namespace {

bool printable(uint32_t c) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
  case UTF8PROC_CATEGORY_CN:
  case UTF8PROC_CATEGORY_CC:
  case UTF8PROC_CATEGORY_CF:
  case UTF8PROC_CATEGORY_CS:
  case UTF8PROC_CATEGORY_CO:
  case UTF8PROC_CATEGORY_ZL:
  case UTF8PROC_CATEGORY_ZP:
    return false;
  case UTF8PROC_CATEGORY_ZS:
    return c == ' ';
  default:
    return true;
  }
}

void appendQuoted(Interpreter &in, OriginText &out, const OriginText &value) {
  const std::string &text = value.text();
  char quote = text.find('\'') != std::string::npos && text.find('"') == std::string::npos ? '"' : '\'';
  in.append(out, std::string_view(&quote, 1));
  for (size_t i = 0; i < text.size() && in.ok(); i += utf8::length(text[i])) {
    uint32_t c = utf8::codePoint(text, i);
    std::string escaped;
    if (c == static_cast<uint32_t>(quote) || c == '\\')
      escaped = {'\\', text[i]};
    else if (c == '\n' || c == '\r' || c == '\t')
      escaped = c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t";
    else if (!printable(c))
      escaped = c < 0x100     ? fmt::format("\\x{:02x}", c)
                : c < 0x10000 ? fmt::format("\\u{:04x}", c)
                              : fmt::format("\\U{:08x}", c);
    if (escaped.empty())
      in.append(out, value, i, i + utf8::length(text[i]));
    else
      in.append(out, escaped, value.origin(i));
  }
  in.append(out, std::string_view(&quote, 1));
}

} // namespace

void Interpreter::appendRepr(OriginText &out, const Value &value) {
  if (!step())
    return;
  switch (value.kind()) {
  case ValueKind::Undefined:
    append(out, "Undefined");
    break;
  case ValueKind::None:
    append(out, "None");
    break;
  case ValueKind::Bool:
    append(out, value.asBool() ? "True" : "False");
    break;
  case ValueKind::Int:
    append(out, std::to_string(value.asInt()));
    break;
  case ValueKind::Float:
    append(out, spellNumber(value.asDouble()));
    break;
  case ValueKind::String:
    appendQuoted(*this, out, value.asText());
    break;
  case ValueKind::List: {
    const List &list = value.asList();
    append(out, list.tuple ? "(" : "[");
    for (size_t i = 0; ok() && i < list.items.size(); ++i) {
      if (i > 0)
        append(out, ", ");
      appendRepr(out, list.items[i]);
    }
    append(out, !list.tuple ? "]" : list.items.size() == 1 ? ",)" : ")");
    break;
  }
  case ValueKind::Dict: {
    append(out, "{");
    bool first = true;
    for (const auto &[key, element] : value.asDict().entries) {
      if (!ok())
        return;
      if (!std::exchange(first, false))
        append(out, ", ");
      appendRepr(out, key);
      append(out, ": ");
      appendRepr(out, element);
    }
    append(out, "}");
    break;
  }
  case ValueKind::Namespace:
  case ValueKind::Callable:
  case ValueKind::Loop:
    wrongType("printing", value);
  }
}

namespace {

class JsonWriter {
public:
  JsonWriter(Interpreter &in, OriginText &out, int indent, bool ascii, bool sortKeys, std::string_view itemSeparator,
             std::string_view keySeparator)
      : in(in), out(out), indent(indent), ascii(ascii), sortKeys(sortKeys), itemSeparator(itemSeparator),
        keySeparator(keySeparator) {}

  void write(const Value &value, int level) {
    if (!in.step())
      return;
    switch (value.kind()) {
    case ValueKind::None:
      in.append(out, "null");
      break;
    case ValueKind::Bool:
      in.append(out, value.asBool() ? "true" : "false");
      break;
    case ValueKind::Int:
      in.append(out, std::to_string(value.asInt()));
      break;
    case ValueKind::Float:
      number(value.asDouble());
      break;
    case ValueKind::String:
      string(value.asText());
      break;
    case ValueKind::List: {
      const std::vector<Value> &items = value.asList().items;
      in.append(out, "[");
      for (size_t i = 0; in.ok() && i < items.size(); ++i) {
        if (i > 0)
          in.append(out, itemSeparator);
        newLine(level + 1);
        write(items[i], level + 1);
      }
      if (!items.empty())
        newLine(level);
      in.append(out, "]");
      break;
    }
    case ValueKind::Dict:
      object(value.asDict(), level);
      break;
    default:
      in.wrongType("tojson", value);
    }
  }

private:
  void number(double value) {
    if (std::isfinite(value))
      in.append(out, spellNumber(value));
    else
      in.append(out, std::isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity");
  }

  void newLine(int level) {
    if (indent < 0)
      return;
    in.append(out, "\n");
    in.append(out, std::string(static_cast<size_t>(indent) * static_cast<size_t>(level), ' '));
  }

  void object(const Dict &dict, int level) {
    std::vector<const std::pair<Value, Value> *> entries;
    for (const auto &entry : dict.entries)
      entries.push_back(&entry);
    if (sortKeys)
      std::sort(entries.begin(), entries.end(), [&](const auto *a, const auto *b) {
        return a->first.is(ValueKind::String) && b->first.is(ValueKind::String) &&
               a->first.asString() < b->first.asString();
      });
    in.append(out, "{");
    for (size_t i = 0; in.ok() && i < entries.size(); ++i) {
      if (i > 0)
        in.append(out, itemSeparator);
      newLine(level + 1);
      const Value &key = entries[i]->first;
      if (key.is(ValueKind::String)) {
        string(key.asText());
      } else { // 1, true and null become strings
        in.append(out, "\"");
        write(key, level);
        in.append(out, "\"");
      }
      in.append(out, keySeparator);
      write(entries[i]->second, level + 1);
    }
    if (!entries.empty())
      newLine(level);
    in.append(out, "}");
  }

  void string(const OriginText &value) {
    const std::string &text = value.text();
    in.append(out, "\"");
    size_t plain = 0;
    for (size_t i = 0; i < text.size() && in.ok();) {
      uint32_t c = utf8::codePoint(text, i);
      size_t next = i + utf8::length(text[i]);
      std::string escaped;
      if (c == '"' || c == '\\')
        escaped = {'\\', text[i]};
      else if (size_t at = std::string_view("\b\f\n\r\t").find(static_cast<char>(c));
               c < 0x20 && at != std::string::npos)
        escaped = {'\\', "bfnrt"[at]};
      else if (c < 0x20 || (ascii && c > 0x7E && c < 0x10000))
        escaped = fmt::format("\\u{:04x}", c);
      else if (ascii && c >= 0x10000)
        escaped = fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + ((c - 0x10000) >> 10), 0xDC00 + ((c - 0x10000) & 0x3FF));
      if (!escaped.empty()) {
        in.append(out, value, plain, i);
        in.append(out, escaped, value.origin(i));
        plain = next;
      }
      i = next;
    }
    in.append(out, value, plain, text.size());
    in.append(out, "\"");
  }

  Interpreter &in;
  OriginText &out;
  int indent;
  bool ascii, sortKeys;
  std::string_view itemSeparator, keySeparator;
};

} // namespace

bool tmpl::appendJson(Interpreter &interpreter, OriginText &out, const Value &value, int indent, bool ascii,
                      bool sortKeys, std::string_view itemSeparator, std::string_view keySeparator) {
  JsonWriter(interpreter, out, indent, ascii, sortKeys, itemSeparator, keySeparator).write(value, 0);
  return interpreter.ok();
}
