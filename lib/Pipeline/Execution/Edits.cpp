// Edits.cpp: returns, ops, functions, weights, arguments; requests and tokens.
#include "Edits.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace adze::execution {

namespace {
std::vector<func::FuncOp> functionsOf(ModuleOp module) {
  std::vector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isDeclaration() && function.getBody().hasOneBlock())
      functions.push_back(function);
  return functions;
}

void updateType(func::FuncOp function) {
  Block &block = function.getBody().front();
  function.setFunctionType(
      FunctionType::get(function.getContext(), block.getArgumentTypes(), block.getTerminator()->getOperandTypes()));
}

/// Erases ops whose results nobody reads, and arguments that nobody reads.
void sweep(func::FuncOp function) {
  Block &block = function.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (!op.hasTrait<OpTrait::IsTerminator>() && op.getNumResults() > 0 && op.use_empty())
      op.erase();
  for (unsigned i = block.getNumArguments(); i-- > 0;)
    if (block.getArgument(i).use_empty())
      block.eraseArgument(i);
  function.removeArgAttrsAttr(); // they are by number
  updateType(function);
}

void setReturn(func::FuncOp function, ArrayRef<Value> values) {
  function.getBody().front().getTerminator()->setOperands(values);
  function.removeResAttrsAttr();
  sweep(function);
}

/// One function, of several.
bool dropFunction(ModuleOp module, unsigned number) {
  std::vector<func::FuncOp> functions = functionsOf(module);
  if (functions.size() < 2 || number >= functions.size())
    return false;
  functions[number].erase();
  return true;
}

/// All results but one.
bool returnOne(ModuleOp module, unsigned number) {
  for (func::FuncOp function : functionsOf(module)) {
    OperandRange returned = function.getBody().front().getTerminator()->getOperands();
    if (returned.size() < 2)
      continue;
    if (number < returned.size()) {
      setReturn(function, {returned[number]});
      return true;
    }
    number -= returned.size();
  }
  return false;
}

/// What the op of the result read, instead of the result.
bool returnOperand(ModuleOp module, unsigned number) {
  for (func::FuncOp function : functionsOf(module)) {
    OperandRange returned = function.getBody().front().getTerminator()->getOperands();
    if (returned.size() != 1 || !returned[0].getDefiningOp())
      continue;
    for (Value operand : returned[0].getDefiningOp()->getOperands()) {
      if (!operand.getDefiningOp() ||
          !(isa<RankedTensorType>(operand.getType()) || isa<llm::KvType>(operand.getType())))
        continue;
      if (number-- == 0) {
        setReturn(function, {operand});
        return true;
      }
    }
  }
  return false;
}

template <class Body> bool atOp(ModuleOp module, unsigned number, Body body) {
  for (func::FuncOp function : functionsOf(module))
    for (Operation &op : function.getBody().front()) {
      if (op.hasTrait<OpTrait::IsTerminator>() || op.getNumResults() == 0)
        continue;
      if (number-- == 0) {
        body(function, op);
        return true;
      }
    }
  return false;
}

/// An op goes; its results are arguments, which get generated numbers.
bool cutOp(ModuleOp module, unsigned number) {
  return atOp(module, number, [](func::FuncOp function, Operation &op) {
    Block &block = function.getBody().front();
    for (Value result : op.getResults())
      if (!result.use_empty())
        result.replaceAllUsesWith(block.addArgument(result.getType(), op.getLoc()));
    sweep(function);
  });
}

/// An op goes; who read its result reads an operand of the same type.
bool bypassOp(ModuleOp module, unsigned number) {
  return atOp(module, number, [](func::FuncOp function, Operation &op) {
    for (Value operand : op.getOperands())
      if (op.getNumResults() == 1 && operand.getType() == op.getResult(0).getType()) {
        op.getResult(0).replaceAllUsesWith(operand);
        break;
      }
    sweep(function);
  });
}

/// A symbol that nothing names: a weight, a file.
bool dropSymbol(ModuleOp module, unsigned number) {
  SymbolTable symbols(module);
  for (Operation &op : *module.getBody()) {
    if (isa<func::FuncOp>(op) || !isa<SymbolOpInterface>(op) || !SymbolTable::symbolKnownUseEmpty(&op, module))
      continue;
    if (number-- == 0) {
      op.erase();
      return true;
    }
  }
  return false;
}

/// An attribute of the module that no pass here needs, for example what an importer noted.
bool dropAttribute(ModuleOp module, unsigned number) {
  for (NamedAttribute attribute : llvm::to_vector(module->getDiscardableAttrs())) {
    if (attribute.getName() == kScenarioAttr)
      continue;
    if (number-- == 0) {
      module->removeAttr(attribute.getName());
      return true;
    }
  }
  return false;
}
} // namespace

std::vector<Edit> moduleEdits() {
  return {dropFunction, returnOne, returnOperand, cutOp, bypassOp, dropSymbol, dropAttribute};
}

std::vector<Scenario> smallerScenarios(const Scenario &scenario) {
  std::vector<Scenario> smaller;
  auto add = [&](auto change) {
    Scenario candidate = scenario;
    change(candidate);
    smaller.push_back(std::move(candidate));
  };
  if (scenario.requests.size() > 1)
    for (size_t i = 0; i < scenario.requests.size(); ++i)
      add([&](Scenario &s) { s.requests = {scenario.requests[i]}; });
  for (size_t i = 0; i < scenario.requests.size(); ++i) {
    const RequestShape &r = scenario.requests[i];
    if (scenario.requests.size() > 1)
      add([&](Scenario &s) { s.requests.erase(s.requests.begin() + i); });
    for (int64_t queries : {int64_t(1), r.queries / 2, r.queries - 1})
      if (queries >= 1 && queries < r.queries)
        add([&](Scenario &s) {
          s.requests[i] = {queries, queries + r.kvLength - r.queries, r.promptLength, r.allRows};
        });
    for (int64_t length : {r.queries, r.queries + (r.kvLength - r.queries) / 2, r.kvLength - 1})
      if (length >= r.queries && length < r.kvLength)
        add([&](Scenario &s) { s.requests[i].kvLength = length; });
    if (r.promptLength != r.kvLength)
      add([&](Scenario &s) { s.requests[i].promptLength = r.kvLength; });
    if (r.allRows)
      add([&](Scenario &s) { s.requests[i].allRows = false; });
  }
  if (scenario.numbers != Numbers::Integers)
    add([&](Scenario &s) { s.numbers = Numbers::Integers; });
  return smaller;
}

int64_t countOps(ModuleOp module) {
  int64_t count = 0;
  for (func::FuncOp function : functionsOf(module))
    function.walk([&](Operation *op) { count += op != function && !op->hasTrait<OpTrait::IsTerminator>(); });
  return count;
}

} // namespace adze::execution
