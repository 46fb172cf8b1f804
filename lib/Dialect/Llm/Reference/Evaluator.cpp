// The machine: walks blocks, keeps values while they have uses left, asks each op for its meaning.
#include "adze/Dialect/Llm/Reference/Evaluator.h"
#include "Operations.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace adze::llm::reference {

Element resultElement(mlir::Value result) {
  auto shaped = dyn_cast<ShapedType>(result.getType());
  return *elementOf(shaped ? shaped.getElementType() : result.getType());
}

namespace {

/// True when a value can stand for an SSA value of the type: kind, element and static extents.
bool fits(const Value &value, Type type) {
  if (isa<BatchType>(type))
    return value.isBatch();
  if (auto kv = dyn_cast<KvType>(type)) {
    if (!value.isCache())
      return false;
    const Cache &cache = value.cache();
    return cache.layers == kv.getLayers() && cache.heads == kv.getHeads() && cache.dim == kv.getDim() &&
           cache.page == kv.getPage() && cache.element == *elementOf(kv.getElement());
  }
  if (!value.isTensor())
    return false;
  const Tensor &tensor = value.tensor();
  auto shaped = dyn_cast<ShapedType>(type);
  FailureOr<Element> element = elementOf(shaped ? shaped.getElementType() : type);
  if (failed(element) || *element != tensor.element)
    return false;
  llvm::ArrayRef<int64_t> shape = shaped ? shaped.getShape() : llvm::ArrayRef<int64_t>();
  if (shape.size() != tensor.shape.size())
    return false;
  for (auto [wanted, found] : llvm::zip_equal(shape, tensor.shape))
    if (!ShapedType::isDynamic(wanted) && wanted != found)
      return false;
  return true;
}

std::string describe(const Value &value) {
  if (value.isBatch())
    return "a batch";
  if (value.isCache())
    return "a cache";
  if (!value.isTensor())
    return "nothing";
  std::string text;
  for (int64_t extent : value.tensor().shape)
    text += std::to_string(extent) + "x";
  return text + std::string(elementName(value.tensor().element));
}

} // namespace

class Evaluator::Impl final : public Machine {
public:
  Impl(ModuleOp module, WeightProvider weights, SourceProvider sources)
      : module(module), weights(std::move(weights)), sources(std::move(sources)), symbols(module) {}

  FailureOr<Value> weight(GetWeightOp op) override;
  FailureOr<Value> valueOf(WeightOp weight);
  FailureOr<Value> source(SourceTensorOp op) override;
  LogicalResult runBlock(Block &block, Values arguments, llvm::SmallVectorImpl<Value> &results) override;

  ModuleOp module;
  WeightProvider weights;
  SourceProvider sources;
  SymbolTable symbols;
  Observer observer;
  GroupRunner groups;
  std::map<std::string, Value> known; // weights that have been worked out
  int depth = 0;

private:
  /// The values of one block. A value leaves with its last use, so that a cache has one holder when an append takes it.
  class Frame {
  public:
    void define(mlir::Value name, Value value, Block &block) {
      unsigned uses = 0; // by the block and by what it encloses
      for (OpOperand &use : name.getUses())
        uses += block.findAncestorOpInBlock(*use.getOwner()) != nullptr;
      if (uses > 0)
        entries[name] = {std::move(value), uses};
    }
    Value use(mlir::Value name) {
      auto entry = entries.find(name);
      assert(entry != entries.end() && "a value is used before it is defined");
      if (--entry->second.second > 0)
        return entry->second.first;
      Value last = std::move(entry->second.first);
      entries.erase(entry);
      return last;
    }

  private:
    llvm::DenseMap<mlir::Value, std::pair<Value, unsigned>> entries;
  };

  LogicalResult runOp(Operation &op, llvm::SmallVectorImpl<Value> &operands, llvm::SmallVectorImpl<Value> &results);
};

FailureOr<Value> Evaluator::Impl::weight(GetWeightOp op) {
  auto weight = symbols.lookup<WeightOp>(op.getWeight());
  if (!weight)
    return op.emitOpError() << "c1: there is no llm.weight @" << op.getWeight();
  FailureOr<Value> value = valueOf(weight);
  if (succeeded(value) && !fits(*value, op.getType()))
    return op.emitOpError() << "weight @" << op.getWeight() << " is " << describe(*value) << ", not " << op.getType();
  return value;
}

FailureOr<Value> Evaluator::Impl::valueOf(WeightOp weight) {
  auto found = known.find(weight.getSymName().str());
  if (found != known.end())
    return found->second;
  Value value;
  if (weights) {
    Expected<Tensor> tensor = weights(weight);
    if (!tensor)
      return weight.emitError() << "weight @" << weight.getSymName() << ": " << tensor.status().message();
    value = std::move(*tensor);
  } else {
    llvm::SmallVector<Value> results;
    if (failed(runBlock(weight.getBody().front(), {}, results)))
      return failure();
    value = results.front();
  }
  known[weight.getSymName().str()] = value;
  return value;
}

FailureOr<Value> Evaluator::Impl::source(SourceTensorOp op) {
  if (!sources)
    return op.emitOpError() << "no source of stored tensors was given to the evaluator";
  Expected<Tensor> tensor = sources(op);
  if (!tensor)
    return op.emitOpError() << tensor.status().message();
  return Value(std::move(*tensor));
}

LogicalResult Evaluator::Impl::runOp(Operation &op, llvm::SmallVectorImpl<Value> &operands,
                                     llvm::SmallVectorImpl<Value> &results) {
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee || callee.isDeclaration() || depth > 100)
      return op.emitOpError() << "calls @" << call.getCallee() << ", which has no body to run here";
    Values arguments(std::make_move_iterator(operands.begin()), std::make_move_iterator(operands.end()));
    operands.clear();
    return runBlock(callee.getBody().front(), std::move(arguments), results);
  }
  if (auto group = dyn_cast<KernelOp>(op); group && groups) {
    FailureOr<bool> ran = groups(group, operands, results);
    if (failed(ran) || *ran)
      return LogicalResult(ran);
  }
  auto meaning = dyn_cast<ReferenceEval>(op);
  if (!meaning)
    return op.emitOpError() << "has no reference evaluation";
  return meaning.evaluate(operands, results, *this);
}

LogicalResult Evaluator::Impl::runBlock(Block &block, Values arguments, llvm::SmallVectorImpl<Value> &results) {
  assert(block.getNumArguments() == arguments.size() && "a block runs with a value for each argument");
  Frame frame;
  for (auto [name, value] : llvm::zip_equal(block.getArguments(), arguments))
    frame.define(name, std::move(value), block);
  arguments.clear();
  ++depth;
  for (Operation &op : block) {
    llvm::SmallVector<Value> operands, produced;
    for (mlir::Value operand : op.getOperands())
      operands.push_back(frame.use(operand));
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      results.append(std::make_move_iterator(operands.begin()), std::make_move_iterator(operands.end()));
      break;
    }
    if (failed(runOp(op, operands, produced)))
      return failure();
    operands.clear();
    if (produced.size() != op.getNumResults())
      return op.emitOpError() << "evaluation gave " << produced.size() << " results";
    for (auto [name, value] : llvm::zip_equal(op.getResults(), produced))
      if (!fits(value, name.getType()))
        return op.emitOpError() << "evaluates to " << describe(value) << ", its result is " << name.getType();
    if (observer)
      observer(&op, produced);
    for (auto [name, value] : llvm::zip_equal(op.getResults(), produced))
      frame.define(name, std::move(value), block);
  }
  --depth;
  return success();
}

Evaluator::Evaluator(ModuleOp module, WeightProvider weights, SourceProvider source) {
  registerReferenceEvaluator(*module.getContext());
  impl = std::make_unique<Impl>(module, std::move(weights), std::move(source));
}
Evaluator::~Evaluator() = default;

void Evaluator::observe(Observer observer) { impl->observer = std::move(observer); }
void Evaluator::runGroups(GroupRunner runner) { impl->groups = std::move(runner); }

namespace {
/// Takes the errors that an evaluation emits; the caller reports them.
class ErrorText {
public:
  explicit ErrorText(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
            return failure();
          llvm::raw_string_ostream os(text);
          os << (text.empty() ? "" : "; ") << diagnostic.getLocation() << ": " << diagnostic;
          return success();
        }) {}
  std::string orElse(const std::string &other) const { return text.empty() ? other : text; }

private:
  std::string text;
  ScopedDiagnosticHandler handler;
};
} // namespace

Expected<Tensor> Evaluator::weight(WeightOp weight) {
  ErrorText errors(weight.getContext());
  FailureOr<Value> value = impl->valueOf(weight);
  if (failed(value))
    return invalidInput(errors.orElse("weight @" + weight.getSymName().str() + " has no value"));
  return value->tensor();
}

Expected<Values> Evaluator::run(func::FuncOp function, Values inputs) {
  if (function.isDeclaration() || !llvm::hasSingleElement(function.getBody()))
    return invalidInput("function @" + function.getName().str() + " needs a body of one block");
  if (inputs.size() != function.getNumArguments())
    return invalidInput("function @" + function.getName().str() + " takes " +
                        std::to_string(function.getNumArguments()) + " values, found " + std::to_string(inputs.size()));
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    if (!fits(inputs[index], type)) {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      return invalidInput("argument " + std::to_string(index) + " of @" + function.getName().str() + " is " + text +
                          ", found " + describe(inputs[index]));
    }
  ErrorText errors(function.getContext());
  impl->depth = 0;
  llvm::SmallVector<Value> results;
  if (failed(impl->runBlock(function.getBody().front(), std::move(inputs), results)))
    return invalidInput(errors.orElse("evaluation of @" + function.getName().str() + " failed"));
  return Values(results.begin(), results.end());
}

Expected<Values> Evaluator::run(std::string_view name, Values inputs) {
  auto function = impl->symbols.lookup<func::FuncOp>(llvm::StringRef(name));
  if (!function)
    return notFound("there is no function @" + std::string(name));
  return run(function, std::move(inputs));
}

Expected<Values> evaluate(func::FuncOp function, Values inputs, WeightProvider weights) {
  Evaluator evaluator(function->getParentOfType<ModuleOp>(), std::move(weights));
  return evaluator.run(function, std::move(inputs));
}

} // namespace adze::llm::reference
