// Access, arithmetic, comparison and the making of containers, with Python's meaning.
#include "Interpreter.h"
#include "Methods.h"

#include "../Utf8.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace adze;
using namespace adze::tmpl;

size_t tmpl::characterCount(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; }));
}

Value Interpreter::wrongType(std::string_view what, const Value &value) {
  if (value.is(ValueKind::Undefined))
    fail(fmt::format("\"{}\" is undefined", value.undefinedName()));
  else
    fail(fmt::format("{} cannot be used on {}", what, value.typeName()));
  return Value();
}

Value Interpreter::list(std::vector<Value> items, bool tuple) {
  auto made = std::make_shared<List>();
  if (!step(items.size() / 8) || !charge(items.size() * sizeof(Value)))
    return Value();
  for (const Value &value : items)
    made->depth = std::max(made->depth, value.depth() + 1);
  if (made->depth > valueDepthLimit)
    fail(fmt::format("a list is nested deeper than {}", valueDepthLimit), ErrorCode::ResourceExhausted);
  made->items = std::move(items);
  made->tuple = tuple;
  return ok() ? Value(std::shared_ptr<const List>(std::move(made))) : Value();
}

Value Interpreter::dict(std::vector<std::pair<Value, Value>> entries) {
  auto made = std::make_shared<Dict>();
  for (const auto &[key, value] : entries) {
    if (key.is(ValueKind::List) || key.is(ValueKind::Dict) || key.is(ValueKind::Undefined))
      return wrongType("a key", key);
    made->depth = std::max(made->depth, value.depth() + 1);
  }
  if (made->depth > valueDepthLimit)
    fail(fmt::format("a dictionary is nested deeper than {}", valueDepthLimit), ErrorCode::ResourceExhausted);
  made->entries = std::move(entries);
  return ok() ? Value(std::shared_ptr<const Dict>(std::move(made))) : Value();
}

Value Interpreter::fromJson(const OrderedJson &json, TextOrigin origin) {
  if (!step())
    return Value();
  switch (json.type()) {
  case OrderedJson::value_t::boolean:
    return Value::boolean(json.get<bool>());
  case OrderedJson::value_t::number_integer:
    return Value::integer(json.get<int64_t>());
  case OrderedJson::value_t::number_unsigned:
    if (json.get<uint64_t>() > INT64_MAX)
      fail("a number has over 63 bits");
    return Value::integer(json.get<int64_t>());
  case OrderedJson::value_t::number_float:
    return Value::number(json.get<double>());
  case OrderedJson::value_t::string: {
    const std::string &text = json.get_ref<const std::string &>();
    if (!utf8::valid(text))
      fail("a text of the conversation is not UTF-8");
    OriginText out;
    append(out, text, origin);
    return Value::string(std::move(out));
  }
  case OrderedJson::value_t::array: {
    std::vector<Value> items;
    for (const OrderedJson &element : json) {
      items.push_back(fromJson(element, origin));
      if (!ok())
        return Value();
    }
    return list(std::move(items));
  }
  case OrderedJson::value_t::object: {
    std::vector<std::pair<Value, Value>> entries;
    for (const auto &[key, element] : json.items()) {
      entries.emplace_back(Value::string(OriginText(key, origin)), fromJson(element, origin));
      if (!ok())
        return Value();
    }
    return dict(std::move(entries));
  }
  default:
    return Value::none();
  }
}

Value Interpreter::makeNamespace(const Arguments &arguments) {
  auto ns = std::make_shared<Namespace>();
  for (const auto &[key, value] : arguments.named)
    ns->entries.emplace_back(key, value);
  if (!arguments.positional.empty())
    fail("namespace() takes arguments with names only", ErrorCode::Unsupported);
  namespaces.push_back(ns);
  return Value(ns);
}

namespace {

// The place that a Python index means, or the size where there is none.
size_t place(int64_t index, size_t size) {
  int64_t at = index < 0 ? index + static_cast<int64_t>(size) : index;
  return at < 0 || at >= static_cast<int64_t>(size) ? size : static_cast<size_t>(at);
}

Value loopAttribute(const LoopState &loop, std::string_view name) {
  int64_t index = static_cast<int64_t>(loop.index), count = static_cast<int64_t>(loop.items->items.size());
  if (name == "index")
    return Value::integer(index + 1);
  if (name == "index0")
    return Value::integer(index);
  if (name == "revindex")
    return Value::integer(count - index);
  if (name == "revindex0")
    return Value::integer(count - index - 1);
  if (name == "first")
    return Value::boolean(index == 0);
  if (name == "last")
    return Value::boolean(index + 1 == count);
  if (name == "length")
    return Value::integer(count);
  if (name == "depth" || name == "depth0") // deeper only in recursive loops, which there are none of
    return Value::integer(name == "depth" ? 1 : 0);
  if (name == "previtem")
    return index > 0 ? loop.items->items[loop.index - 1] : Value::undefined("there is no previous item");
  if (name == "nextitem")
    return index + 1 < count ? loop.items->items[loop.index + 1] : Value::undefined("there is no next item");
  return Value::undefined(std::string(name));
}

} // namespace

Value Interpreter::attribute(const Value &object, std::string_view name) {
  if (object.is(ValueKind::Undefined))
    return wrongType(name, object);
  if (isMethod(object, name))
    return Value(std::make_shared<const Callable>(
        Callable{Callable::Kind::Method, std::string(name), nullptr, nullptr, object}));
  const Value *found = nullptr;
  if (object.is(ValueKind::Dict) && step(object.asDict().entries.size() / 8))
    found = object.asDict().find(name);
  else if (object.is(ValueKind::Namespace))
    found = object.asNamespace()->find(name);
  else if (object.is(ValueKind::Loop))
    return loopAttribute(object.asLoop(), name);
  return found ? *found : Value::undefined(std::string(name));
}

Value Interpreter::item(const Value &object, const Value &key) {
  if (object.is(ValueKind::Undefined))
    return wrongType("an index", object);
  bool integer = key.is(ValueKind::Int) || key.is(ValueKind::Bool);
  if (object.is(ValueKind::Dict) && step(object.asDict().entries.size() / 8))
    if (const Value *found = object.asDict().find(key))
      return *found;
  if (integer && object.is(ValueKind::List)) {
    const std::vector<Value> &items = object.asList().items;
    size_t at = place(key.asInt(), items.size());
    return at < items.size() ? items[at] : Value::undefined(fmt::format("element {}", key.asInt()));
  }
  if (integer && object.is(ValueKind::String)) {
    work(object.asString().size());
    size_t count = characterCount(object.asString()), at = place(key.asInt(), count);
    if (at == count)
      return Value::undefined(fmt::format("character {}", key.asInt()));
    return slice(object, Value::integer(static_cast<int64_t>(at)), Value::integer(static_cast<int64_t>(at) + 1),
                 Value::none());
  }
  if (key.is(ValueKind::String))
    return attribute(object, key.asString());
  return Value::undefined("the element");
}

Value Interpreter::slice(const Value &object, const Value &start, const Value &stop, const Value &stepValue) {
  bool isList = object.is(ValueKind::List);
  if (!isList && !object.is(ValueKind::String))
    return wrongType("a slice", object);
  for (const Value *bound : {&start, &stop, &stepValue})
    if (!bound->is(ValueKind::None) && !bound->is(ValueKind::Int))
      return wrongType("a slice bound", *bound);
  int64_t stride = stepValue.is(ValueKind::None) ? 1 : stepValue.asInt();
  if (stride == 0) {
    fail("the step of a slice is 0");
    return Value();
  }
  std::vector<size_t> starts; // of characters
  if (!isList) {
    const std::string &text = object.asString();
    if (!step(text.size() / 16))
      return Value();
    for (size_t i = 0; i < text.size(); i += utf8::length(text[i]))
      starts.push_back(i);
    starts.push_back(text.size());
  }
  int64_t size = static_cast<int64_t>(isList ? object.asList().items.size() : starts.size() - 1);
  auto bound = [&](const Value &value, int64_t absent) {
    if (value.is(ValueKind::None))
      return absent;
    int64_t at = value.asInt() < 0 ? value.asInt() + size : value.asInt();
    return stride > 0 ? std::clamp<int64_t>(at, 0, size) : std::clamp<int64_t>(at, -1, size - 1);
  };
  int64_t first = bound(start, stride > 0 ? 0 : size - 1), last = bound(stop, stride > 0 ? size : -1);
  std::vector<Value> items;
  OriginText text;
  if (!isList && stride == 1) {
    if (first < last)
      append(text, object.asText(), starts[static_cast<size_t>(first)], starts[static_cast<size_t>(last)]);
    return Value::string(std::move(text));
  }
  for (int64_t i = first; stride > 0 ? i < last : i > last;) {
    size_t at = static_cast<size_t>(i);
    if (isList)
      items.push_back(object.asList().items[at]);
    else if (!append(text, object.asText(), starts[at], starts[at + 1]))
      return Value();
    if (__builtin_add_overflow(i, stride, &i))
      break;
  }
  return isList ? list(std::move(items), object.asList().tuple) : Value::string(std::move(text));
}

bool Interpreter::iterate(const Value &value, std::vector<Value> &items) {
  switch (value.kind()) {
  case ValueKind::Undefined:
    return ok();
  case ValueKind::List:
    items = value.asList().items;
    return step(items.size() / 8);
  case ValueKind::Dict:
    for (const auto &[key, element] : value.asDict().entries)
      items.push_back(key);
    return step(items.size() / 8);
  case ValueKind::String: {
    const OriginText &text = value.asText();
    for (size_t i = 0; i < text.size(); i += utf8::length(text.text()[i])) {
      OriginText character;
      if (!step() || !append(character, text, i, i + utf8::length(text.text()[i])))
        return false;
      items.push_back(Value::string(std::move(character)));
    }
    return ok();
  }
  default:
    wrongType("a loop", value);
    return false;
  }
}

bool Interpreter::contains(const Value &container, const Value &value) {
  switch (container.kind()) {
  case ValueKind::Undefined:
    return false;
  case ValueKind::String:
    if (!value.is(ValueKind::String)) {
      wrongType("\"in\" a string", value);
      return false;
    }
    return work(container.asString().size() + value.asString().size()) &&
           container.asString().find(value.asString()) != std::string::npos;
  case ValueKind::List:
    if (!step(container.asList().items.size() / 4))
      return false;
    return std::any_of(container.asList().items.begin(), container.asList().items.end(),
                       [&](const Value &element) { return equal(element, value); });
  case ValueKind::Dict:
    return step(container.asDict().entries.size() / 4) && container.asDict().find(value);
  default:
    wrongType("\"in\"", container);
    return false;
  }
}

bool Interpreter::less(const Value &a, const Value &b) {
  if (!step())
    return false;
  if (a.isNumber() && b.isNumber())
    return a.is(ValueKind::Float) || b.is(ValueKind::Float) ? a.asDouble() < b.asDouble() : a.asInt() < b.asInt();
  if (a.is(ValueKind::String) && b.is(ValueKind::String)) // UTF-8 orders as its code points do
    return work(std::min(a.asString().size(), b.asString().size())) && a.asString() < b.asString();
  if (a.is(ValueKind::List) && b.is(ValueKind::List)) {
    const std::vector<Value> &x = a.asList().items, &y = b.asList().items;
    for (size_t i = 0; i < std::min(x.size(), y.size()); ++i)
      if (!equal(x[i], y[i]))
        return less(x[i], y[i]);
    return x.size() < y.size();
  }
  wrongType("an order", a.isNumber() || a.is(ValueKind::String) ? b : a);
  return false;
}

bool Interpreter::compare(std::string_view op, const Value &a, const Value &b) {
  if (op == "in")
    return contains(b, a);
  if (op == "not in")
    return !contains(b, a) && ok();
  if (op == "==" || op == "!=") {
    if (a.is(ValueKind::String) && b.is(ValueKind::String) && !work(std::min(a.asString().size(), b.asString().size())))
      return false;
    if ((a.is(ValueKind::List) || a.is(ValueKind::Dict)) && !step(16))
      return false;
    return equal(a, b) == (op == "==");
  }
  if (op == "<")
    return less(a, b);
  if (op == ">")
    return less(b, a);
  return op == "<=" ? !less(b, a) && ok() : !less(a, b) && ok();
}

namespace {

bool integerResult(std::string_view op, int64_t a, int64_t b, int64_t &out) {
  if (op == "+")
    return !__builtin_add_overflow(a, b, &out);
  if (op == "-")
    return !__builtin_sub_overflow(a, b, &out);
  if (op == "*")
    return !__builtin_mul_overflow(a, b, &out);
  if (op == "**") {
    out = 1;
    for (; b > 0; b >>= 1) {
      if (b & 1 && __builtin_mul_overflow(out, a, &out))
        return false;
      if (b > 1 && __builtin_mul_overflow(a, a, &a))
        return false;
    }
    return true;
  }
  if (b == -1) // the one quotient that can overflow
    return op == "%" ? (out = 0, true) : !__builtin_sub_overflow(int64_t(0), a, &out);
  int64_t quotient = a / b, rest = a % b;
  bool down = rest != 0 && (rest < 0) != (b < 0);
  out = op == "//" ? quotient - down : rest + (down ? b : 0);
  return true;
}

} // namespace

Value Interpreter::binary(std::string_view op, const Value &a, const Value &b) {
  for (const Value *side : {&a, &b})
    if (side->is(ValueKind::Undefined))
      return wrongType(op, *side);
  if (a.isNumber() && b.isNumber()) {
    bool divides = op == "/" || op == "//" || op == "%";
    if (divides && b.asDouble() == 0) {
      fail("division by zero");
      return Value();
    }
    bool negativePower = op == "**" && b.asDouble() < 0;
    if (a.is(ValueKind::Float) || b.is(ValueKind::Float) || op == "/" || negativePower) {
      double x = a.asDouble(), y = b.asDouble();
      double rest = std::fmod(x, y);
      if (rest != 0 && (rest < 0) != (y < 0))
        rest += y;
      return Value::number(op == "+"    ? x + y
                           : op == "-"  ? x - y
                           : op == "*"  ? x * y
                           : op == "/"  ? x / y
                           : op == "//" ? std::floor(x / y)
                           : op == "%"  ? rest
                                        : std::pow(x, y));
    }
    int64_t result = 0;
    if (!integerResult(op, a.asInt(), b.asInt(), result)) {
      fail("a number has over 64 bits");
      return Value();
    }
    return Value::integer(result);
  }
  if (op == "+" && a.is(ValueKind::String) && b.is(ValueKind::String)) {
    OriginText out;
    if (append(out, a.asText()))
      append(out, b.asText());
    return Value::string(std::move(out));
  }
  if (op == "+" && a.is(ValueKind::List) && b.is(ValueKind::List) && a.asList().tuple == b.asList().tuple) {
    std::vector<Value> items = a.asList().items;
    if (!step((items.size() + b.asList().items.size()) / 4))
      return Value();
    items.insert(items.end(), b.asList().items.begin(), b.asList().items.end());
    return list(std::move(items), a.asList().tuple);
  }
  const Value &sequence = b.is(ValueKind::Int) ? a : b, &count = b.is(ValueKind::Int) ? b : a;
  if (op == "*" && count.is(ValueKind::Int) && (sequence.is(ValueKind::String) || sequence.is(ValueKind::List))) {
    OriginText out;
    std::vector<Value> items;
    for (int64_t i = 0; i < count.asInt() && step(); ++i) {
      if (sequence.is(ValueKind::String)) {
        if (sequence.asText().empty() || !append(out, sequence.asText()))
          break;
      } else {
        if (sequence.asList().items.empty() || !step(sequence.asList().items.size()))
          break;
        items.insert(items.end(), sequence.asList().items.begin(), sequence.asList().items.end());
      }
    }
    return sequence.is(ValueKind::String) ? Value::string(std::move(out))
                                          : list(std::move(items), sequence.asList().tuple);
  }
  if (op == "%" && a.is(ValueKind::String)) {
    fail("formatting with % is not supported; use ~", ErrorCode::Unsupported);
    return Value();
  }
  fail(fmt::format("\"{}\" cannot be used on {} and {}", op, a.typeName(), b.typeName()));
  return Value();
}
