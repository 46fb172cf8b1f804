// RegisterPasses.cpp: every pass that a pipeline may name.
#include "adze/Conversion/ExecToLLVM/Passes.h"
#include "adze/Pipeline/Phase.h"
#include "adze/Transforms/Exec/Passes.h"
#ifdef ADZE_WITH_LLMTOEXEC
#include "adze/Conversion/LlmToExec/Passes.h"
#endif
#ifdef ADZE_WITH_LLMTOTILE
#include "adze/Conversion/LlmToTile/Passes.h"
#endif
#ifdef ADZE_WITH_TILETOCPU
#include "adze/Conversion/TileToCpu/Passes.h"
#endif
#ifdef ADZE_WITH_LLMTRANSFORMS
#include "adze/Transforms/Llm/Passes.h"
#endif
#ifdef ADZE_WITH_TILETRANSFORMS
#include "adze/Transforms/Tile/Passes.h"
#endif

#include "mlir/Transforms/Passes.h"

#include <mutex>

void adze::registerPipelinePasses() {
  static std::once_flag once;
  std::call_once(once, [] {
    mlir::registerCanonicalizerPass();
    mlir::registerCSEPass();
    exec::registerExecTransformsPasses();
    exec::registerExecToLLVMPasses();
#ifdef ADZE_WITH_LLMTRANSFORMS
    llm::registerLlmTransformsPasses();
#endif
#ifdef ADZE_WITH_TILETRANSFORMS
    tile::registerTileTransformsPasses();
#endif
#ifdef ADZE_WITH_LLMTOTILE
    registerLlmToTilePasses();
#endif
#ifdef ADZE_WITH_LLMTOEXEC
    registerLlmToExecPasses();
#endif
#ifdef ADZE_WITH_TILETOCPU
    registerTileToCpuPasses();
#endif
  });
}
