// Passes on the llm dialect, in the order in which they run: see Passes.td.
#ifndef ADZE_TRANSFORMS_LLM_PASSES_H
#define ADZE_TRANSFORMS_LLM_PASSES_H

#include "adze/Transforms/NumericEffect.h"
#include "mlir/Pass/Pass.h"

namespace adze::llm {
#define GEN_PASS_DECL
#include "adze/Transforms/Llm/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "adze/Transforms/Llm/Passes.h.inc"
} // namespace adze::llm

#endif // ADZE_TRANSFORMS_LLM_PASSES_H
