// Interpreter.h: runs a parsed template under budgets.
//
// Every statement and expression is a step; work that grows with the data (searching, slicing, comparing) costs steps
// in proportion; every byte of text that is made is counted. The first failure is kept: evaluation then returns
// undefined values and unwinds. One interpreter is one rendering, for one thread.
#ifndef ADZE_TEXT_TEMPLATE_INTERPRETER_H
#define ADZE_TEXT_TEMPLATE_INTERPRETER_H

#include "Ast.h"

#include "adze/Text/ChatTemplate.h"

#include <ctime>

namespace adze::tmpl {

struct Scope {
  std::vector<std::pair<std::string, Value>> variables;
  std::shared_ptr<Scope> parent;
  Value *find(std::string_view name);
  void set(std::string_view name, Value value);
};

class Interpreter {
public:
  Interpreter(std::string_view name, const RenderLimits &limits, const std::tm &now);
  ~Interpreter();
  Interpreter(const Interpreter &) = delete;
  Interpreter &operator=(const Interpreter &) = delete;

  Scope &globals() { return *global; }
  Status run(const Body &body, OriginText &out);

  // Budgets and failures; each returns false when rendering must stop.
  bool ok() const { return status.ok(); }
  bool step(uint64_t count = 1);
  bool work(uint64_t bytes) { return step(bytes / 64); }
  bool charge(uint64_t bytes); // memory that a value takes
  bool append(OriginText &out, const OriginText &text, size_t begin, size_t end);
  bool append(OriginText &out, const OriginText &text) { return append(out, text, 0, text.size()); }
  bool append(OriginText &out, std::string_view text, TextOrigin origin = TextOrigin::Template);
  void fail(std::string message, ErrorCode code = ErrorCode::InvalidInput);
  // "`what` cannot be used on a string".
  Value wrongType(std::string_view what, const Value &value);
  const std::tm &time() const { return now; }

  // Making values.
  Value list(std::vector<Value> items, bool tuple = false);
  Value dict(std::vector<std::pair<Value, Value>> entries);
  Value fromJson(const OrderedJson &json, TextOrigin origin);
  Value makeNamespace(const Arguments &arguments);

  // The language's operations; defined in Operators.cpp.
  Value attribute(const Value &object, std::string_view name);
  Value item(const Value &object, const Value &key);
  Value slice(const Value &object, const Value &start, const Value &stop, const Value &step);
  Value binary(std::string_view op, const Value &a, const Value &b);
  bool compare(std::string_view op, const Value &a, const Value &b);
  bool less(const Value &a, const Value &b);
  bool contains(const Value &container, const Value &value);
  bool iterate(const Value &value, std::vector<Value> &items);
  OriginText text(const Value &value);                         // str()
  void appendRepr(OriginText &out, const Value &value);        // repr()
  Value call(const Value &callee, const Arguments &arguments); // any callable
  Value callMethod(const Value &self, std::string_view name, const Arguments &arguments);
  Value callFunction(std::string_view name, const Arguments &arguments);

private:
  enum class Flow : uint8_t { Normal, Break, Continue };
  class DepthGuard;

  Flow execute(const Body &body, const std::shared_ptr<Scope> &scope, OriginText &out);
  Flow executeFor(const Statement &statement, const std::shared_ptr<Scope> &scope, OriginText &out);
  void assign(const Target &target, const Value &value, Scope &scope);
  Value filterText(const Statement &statement, OriginText text, const std::shared_ptr<Scope> &scope);
  Value callMacro(const Callable &macro, const Arguments &arguments);

  Value evaluate(const Expr &expr, Scope &scope);
  Value evaluateName(const Expr &expr, Scope &scope);
  Value evaluateContainer(const Expr &expr, Scope &scope);
  Value evaluateAccess(const Expr &expr, Scope &scope);
  Value evaluateCall(const Expr &expr, Scope &scope);
  Value evaluateLogic(const Expr &expr, Scope &scope);
  Value evaluateUnary(const Expr &expr, Scope &scope);
  Value evaluateConcat(const Expr &expr, Scope &scope);
  Value evaluateCompare(const Expr &expr, Scope &scope);
  Arguments evaluateArguments(const Expr &expr, Scope &scope);

  std::string_view name;
  RenderLimits limits;
  std::tm now;
  std::shared_ptr<Scope> global;
  std::vector<std::shared_ptr<Scope>> captured;       // scopes that a macro holds, emptied at the end
  std::vector<std::shared_ptr<Namespace>> namespaces; // emptied at the end: they can form rings
  uint64_t steps = 0, valueBytes = 0;
  uint32_t evaluationDepth = 0, macroDepth = 0;
  uint32_t line = 0;
  Status status;
};

// Reading arguments of filters, tests and methods.
const Value *argument(const Arguments &arguments, size_t index, std::string_view name);

// JSON as Python's json.dumps writes it. `indent` below 0: on one line.
bool appendJson(Interpreter &interpreter, OriginText &out, const Value &value, int indent, bool ascii, bool sortKeys,
                std::string_view itemSeparator, std::string_view keySeparator);
// A float as Python writes it.
std::string spellNumber(double value);

// Positions in text count characters, as in Python.
size_t characterCount(std::string_view text);

} // namespace adze::tmpl

#endif // ADZE_TEXT_TEMPLATE_INTERPRETER_H
