// Ast.h: a parsed template. Immutable after parsing; shared by every rendering.
#ifndef ADZE_TEXT_TEMPLATE_AST_H
#define ADZE_TEXT_TEMPLATE_AST_H

#include "Value.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace adze::tmpl {

class Interpreter;

// Arguments of a call, filter or test.
struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;
};

// Filters and tests are found when the template is parsed, so that an unknown one is a parse error.
using FilterFunction = Value (*)(Interpreter &, const Value &, const Arguments &);
using TestFunction = bool (*)(Interpreter &, const Value &, const Arguments &);
FilterFunction findFilter(std::string_view name);
TestFunction findTest(std::string_view name);

enum class ExprKind : uint8_t {
  Constant,    // constant
  Name,        // name
  List,        // children
  Tuple,       // children
  Dict,        // children: key, value, key, value ...
  Attribute,   // children[0].name
  Index,       // children[0][children[1]]
  Slice,       // children[0][children[1]:children[2]:children[3]], absent ones null
  Call,        // children[0](children[1..], named)
  Filter,      // children[0] | name(children[1..], named)
  Test,        // children[0] is name(children[1..], named); negated
  Negate,      // -children[0]
  Plus,        // +children[0]
  Not,         // not children[0]
  And,         // children[0] and children[1]
  Or,          //
  Binary,      // children[0] name children[1]
  Concat,      // children joined as text
  Compare,     // children[0] operators[0] children[1] operators[1] children[2] ...
  Conditional, // children[0] if children[1] else children[2] (may be null)
};

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct Expr {
  ExprKind kind;
  uint32_t line = 0, depth = 1;
  Value constant;
  std::string name;
  std::vector<ExprPtr> children;
  std::vector<std::pair<std::string, ExprPtr>> named;
  std::vector<std::string> operators;
  bool negated = false;
  FilterFunction filter = nullptr;
  TestFunction test = nullptr;
};

enum class StatementKind : uint8_t {
  Text,     // text
  Output,   // expr
  If,       // branches; body of else in orElse
  For,      // targets in expr, test, body, orElse
  Set,      // target = expr
  SetBlock, // target = body, through filters (a chain of Filter expressions ending in null)
  Macro,    // name, parameters, body
  FilterBlock,
  Scoped, // body as it is (a generation block)
  Break,
  Continue,
};

struct Statement;
using Body = std::vector<std::unique_ptr<Statement>>;

// x, ns.x, or a tuple of names.
struct Target {
  std::vector<std::string> names;
  bool tuple = false;
  std::string attribute; // of the namespace names[0]
};

struct Statement {
  StatementKind kind;
  uint32_t line = 0;
  Value text;
  ExprPtr expr; // For: what is iterated
  ExprPtr test; // For: the condition
  Target target;
  std::string name;
  std::vector<std::pair<ExprPtr, Body>> branches;
  std::vector<std::pair<std::string, ExprPtr>> parameters; // Macro: name and default (may be null)
  std::vector<ExprPtr> filters;                            // SetBlock, FilterBlock: applied in order to the text
  Body body, orElse;
};

} // namespace adze::tmpl

#endif // ADZE_TEXT_TEMPLATE_AST_H
