// adze-opt: runs passes on IR, for tests and for people. Flags in, library calls out.
//
// It registers the dialects that Adze's phases use and no more, so that it starts in milliseconds, and every pass of
// Adze under its own flag, beside the upstream passes that tests lean on.
#include "adze/Conversion/ExecToLLVM/Passes.h"
#include "adze/Conversion/LlmToExec/Passes.h"
#include "adze/Conversion/LlmToTile/Passes.h"
#include "adze/Conversion/TileToCpu/Passes.h"
#include "adze/Conversion/TileToGpu/Passes.h"
#include "adze/Dialect/Exec/IR/Exec.h"
#include "adze/Dialect/Llm/IR/Llm.h"
#include "adze/Dialect/Tile/IR/Tile.h"
#include "adze/Pipeline/Execution/ExecutionCheck.h"
#include "adze/Support/Mutant.h"
#include "adze/Transforms/Exec/Passes.h"
#include "adze/Transforms/Llm/Passes.h"
#include "adze/Transforms/Tile/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

static llvm::cl::OptionCategory category("Adze's options");
static llvm::cl::opt<bool> verifyByExecution(
    "verify-each-by-execution", llvm::cl::cat(category),
    llvm::cl::desc(
        "run every function before and after each pass and report the first pass, op and element that differ "
        "by more than the pass promises"));
static llvm::cl::opt<uint64_t> seed("seed", llvm::cl::cat(category), llvm::cl::init(1),
                                    llvm::cl::desc("seed of the inputs of --verify-each-by-execution"));
static llvm::cl::opt<std::string> executionCpu("execution-cpu", llvm::cl::cat(category), llvm::cl::init("x86-64-v3"),
                                               llvm::cl::desc("target that --verify-each-by-execution compiles kernels "
                                                              "for: the target of the passes that made them"));
static llvm::cl::opt<std::string> kernelCache("kernel-cache", llvm::cl::cat(category),
                                              llvm::cl::desc("folder of kernels that --verify-each-by-execution "
                                                             "compiled before, in any process"));

/// MlirOptMain with the check around each pass.
static int runWithCheck(const std::string &input, const std::string &output, mlir::DialectRegistry &registry) {
  const adze::TargetInfo *cpu = adze::findTarget(executionCpu);
  if (!cpu) {
    llvm::errs() << "adze-opt: there is no target named '" << executionCpu << "'\n";
    return 1;
  }
  std::string problem;
  std::unique_ptr<llvm::MemoryBuffer> file = mlir::openInputFile(input, &problem);
  std::unique_ptr<llvm::ToolOutputFile> out = file ? mlir::openOutputFile(output, &problem) : nullptr;
  if (!out) {
    llvm::errs() << "adze-opt: " << problem << "\n";
    return 1;
  }
  auto kernels = adze::KernelCache::open(kernelCache);
  if (!kernels) {
    llvm::errs() << "adze-opt: " << kernels.status().message() << "\n";
    return 1;
  }
  auto known = std::make_shared<const adze::KernelCache>(std::move(*kernels));
  mlir::MlirOptMainConfig passes = mlir::MlirOptMainConfig::createFromCLOptions(), checked = passes;
  adze::execution::CheckReport report;
  checked.setPassPipelineSetupFn([&](mlir::PassManager &manager) {
    adze::execution::addExecutionCheck(manager, {seed, cpu, known}, report);
    return passes.setupPassPipeline(manager);
  });
  bool passed = succeeded(mlir::MlirOptMain(out->os(), std::move(file), registry, checked)) && !report.failed;
  llvm::errs() << "execution check: " << report.text() << "\n";
  if (passed)
    out->keep();
  return passed ? 0 : 1;
}

int main(int argc, char **argv) {
  if (adze::Status taken = adze::takeMutantFlag(argc, argv); !taken.ok()) {
    llvm::errs() << "adze-opt: " << taken.message() << "\n";
    return 1;
  }
  mlir::DialectRegistry registry;
  registry
      .insert<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect, mlir::DLTIDialect, mlir::func::FuncDialect,
              mlir::LLVM::LLVMDialect, mlir::math::MathDialect, mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
              mlir::vector::VectorDialect, adze::llm::LlmDialect, adze::tile::TileDialect, adze::exec::ExecDialect>();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerInlinerPass();
  mlir::registerLoopInvariantCodeMotionPass();
  mlir::registerSymbolDCEPass();
  adze::llm::registerLlmTransformsPasses();
  adze::tile::registerTileTransformsPasses();
  adze::exec::registerExecTransformsPasses();
  adze::registerLlmToTilePasses();
  adze::registerLlmToExecPasses();
  adze::registerTileToCpuPasses();
  adze::registerTileToGpuPasses();
  adze::exec::registerExecToLLVMPasses();
  adze::execution::registerExecution(registry);
  auto [input, output] = mlir::registerAndParseCLIOptions(argc, argv, "Adze's pass driver\n", registry);
  if (verifyByExecution)
    return runWithCheck(input, output, registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, input, output, registry));
}
