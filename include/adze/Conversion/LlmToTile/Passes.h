// Passes from llm to tile.
#ifndef ADZE_CONVERSION_LLMTOTILE_PASSES_H
#define ADZE_CONVERSION_LLMTOTILE_PASSES_H

#include "adze/Transforms/NumericEffect.h"
#include "mlir/Pass/Pass.h"

namespace adze {
#define GEN_PASS_DECL
#include "adze/Conversion/LlmToTile/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "adze/Conversion/LlmToTile/Passes.h.inc"
} // namespace adze

#endif // ADZE_CONVERSION_LLMTOTILE_PASSES_H
