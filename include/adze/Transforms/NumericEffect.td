// What a pass may do to the numbers that a function computes, said in the pass's own record.
#ifndef ADZE_TRANSFORMS_NUMERICEFFECT_TD
#define ADZE_TRANSFORMS_NUMERICEFFECT_TD

include "mlir/Pass/PassBase.td"

// A pass on modules. `effect` is Exact, Reorders or Rounds (adze/Transforms/NumericEffect.h); the checker of
// adze-opt --verify-each-by-execution asks the pass for it.
class Adze_Pass<string flag, string effect> : PassBase<flag, "::adze::" # effect # "Pass">;

#endif // ADZE_TRANSFORMS_NUMERICEFFECT_TD
