// adze-opt: runs passes on IR, for tests and for people. Flags in, library calls out.
//
// It registers the dialects that Adze's phases use and no more, so that it starts in milliseconds, and every pass of
// Adze under its own flag, beside the upstream passes that tests lean on.
#include "adze/Conversion/ExecToLLVM/Passes.h"
#include "adze/Conversion/LlmToExec/Passes.h"
#include "adze/Conversion/LlmToTile/Passes.h"
#include "adze/Conversion/TileToCpu/Passes.h"
#include "adze/Dialect/Exec/IR/Exec.h"
#include "adze/Dialect/Llm/IR/Llm.h"
#include "adze/Dialect/Tile/IR/Tile.h"
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
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

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
  adze::exec::registerExecToLLVMPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Adze's pass driver\n", registry));
}
