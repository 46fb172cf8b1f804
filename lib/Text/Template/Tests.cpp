// The tests of the language: `value is name(arguments)`.
#include "Interpreter.h"

#include <fmt/format.h>

using namespace adze;
using namespace adze::tmpl;

namespace {

template <ValueKind... kinds> bool isKind(Interpreter &, const Value &value, const Arguments &) {
  return (value.is(kinds) || ...);
}

// Compares with the argument by an operator of the language.
bool comparison(Interpreter &in, std::string_view op, const Value &value, const Arguments &arguments) {
  const Value *other = argument(arguments, 0, "other");
  if (!other) {
    in.fail("a test that compares needs a value to compare with");
    return false;
  }
  return in.compare(op, value, *other);
}

int64_t modulo(Interpreter &in, const Value &value, const Value &divisor) {
  Value rest = in.binary("%", value, divisor);
  return rest.is(ValueKind::Int) ? rest.asInt() : -1;
}

struct TestRow {
  std::string_view name;
  TestFunction function;
};

constexpr TestRow rows[] = {
    {"defined", [](Interpreter &, const Value &v, const Arguments &) { return !v.is(ValueKind::Undefined); }},
    {"undefined", isKind<ValueKind::Undefined>},
    {"none", isKind<ValueKind::None>},
    {"string", isKind<ValueKind::String>},
    {"boolean", isKind<ValueKind::Bool>},
    {"integer", isKind<ValueKind::Int>},
    {"float", isKind<ValueKind::Float>},
    {"number", isKind<ValueKind::Int, ValueKind::Float, ValueKind::Bool>},
    {"mapping", isKind<ValueKind::Dict>},
    {"sequence", isKind<ValueKind::List, ValueKind::String, ValueKind::Dict, ValueKind::Undefined>},
    {"iterable", isKind<ValueKind::List, ValueKind::String, ValueKind::Dict, ValueKind::Undefined>},
    {"callable", isKind<ValueKind::Callable>},
    {"true", [](Interpreter &, const Value &v, const Arguments &) { return v.is(ValueKind::Bool) && v.asBool(); }},
    {"false", [](Interpreter &, const Value &v, const Arguments &) { return v.is(ValueKind::Bool) && !v.asBool(); }},
    {"odd", [](Interpreter &in, const Value &v, const Arguments &) { return modulo(in, v, Value::integer(2)) == 1; }},
    {"even", [](Interpreter &in, const Value &v, const Arguments &) { return modulo(in, v, Value::integer(2)) == 0; }},
    {"divisibleby",
     [](Interpreter &in, const Value &v, const Arguments &a) {
       const Value *by = argument(a, 0, "num");
       return modulo(in, v, by ? *by : Value()) == 0;
     }},
    {"lower",
     [](Interpreter &in, const Value &v, const Arguments &a) {
       return in.callMethod(Value::string(in.text(v)), "islower", Arguments()).truth();
     }},
    {"upper",
     [](Interpreter &in, const Value &v, const Arguments &a) {
       return in.callMethod(Value::string(in.text(v)), "isupper", Arguments()).truth();
     }},
    {"in", [](Interpreter &in, const Value &v, const Arguments &a) { return comparison(in, "in", v, a); }},
    {"sameas",
     [](Interpreter &in, const Value &v, const Arguments &a) {
       const Value *other = argument(a, 0, "other");
       return other && other->kind() == v.kind() && equal(v, *other);
     }},
    {"==", [](Interpreter &in, const Value &v, const Arguments &a) { return comparison(in, "==", v, a); }},
    {"eq", [](Interpreter &in, const Value &v, const Arguments &a) { return comparison(in, "==", v, a); }},
    {"equalto", [](Interpreter &in, const Value &v, const Arguments &a) { return comparison(in, "==", v, a); }},
    {"!=", [](Interpreter &in, const Value &v, const Arguments &a) { return comparison(in, "!=", v, a); }},
    {"ne", [](Interpreter &in, const Value &v, const Arguments &a) { return comparison(in, "!=", v, a); }},
    {"<", [](Interpreter &in, const Value &v, const Arguments &a) { return comparison(in, "<", v, a); }},
    {"lt", [](Interpreter &in, const Value &v, const Arguments &a) { return comparison(in, "<", v, a); }},
    {"lessthan", [](Interpreter &in, const Value &v, const Arguments &a) { return comparison(in, "<", v, a); }},
    {"<=", [](Interpreter &in, const Value &v, const Arguments &a) { return comparison(in, "<=", v, a); }},
    {"le", [](Interpreter &in, const Value &v, const Arguments &a) { return comparison(in, "<=", v, a); }},
    {">", [](Interpreter &in, const Value &v, const Arguments &a) { return comparison(in, ">", v, a); }},
    {"gt", [](Interpreter &in, const Value &v, const Arguments &a) { return comparison(in, ">", v, a); }},
    {"greaterthan", [](Interpreter &in, const Value &v, const Arguments &a) { return comparison(in, ">", v, a); }},
    {">=", [](Interpreter &in, const Value &v, const Arguments &a) { return comparison(in, ">=", v, a); }},
    {"ge", [](Interpreter &in, const Value &v, const Arguments &a) { return comparison(in, ">=", v, a); }},
};

} // namespace

TestFunction tmpl::findTest(std::string_view name) {
  for (const TestRow &row : rows)
    if (row.name == name)
      return row.function;
  return nullptr;
}
