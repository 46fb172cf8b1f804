// RegisterPasses.cpp: every pass that a pipeline may name.
#include "adze/Conversion/ExecToLLVM/Passes.h"
#include "adze/Conversion/LlmToExec/Passes.h"
#include "adze/Conversion/LlmToTile/Passes.h"
#include "adze/Conversion/TileToCpu/Passes.h"
#include "adze/Pipeline/Phase.h"
#include "adze/Transforms/Exec/Passes.h"
#include "adze/Transforms/Llm/Passes.h"
#include "adze/Transforms/Tile/Passes.h"

#include "mlir/Transforms/Passes.h"

#include <mutex>

void adze::registerPipelinePasses() {
  static std::once_flag once;
  std::call_once(once, [] {
    mlir::registerCanonicalizerPass();
    mlir::registerCSEPass();
    exec::registerExecTransformsPasses();
    exec::registerExecToLLVMPasses();
    llm::registerLlmTransformsPasses();
    tile::registerTileTransformsPasses();
    registerLlmToTilePasses();
    registerLlmToExecPasses();
    registerTileToCpuPasses();
  });
}
