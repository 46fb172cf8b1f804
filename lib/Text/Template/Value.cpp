#include "Value.h"

#include <algorithm>

using namespace adze;
using namespace adze::tmpl;

void OriginText::spellOut() {
  if (marks.empty())
    marks.assign(bytes.size(), static_cast<char>(whole));
}

void OriginText::append(std::string_view text, TextOrigin origin) {
  if (text.empty())
    return;
  if (bytes.empty()) {
    whole = origin;
    marks.clear();
  }
  if (!marks.empty() || origin != whole) {
    spellOut();
    marks.append(text.size(), static_cast<char>(origin));
  }
  bytes += text;
}

void OriginText::append(const OriginText &other, size_t begin, size_t end) {
  if (begin >= end)
    return;
  std::string_view text = std::string_view(other.bytes).substr(begin, end - begin);
  if (other.marks.empty()) {
    append(text, other.whole);
    return;
  }
  spellOut();
  marks.append(other.marks, begin, end - begin);
  bytes += text;
}

OriginText OriginText::slice(size_t begin, size_t end) const {
  OriginText out;
  out.append(*this, begin, end);
  return out;
}

void OriginText::appendRuns(std::vector<TextRun> &runs) const {
  for (size_t begin = 0; begin < bytes.size();) {
    size_t end = bytes.size();
    if (!marks.empty())
      end = std::min(
          marks.find(static_cast<char>(origin(begin) == TextOrigin::User ? TextOrigin::Template : TextOrigin::User),
                     begin),
          bytes.size());
    if (runs.empty() || runs.back().origin != origin(begin))
      runs.push_back({std::string(), origin(begin)});
    runs.back().text.append(bytes, begin, end - begin);
    begin = end;
  }
}

bool Value::truth() const {
  switch (kind()) {
  case ValueKind::Undefined:
  case ValueKind::None:
    return false;
  case ValueKind::Bool:
    return asBool();
  case ValueKind::Int:
    return asInt() != 0;
  case ValueKind::Float:
    return asDouble() != 0;
  case ValueKind::String:
    return !asText().empty();
  case ValueKind::List:
    return !asList().items.empty();
  case ValueKind::Dict:
    return !asDict().entries.empty();
  case ValueKind::Namespace:
  case ValueKind::Callable:
  case ValueKind::Loop:
    return true;
  }
  return false;
}

uint32_t Value::depth() const {
  return is(ValueKind::List) ? asList().depth : is(ValueKind::Dict) ? asDict().depth : 0;
}

std::string_view Value::typeName() const {
  constexpr std::string_view names[] = {"undefined",   "none",       "a boolean",      "an integer",
                                        "a float",     "a string",   "a list",         "a dict",
                                        "a namespace", "a function", "a loop variable"};
  return names[static_cast<size_t>(kind())];
}

const Value *Dict::find(std::string_view key) const {
  for (const auto &[k, value] : entries)
    if (k.is(ValueKind::String) && k.asString() == key)
      return &value;
  return nullptr;
}

const Value *Dict::find(const Value &key) const {
  for (const auto &[k, value] : entries)
    if (equal(k, key))
      return &value;
  return nullptr;
}

Value *Namespace::find(std::string_view key) {
  for (auto &[k, value] : entries)
    if (k == key)
      return &value;
  return nullptr;
}

bool tmpl::equal(const Value &a, const Value &b) {
  if (a.isNumber() && b.isNumber()) {
    if (!a.is(ValueKind::Float) && !b.is(ValueKind::Float))
      return a.asInt() == b.asInt();
    return a.asDouble() == b.asDouble();
  }
  if (a.kind() != b.kind())
    return false;
  switch (a.kind()) {
  case ValueKind::Undefined:
  case ValueKind::None:
    return true;
  case ValueKind::String:
    return a.asString() == b.asString();
  case ValueKind::List:
    return a.asList().tuple == b.asList().tuple && std::equal(a.asList().items.begin(), a.asList().items.end(),
                                                              b.asList().items.begin(), b.asList().items.end(), equal);
  case ValueKind::Dict:
    if (a.asDict().entries.size() != b.asDict().entries.size())
      return false;
    for (const auto &[key, value] : a.asDict().entries) {
      const Value *other = b.asDict().find(key);
      if (!other || !equal(value, *other))
        return false;
    }
    return true;
  case ValueKind::Namespace:
    return a.asNamespace() == b.asNamespace();
  case ValueKind::Callable:
    return &a.asCallable() == &b.asCallable();
  case ValueKind::Loop:
    return &a.asLoop() == &b.asLoop();
  default:
    return false;
  }
}
