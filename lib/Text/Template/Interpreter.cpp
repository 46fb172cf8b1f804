// Statements, scopes and budgets.
#include "Interpreter.h"

#include "Lexer.h"

#include <algorithm>
#include <fmt/format.h>

using namespace adze;
using namespace adze::tmpl;

Value *Scope::find(std::string_view name) {
  for (Scope *scope = this; scope; scope = scope->parent.get())
    for (auto &[key, value] : scope->variables)
      if (key == name)
        return &value;
  return nullptr;
}

void Scope::set(std::string_view name, Value value) {
  for (auto &[key, old] : variables)
    if (key == name) {
      old = std::move(value);
      return;
    }
  variables.emplace_back(std::string(name), std::move(value));
}

Interpreter::Interpreter(std::string_view name, const RenderLimits &limits, const std::tm &now)
    : name(name), limits(limits), now(now), global(std::make_shared<Scope>()) {}

Interpreter::~Interpreter() {
  for (const std::shared_ptr<Namespace> &ns : namespaces)
    ns->entries.clear();
  for (const std::shared_ptr<Scope> &scope : captured)
    scope->variables.clear();
  global->variables.clear();
}

Status Interpreter::run(const Body &body, OriginText &out) {
  execute(body, global, out);
  return status;
}

void Interpreter::fail(std::string message, ErrorCode code) {
  if (status.ok())
    status = templateError(code, name, line, std::move(message));
}

bool Interpreter::step(uint64_t count) {
  steps += count;
  if (steps > limits.steps)
    fail(fmt::format("the template takes more than {} steps", limits.steps), ErrorCode::ResourceExhausted);
  return ok();
}

bool Interpreter::charge(uint64_t bytes) {
  valueBytes += bytes;
  if (valueBytes > limits.valueBytes)
    fail(fmt::format("the template makes more than {} bytes of values", limits.valueBytes),
         ErrorCode::ResourceExhausted);
  return ok();
}

bool Interpreter::append(OriginText &out, const OriginText &text, size_t begin, size_t end) {
  if (begin >= end)
    return ok();
  if (out.size() + (end - begin) > limits.outputBytes)
    fail(fmt::format("a text of the template is over {} bytes", limits.outputBytes), ErrorCode::ResourceExhausted);
  else if (charge(end - begin))
    out.append(text, begin, end);
  return ok();
}

bool Interpreter::append(OriginText &out, std::string_view text, TextOrigin origin) {
  if (out.size() + text.size() > limits.outputBytes)
    fail(fmt::format("a text of the template is over {} bytes", limits.outputBytes), ErrorCode::ResourceExhausted);
  else if (charge(text.size()))
    out.append(text, origin);
  return ok();
}

// The deepest evaluation in all: macros call macros, and the machine's stack is not the template's to use up.
class Interpreter::DepthGuard {
public:
  explicit DepthGuard(Interpreter &interpreter) : interpreter(interpreter) {
    if (++interpreter.evaluationDepth > 1200)
      interpreter.fail("the template nests calls and expressions too deeply", ErrorCode::ResourceExhausted);
  }
  ~DepthGuard() { --interpreter.evaluationDepth; }

private:
  Interpreter &interpreter;
};

Interpreter::Flow Interpreter::execute(const Body &body, const std::shared_ptr<Scope> &scope, OriginText &out) {
  DepthGuard guard(*this);
  for (const std::unique_ptr<Statement> &statement : body) {
    line = statement->line;
    if (!step())
      return Flow::Normal;
    Flow flow = Flow::Normal;
    switch (statement->kind) {
    case StatementKind::Text:
      append(out, statement->text.asText());
      break;
    case StatementKind::Output: {
      Value value = evaluate(*statement->expr, *scope);
      if (ok())
        append(out, text(value));
      break;
    }
    case StatementKind::If: {
      const Body *chosen = &statement->orElse;
      for (const auto &[condition, branch] : statement->branches)
        if (evaluate(*condition, *scope).truth()) {
          chosen = &branch;
          break;
        }
      if (ok())
        flow = execute(*chosen, scope, out);
      break;
    }
    case StatementKind::For:
      flow = executeFor(*statement, scope, out);
      break;
    case StatementKind::Set: {
      Value value = evaluate(*statement->expr, *scope);
      if (ok())
        assign(statement->target, value, *scope);
      break;
    }
    case StatementKind::SetBlock:
    case StatementKind::FilterBlock: {
      OriginText inner;
      auto own = std::make_shared<Scope>();
      own->parent = scope;
      flow = execute(statement->body, own, inner);
      Value value = filterText(*statement, std::move(inner), scope);
      if (!ok())
        break;
      if (statement->kind == StatementKind::SetBlock)
        assign(statement->target, value, *scope);
      else
        append(out, text(value));
      break;
    }
    case StatementKind::Macro: {
      Callable macro{Callable::Kind::Macro, statement->name, statement.get(), scope, Value()};
      if (captured.empty() || captured.back() != scope)
        captured.push_back(scope);
      scope->set(statement->name, Value(std::make_shared<const Callable>(std::move(macro))));
      break;
    }
    case StatementKind::Scoped: {
      auto own = std::make_shared<Scope>();
      own->parent = scope;
      flow = execute(statement->body, own, out);
      break;
    }
    case StatementKind::Break:
      return Flow::Break;
    case StatementKind::Continue:
      return Flow::Continue;
    }
    if (!ok() || flow != Flow::Normal)
      return flow;
  }
  return Flow::Normal;
}

Interpreter::Flow Interpreter::executeFor(const Statement &statement, const std::shared_ptr<Scope> &scope,
                                          OriginText &out) {
  std::vector<Value> items;
  Value iterated = evaluate(*statement.expr, *scope);
  if (!ok() || !iterate(iterated, items))
    return Flow::Normal;
  if (statement.test) {
    std::vector<Value> kept;
    for (Value &value : items) {
      auto own = std::make_shared<Scope>();
      own->parent = scope;
      assign(statement.target, value, *own);
      if (!step())
        return Flow::Normal;
      if (evaluate(*statement.test, *own).truth())
        kept.push_back(std::move(value));
    }
    items = std::move(kept);
  }
  if (items.empty())
    return execute(statement.orElse, scope, out);
  auto loop = std::make_shared<LoopState>();
  auto all = std::make_shared<List>();
  all->items = std::move(items);
  loop->items = all;
  for (size_t i = 0; ok() && i < all->items.size() && step(); ++i) {
    loop->index = i;
    auto own = std::make_shared<Scope>();
    own->parent = scope;
    own->set("loop", Value(loop));
    assign(statement.target, all->items[i], *own);
    if (ok() && execute(statement.body, own, out) == Flow::Break)
      break;
  }
  return Flow::Normal;
}

void Interpreter::assign(const Target &target, const Value &value, Scope &scope) {
  if (!target.attribute.empty()) {
    Value *owner = scope.find(target.names[0]);
    if (!owner || !owner->is(ValueKind::Namespace)) {
      fail(fmt::format("cannot assign an attribute of \"{}\": it is no namespace", target.names[0]));
      return;
    }
    Namespace &ns = *owner->asNamespace();
    if (Value *old = ns.find(target.attribute))
      *old = value;
    else
      ns.entries.emplace_back(target.attribute, value);
    return;
  }
  if (!target.tuple) {
    scope.set(target.names[0], value);
    return;
  }
  std::vector<Value> items;
  if (!iterate(value, items))
    return;
  if (items.size() != target.names.size()) {
    fail(fmt::format("{} values for {} names", items.size(), target.names.size()));
    return;
  }
  for (size_t i = 0; i < items.size(); ++i)
    scope.set(target.names[i], items[i]);
}

Value Interpreter::filterText(const Statement &statement, OriginText inner, const std::shared_ptr<Scope> &scope) {
  Value value = Value::string(std::move(inner));
  for (const ExprPtr &filter : statement.filters) {
    if (!ok())
      return Value();
    value = filter->filter(*this, value, evaluateArguments(*filter, *scope));
  }
  return value;
}

Value Interpreter::callMacro(const Callable &macro, const Arguments &arguments) {
  const Statement &statement = *macro.macro;
  if (arguments.positional.size() > statement.parameters.size()) {
    fail(fmt::format("macro \"{}\" takes {} arguments, not {}", macro.name, statement.parameters.size(),
                     arguments.positional.size()));
    return Value();
  }
  for (const auto &[key, value] : arguments.named)
    if (std::none_of(statement.parameters.begin(), statement.parameters.end(),
                     [&](const auto &parameter) { return parameter.first == key; })) {
      fail(fmt::format("macro \"{}\" has no parameter \"{}\"", macro.name, key));
      return Value();
    }
  if (macroDepth >= limits.depth) {
    fail(fmt::format("macros call each other deeper than {}", limits.depth), ErrorCode::ResourceExhausted);
    return Value();
  }
  ++macroDepth;
  auto own = std::make_shared<Scope>();
  own->parent = macro.scope;
  for (size_t i = 0; ok() && i < statement.parameters.size(); ++i) {
    const auto &[parameter, fallback] = statement.parameters[i];
    const Value *given = argument(arguments, i, parameter);
    own->set(parameter, given ? *given : fallback ? evaluate(*fallback, *own) : Value::undefined(parameter));
  }
  OriginText out;
  if (ok())
    execute(statement.body, own, out);
  --macroDepth;
  return Value::string(std::move(out));
}

const Value *tmpl::argument(const Arguments &arguments, size_t index, std::string_view name) {
  if (index < arguments.positional.size())
    return &arguments.positional[index];
  for (const auto &[key, value] : arguments.named)
    if (key == name)
      return &value;
  return nullptr;
}
