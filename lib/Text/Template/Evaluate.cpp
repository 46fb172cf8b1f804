// Expressions.
#include "Interpreter.h"

#include <algorithm>
#include <fmt/format.h>

using namespace adze;
using namespace adze::tmpl;

namespace {

// Keeps the number of nested evaluations right on every way out.
class Nested {
public:
  explicit Nested(uint32_t &depth) : depth(depth) { ++depth; }
  ~Nested() { --depth; }

private:
  uint32_t &depth;
};

} // namespace

Value Interpreter::evaluate(const Expr &expr, Scope &scope) {
  Nested nested(evaluationDepth);
  if (evaluationDepth > 1200)
    fail("the template nests calls and expressions too deeply", ErrorCode::ResourceExhausted);
  line = expr.line;
  if (!ok() || !step())
    return Value();
  switch (expr.kind) {
  case ExprKind::Constant:
    return expr.constant;
  case ExprKind::Name:
    return evaluateName(expr, scope);
  case ExprKind::List:
  case ExprKind::Tuple:
  case ExprKind::Dict:
    return evaluateContainer(expr, scope);
  case ExprKind::Attribute:
  case ExprKind::Index:
  case ExprKind::Slice:
    return evaluateAccess(expr, scope);
  case ExprKind::Call:
  case ExprKind::Filter:
  case ExprKind::Test:
    return evaluateCall(expr, scope);
  case ExprKind::And:
  case ExprKind::Or:
  case ExprKind::Conditional:
    return evaluateLogic(expr, scope);
  case ExprKind::Negate:
  case ExprKind::Plus:
  case ExprKind::Not:
    return evaluateUnary(expr, scope);
  case ExprKind::Concat:
    return evaluateConcat(expr, scope);
  case ExprKind::Compare:
    return evaluateCompare(expr, scope);
  case ExprKind::Binary: {
    Value left = evaluate(*expr.children[0], scope);
    Value right = evaluate(*expr.children[1], scope);
    line = expr.line;
    return ok() ? binary(expr.name, left, right) : Value();
  }
  }
  return Value();
}

Value Interpreter::evaluateName(const Expr &expr, Scope &scope) {
  if (Value *found = scope.find(expr.name))
    return *found;
  constexpr std::string_view functions[] = {"range", "namespace", "dict", "raise_exception", "strftime_now"};
  if (std::find(std::begin(functions), std::end(functions), expr.name) != std::end(functions))
    return Value(
        std::make_shared<const Callable>(Callable{Callable::Kind::Function, expr.name, nullptr, nullptr, Value()}));
  return Value::undefined(expr.name);
}

Value Interpreter::evaluateContainer(const Expr &expr, Scope &scope) {
  std::vector<Value> items;
  for (const ExprPtr &child : expr.children) {
    items.push_back(evaluate(*child, scope));
    if (!ok())
      return Value();
  }
  if (expr.kind != ExprKind::Dict)
    return list(std::move(items), expr.kind == ExprKind::Tuple);
  std::vector<std::pair<Value, Value>> entries;
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    auto same =
        std::find_if(entries.begin(), entries.end(), [&](const auto &entry) { return equal(entry.first, items[i]); });
    if (!step(entries.size() / 8))
      return Value();
    if (same != entries.end())
      same->second = items[i + 1];
    else
      entries.emplace_back(items[i], items[i + 1]);
  }
  return dict(std::move(entries));
}

Value Interpreter::evaluateAccess(const Expr &expr, Scope &scope) {
  Value object = evaluate(*expr.children[0], scope);
  if (!ok())
    return Value();
  if (expr.kind == ExprKind::Attribute)
    return attribute(object, expr.name);
  Value parts[3] = {Value::none(), Value::none(), Value::none()};
  for (size_t i = 1; i < expr.children.size(); ++i)
    if (expr.children[i])
      parts[i - 1] = evaluate(*expr.children[i], scope);
  line = expr.line;
  if (!ok())
    return Value();
  return expr.kind == ExprKind::Index ? item(object, parts[0]) : slice(object, parts[0], parts[1], parts[2]);
}

Arguments Interpreter::evaluateArguments(const Expr &expr, Scope &scope) {
  Arguments arguments;
  for (size_t i = 1; i < expr.children.size(); ++i)
    arguments.positional.push_back(evaluate(*expr.children[i], scope));
  for (const auto &[key, value] : expr.named)
    arguments.named.emplace_back(key, evaluate(*value, scope));
  return arguments;
}

Value Interpreter::evaluateCall(const Expr &expr, Scope &scope) {
  Value subject = evaluate(*expr.children[0], scope);
  if (!ok())
    return Value();
  Arguments arguments = evaluateArguments(expr, scope);
  line = expr.line;
  if (!ok())
    return Value();
  if (expr.kind == ExprKind::Filter)
    return expr.filter(*this, subject, arguments);
  if (expr.kind == ExprKind::Test)
    return Value::boolean(expr.test(*this, subject, arguments) != expr.negated);
  return call(subject, arguments);
}

Value Interpreter::evaluateLogic(const Expr &expr, Scope &scope) {
  if (expr.kind == ExprKind::Conditional) {
    bool chosen = evaluate(*expr.children[1], scope).truth();
    const ExprPtr &branch = expr.children[chosen ? 0 : 2];
    return ok() && branch ? evaluate(*branch, scope) : Value::undefined("the missing else of a condition");
  }
  Value left = evaluate(*expr.children[0], scope);
  if (!ok() || left.truth() == (expr.kind == ExprKind::Or))
    return left;
  return evaluate(*expr.children[1], scope);
}

Value Interpreter::evaluateUnary(const Expr &expr, Scope &scope) {
  Value value = evaluate(*expr.children[0], scope);
  if (!ok())
    return Value();
  if (expr.kind == ExprKind::Not)
    return Value::boolean(!value.truth());
  if (!value.isNumber())
    return wrongType(expr.kind == ExprKind::Negate ? "-" : "+", value);
  if (value.is(ValueKind::Float))
    return Value::number(expr.kind == ExprKind::Negate ? -value.asDouble() : value.asDouble());
  return expr.kind == ExprKind::Negate ? binary("-", Value::integer(0), value) : Value::integer(value.asInt());
}

Value Interpreter::evaluateConcat(const Expr &expr, Scope &scope) {
  OriginText out;
  for (const ExprPtr &child : expr.children) {
    Value part = evaluate(*child, scope);
    if (!ok() || !append(out, text(part)))
      return Value();
  }
  return Value::string(std::move(out));
}

Value Interpreter::evaluateCompare(const Expr &expr, Scope &scope) {
  Value left = evaluate(*expr.children[0], scope);
  for (size_t i = 0; ok() && i < expr.operators.size(); ++i) {
    Value right = evaluate(*expr.children[i + 1], scope);
    line = expr.line;
    if (!ok() || !compare(expr.operators[i], left, right))
      return Value::boolean(false);
    left = std::move(right);
  }
  return Value::boolean(true);
}
