// The way from sequential kernels to the llvm dialect, as one pipeline.
#include "adze/Conversion/TileToCpu/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;

void adze::tile::buildVectorToLLVM(OpPassManager &manager) {
  manager.addPass(createCSEPass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(createConvertVectorToLLVMPass());
  manager.addPass(createConvertMathToLLVMPass());
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createConvertFuncToLLVMPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
}

void adze::tile::buildTileToLLVM(OpPassManager &manager, StringRef target) {
  // By name: a conversion sees its two dialects, not the passes that run before it.
  std::string option = ("{target=" + target + "}").str();
  std::string passes = "tile-peel-boundaries,tile-assign-layouts" + option + ",tile-verify-kernels" + option;
  if (failed(parsePassPipeline(passes, manager)))
    llvm::report_fatal_error("the passes of adze/Transforms/Tile/Passes.h are not registered");
  manager.addPass(createConvertTileToCpuPass({target.str()}));
  buildVectorToLLVM(manager);
}

namespace {
struct TargetOption : PassPipelineOptions<TargetOption> {
  Option<std::string> target{*this, "target", llvm::cl::desc("name of the target"), llvm::cl::init("x86-64-v3")};
};
} // namespace

void adze::tile::registerTileToLLVMPipeline() {
  PassPipelineRegistration<TargetOption>(
      "tile-to-llvm", "sequential kernels to the llvm dialect",
      [](OpPassManager &manager, const TargetOption &options) { buildTileToLLVM(manager, options.target); });
}
