// The way from sequential kernels to the llvm dialect, as one pipeline.
#include "adze/Conversion/TileToCpu/Passes.h"
#include "adze/Transforms/Tile/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

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
  manager.addPass(createTilePeelBoundariesPass());
  manager.addPass(createTileAssignLayoutsPass({target.str()}));
  manager.addPass(createTileVerifyKernelsPass({target.str()}));
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
