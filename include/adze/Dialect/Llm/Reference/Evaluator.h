// Evaluator.h: runs functions of the llm dialect, plainly and slowly. It is the executable specification: what a
// kernel, a pass or a whole compiled model computes is compared with what stands here.
//
//   Evaluator evaluator(module, provider);
//   auto results = evaluator.run("step", values(tokens, batch, std::move(cache)));
//
// It knows func.func, func.call, llm ops, groups (llm.kernel) and the arith and math ops that the llm level uses; each
// op's meaning is its `ReferenceEval` interface, attached by `registerReferenceEvaluator`. Any other op, an index out
// of range or an extent that contradicts a type is a failure that names the op. One evaluator is used by one thread.
#ifndef ADZE_DIALECT_LLM_REFERENCE_EVALUATOR_H
#define ADZE_DIALECT_LLM_REFERENCE_EVALUATOR_H

#include "adze/Dialect/Llm/Reference/Values.h"
#include "adze/Support/Status.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace adze::llm::reference {

using Values = std::vector<Value>;

/// A list that takes what is moved into it. A braced list would copy, and a cache that two hold is copied by an append.
template <class... Parts> Values values(Parts &&...parts) {
  Values list;
  list.reserve(sizeof...(parts));
  (list.emplace_back(std::forward<Parts>(parts)), ...);
  return list;
}

/// Gives the number of a weight, as its type says (packs do not matter). Asked once for each weight.
using WeightProvider = std::function<Expected<Tensor>(WeightOp)>;
/// Gives a stored tensor to weight expressions that the evaluator works out itself.
using SourceProvider = std::function<Expected<Tensor>(SourceTensorOp)>;

/// Attaches `ReferenceEval` to the ops of llm, arith and math.
void registerReferenceEvaluator(mlir::DialectRegistry &registry);
void registerReferenceEvaluator(mlir::MLIRContext &context);

/// Called after each op outside and inside groups, with its results: for dumps and for finding the first difference.
using Observer = std::function<void(mlir::Operation *, llvm::ArrayRef<Value>)>;

/// May run a group instead of its ops, for example as a compiled kernel: true with results, or false for "run the ops".
/// What it reports by a failure has been emitted as an error of the group.
using GroupRunner =
    std::function<mlir::FailureOr<bool>(KernelOp, llvm::MutableArrayRef<Value>, llvm::SmallVectorImpl<Value> &)>;

/// What an op's evaluation may ask for.
class Machine {
public:
  virtual ~Machine() = default;
  /// The value of a weight, worked out once.
  virtual mlir::FailureOr<Value> weight(GetWeightOp op) = 0;
  virtual mlir::FailureOr<Value> source(SourceTensorOp op) = 0;
  /// Runs a block with the given arguments; the results are the operands of its terminator.
  virtual mlir::LogicalResult runBlock(mlir::Block &block, Values arguments, llvm::SmallVectorImpl<Value> &results) = 0;
};

class Evaluator {
public:
  /// Without a provider, a weight's own expression is evaluated; it may then use constants and, through `source`,
  /// files.
  explicit Evaluator(mlir::ModuleOp module, WeightProvider weights = {}, SourceProvider source = {});
  ~Evaluator();
  Evaluator(const Evaluator &) = delete;
  Evaluator &operator=(const Evaluator &) = delete;

  void observe(Observer observer);
  void runGroups(GroupRunner runner);

  /// The value of a weight of the module, as `llm.get_weight` gives it.
  Expected<Tensor> weight(WeightOp weight);

  /// Runs a function of the module. A cache that is moved in is changed in place rather than copied.
  Expected<Values> run(mlir::func::FuncOp function, Values inputs);
  Expected<Values> run(std::string_view function, Values inputs);

private:
  class Impl;
  std::unique_ptr<Impl> impl;
};

/// The same for a single call.
Expected<Values> evaluate(mlir::func::FuncOp function, Values inputs, WeightProvider weights = {});

} // namespace adze::llm::reference

#endif // ADZE_DIALECT_LLM_REFERENCE_EVALUATOR_H
