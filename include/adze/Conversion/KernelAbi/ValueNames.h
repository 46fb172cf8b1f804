// ValueNames.h: what the values of a step are called, for people and for comparisons.
//
// A value is named after the weight that makes it: `layers.3.attention.norm`, `layers.3.attention.qkv`,
// `layers.3.feed_forward.down`. What is done to it afterwards is appended: `.added` (the residual is on it), `.gated`,
// `.rotated`, `.rows`, `.columns`, `.codes`, `.scale`, `.sum`. The mix of values that attention makes has no weight and
// is `layers.3.attention.mix`. Rounding to bf16 changes no name, so that one value has one name in every numerics; nor
// does grouping.
#ifndef ADZE_CONVERSION_KERNELABI_VALUENAMES_H
#define ADZE_CONVERSION_KERNELABI_VALUENAMES_H

#include "adze/Dialect/Llm/IR/Llm.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <string>

namespace adze {

class ValueNames {
public:
  explicit ValueNames(mlir::func::FuncOp step);

  /// Empty for what is no tensor of activations: batch, cache, weights.
  std::string of(mlir::Value value) const { return names.lookup(value); }

  /// The N of a name that begins with "layers.N.".
  static std::optional<int64_t> layerOf(llvm::StringRef name);

private:
  void visit(mlir::Block &block);
  void name(mlir::Operation &op);

  llvm::DenseMap<mlir::Value, std::string> names, weights;
  llvm::DenseMap<mlir::Value, int64_t> layers;
};

} // namespace adze

#endif // ADZE_CONVERSION_KERNELABI_VALUENAMES_H
