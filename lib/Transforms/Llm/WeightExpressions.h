//===- WeightExpressions.h - rewriting the expressions of weights -------------------------------------------------===//
//
// What passes do to weights: make one of several, convert one, give one a storage order. Expressions stay expressions;
// no data is touched here.
//
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_LIB_TRANSFORMS_LLM_WEIGHTEXPRESSIONS_H
#define ADZE_LIB_TRANSFORMS_LLM_WEIGHTEXPRESSIONS_H

#include "adze/Dialect/Llm/IR/Products.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace adze::llm {

class WeightExpressions {
public:
  explicit WeightExpressions(mlir::ModuleOp module);

  /// The weight that a value is, or null.
  WeightOp weightOf(mlir::Value value);
  /// All llm.get_weight ops of a weight.
  llvm::ArrayRef<GetWeightOp> readersOf(WeightOp weight);
  /// True if `value` is a weight that nothing but one operand reads.
  bool readOnce(mlir::Value value);

  /// A new weight with the rows of all, one below the other, named after the first; and a reader of it at the builder.
  mlir::Value concatRows(llvm::ArrayRef<mlir::Value> weights, llvm::StringRef suffix, mlir::OpBuilder &builder);
  /// Appends an op to the weight's expression that makes a value of `type`, and gives that type to all readers.
  void append(WeightOp weight, mlir::RankedTensorType type,
              llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::Value)> make);
  /// Erases readers without uses and weights without readers.
  void eraseUnused();

private:
  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<GetWeightOp>> readers;
};

/// Makes one product of several alike ones and gives each its columns of the result. The results' users then read
/// llm.slice_columns. The caller has checked Product::alike and that the weights are read once.
void fuseProducts(llvm::ArrayRef<mlir::Operation *> products, llvm::StringRef suffix, WeightExpressions &weights);

/// Why a set of products cannot be one; empty: they can.
std::string whyNotFused(llvm::ArrayRef<mlir::Operation *> products, WeightExpressions &weights);

/// Leaves a reason on an op; llm-form-kernels hands it to the op's kernel, for people who inspect an artifact.
void noteUnfused(mlir::Operation *op, const std::string &reason);

} // namespace adze::llm

#endif // ADZE_LIB_TRANSFORMS_LLM_WEIGHTEXPRESSIONS_H
