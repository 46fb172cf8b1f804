// Passes.h: from grouped ops to a line of launches.
#ifndef ADZE_CONVERSION_LLMTOEXEC_PASSES_H
#define ADZE_CONVERSION_LLMTOEXEC_PASSES_H

#include "adze/Dialect/Exec/IR/Exec.h"
#include "adze/Transforms/NumericEffect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace adze {

#define GEN_PASS_DECL
#include "adze/Conversion/LlmToExec/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "adze/Conversion/LlmToExec/Passes.h.inc"

} // namespace adze

#endif
