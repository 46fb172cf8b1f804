// Calls: macros, methods and the functions that the language gives a template.
#include "Interpreter.h"

#include <fmt/format.h>

namespace adze::tmpl {

Value Interpreter::call(const Value &callee, const Arguments &arguments) {
  if (!callee.is(ValueKind::Callable)) {
    if (callee.is(ValueKind::Undefined))
      fail(fmt::format("\"{}\" is undefined, so it cannot be called", callee.undefinedName()));
    else
      fail(fmt::format("{} cannot be called", callee.typeName()));
    return Value();
  }
  const Callable &callable = callee.asCallable();
  switch (callable.kind) {
  case Callable::Kind::Macro:
    return callMacro(callable, arguments);
  case Callable::Kind::Method:
    return callMethod(callable.self, callable.name, arguments);
  case Callable::Kind::Function:
    return callFunction(callable.name, arguments);
  }
  return Value();
}

namespace {

Value makeRange(Interpreter &in, const Arguments &arguments) {
  int64_t bounds[3] = {0, 0, 1};
  size_t count = arguments.positional.size();
  if (count < 1 || count > 3 || !arguments.named.empty()) {
    in.fail("range takes one to three numbers");
    return Value();
  }
  for (size_t i = 0; i < count; ++i) {
    if (!arguments.positional[i].is(ValueKind::Int))
      return in.wrongType("range", arguments.positional[i]);
    bounds[count == 1 ? 1 : i] = arguments.positional[i].asInt();
  }
  auto [first, last, stride] = bounds;
  if (stride == 0) {
    in.fail("the step of a range is 0");
    return Value();
  }
  std::vector<Value> items;
  for (int64_t i = first; (stride > 0 ? i < last : i > last) && in.step();) {
    items.push_back(Value::integer(i));
    if (__builtin_add_overflow(i, stride, &i))
      break;
  }
  return in.list(std::move(items));
}

Value formatTime(Interpreter &in, const Arguments &arguments) {
  const Value *format = argument(arguments, 0, "format");
  if (!format || !format->is(ValueKind::String))
    return in.wrongType("strftime_now", format ? *format : Value());
  // Longer formats are no dates; some conversions are long themselves.
  if (format->asString().size() > 128 || format->asString().empty()) {
    in.fail("strftime_now takes a format of 1 to 128 bytes");
    return Value();
  }
  char buffer[4096];
  std::tm now = in.time();
  size_t size = std::strftime(buffer, sizeof(buffer), format->asString().c_str(), &now);
  return Value::string(std::string(buffer, size));
}

} // namespace

Value Interpreter::callFunction(std::string_view function, const Arguments &arguments) {
  if (function == "range")
    return makeRange(*this, arguments);
  if (function == "namespace")
    return makeNamespace(arguments);
  if (function == "dict") {
    std::vector<std::pair<Value, Value>> entries;
    for (const auto &[key, value] : arguments.named)
      entries.emplace_back(Value::string(key), value);
    if (!arguments.positional.empty())
      fail("dict() takes arguments with names only", ErrorCode::Unsupported);
    return dict(std::move(entries));
  }
  if (function == "strftime_now")
    return formatTime(*this, arguments);
  const Value *message = argument(arguments, 0, "message");
  fail(fmt::format("the template refused the conversation: {}", message ? text(*message).text() : std::string()));
  return Value();
}

} // namespace adze::tmpl
