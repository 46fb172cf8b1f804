// The way from sequential kernels to the llvm dialect for a GPU, as one pipeline.
#include "adze/Conversion/TileToGpu/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;

void adze::tile::buildThreadsToLLVM(OpPassManager &manager) {
  manager.addPass(createCSEPass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(createConvertMathToLLVMPass());
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createConvertFuncToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
}

void adze::tile::buildTileToGpu(OpPassManager &manager, StringRef target, bool asItStands) {
  // By name: a conversion sees its two dialects, not the passes that run before it.
  std::string option = ("{target=" + target + "}").str();
  std::string passes = "tile-assign-thread-layouts" + option + ",";
  if (!asItStands)
    passes += "tile-pipeline-loads,";
  if (failed(parsePassPipeline(passes + "tile-verify-kernels" + option, manager)))
    llvm::report_fatal_error("the passes of adze/Transforms/Tile/Passes.h are not registered");
  manager.addPass(createConvertTileToGpuPass({target.str()}));
  buildThreadsToLLVM(manager);
}

namespace {
struct TargetOption : PassPipelineOptions<TargetOption> {
  Option<std::string> target{*this, "target", llvm::cl::desc("name of the GPU"), llvm::cl::init("sm_80")};
};
} // namespace

void adze::tile::registerTileToGpuPipeline() {
  PassPipelineRegistration<TargetOption>(
      "tile-to-gpu", "sequential kernels to the llvm dialect, the code of one thread of a GPU",
      [](OpPassManager &manager, const TargetOption &options) { buildTileToGpu(manager, options.target); });
}
