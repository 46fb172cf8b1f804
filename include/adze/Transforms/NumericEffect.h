// NumericEffect.h: what a pass may do to the numbers that a function computes.
//
// Each record of Passes.td names one of the three (Adze_Pass in NumericEffect.td), and the pass derives from the class
// of that name, so the promise stands where the pass is described. `adze-opt --verify-each-by-execution` runs functions
// before and after each pass and holds the pass to it. A pass that is none of Adze's promises nothing and must be
// exact.
#ifndef ADZE_TRANSFORMS_NUMERICEFFECT_H
#define ADZE_TRANSFORMS_NUMERICEFFECT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace adze {

enum class NumericEffect {
  Exact,    ///< every number keeps its bits (0 and -0 count as one, and all NaN)
  Reorders, ///< sums in another order or of another precision: the bound of docs/Numerics.md for what runs then
  Rounds    ///< says itself what is rounded: its own bound
};

struct NumericPromise {
  NumericEffect effect = NumericEffect::Exact;
  /// For Rounds: the largest change of a number, relative to the largest number of the value that it is in.
  double bound = 0;
};

/// A pass that says what it may change.
class NumericPass : public mlir::OperationPass<mlir::ModuleOp> {
public:
  using OperationPass::OperationPass;
  virtual NumericPromise numericPromise() const = 0;
};

class ExactPass : public NumericPass {
public:
  using NumericPass::NumericPass;
  NumericPromise numericPromise() const final { return {NumericEffect::Exact}; }
};

class ReordersPass : public NumericPass {
public:
  using NumericPass::NumericPass;
  NumericPromise numericPromise() const final { return {NumericEffect::Reorders}; }
};

/// States its bound in `numericPromise`; with options that round nothing it may answer Exact.
class RoundsPass : public NumericPass {
public:
  using NumericPass::NumericPass;
};

} // namespace adze

#endif // ADZE_TRANSFORMS_NUMERICEFFECT_H
