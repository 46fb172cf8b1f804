// Passes.h: passes from exec to exec.
#ifndef ADZE_TRANSFORMS_EXEC_PASSES_H
#define ADZE_TRANSFORMS_EXEC_PASSES_H

#include "adze/Transforms/NumericEffect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace adze::exec {

#define GEN_PASS_DECL
#include "adze/Transforms/Exec/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "adze/Transforms/Exec/Passes.h.inc"

} // namespace adze::exec

#endif
