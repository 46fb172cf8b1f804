// adze-opt: runs passes on IR, for tests and for people. Flags in, library calls out.
//
// It registers the dialects that Adze's phases use and no more, so that it starts in milliseconds, and every pass of
// Adze under its own flag, beside the upstream passes that tests lean on.
#include "adze/Dialect/Llm/IR/Llm.h"
#include "adze/Support/Mutant.h"
#ifdef ADZE_WITH_EXEC
#include "adze/Dialect/Exec/IR/Exec.h"
#endif
#ifdef ADZE_WITH_TILE
#include "adze/Dialect/Tile/IR/Tile.h"
#endif
#ifdef ADZE_WITH_EXECTOLLVM
#include "adze/Conversion/ExecToLLVM/Passes.h"
#endif
#ifdef ADZE_WITH_LLMTOEXEC
#include "adze/Conversion/LlmToExec/Passes.h"
#endif
#ifdef ADZE_WITH_LLMTOTILE
#include "adze/Conversion/LlmToTile/Passes.h"
#endif
#ifdef ADZE_WITH_TILETOCPU
#include "adze/Conversion/TileToCpu/Passes.h"
#endif
#ifdef ADZE_WITH_EXECTRANSFORMS
#include "adze/Transforms/Exec/Passes.h"
#endif
#ifdef ADZE_WITH_LLMTRANSFORMS
#include "adze/Transforms/Llm/Passes.h"
#endif
#ifdef ADZE_WITH_TILETRANSFORMS
#include "adze/Transforms/Tile/Passes.h"
#endif

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
  registry.insert<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect, mlir::DLTIDialect, mlir::func::FuncDialect,
                  mlir::LLVM::LLVMDialect, mlir::math::MathDialect, mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                  mlir::vector::VectorDialect, adze::llm::LlmDialect>();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerInlinerPass();
  mlir::registerLoopInvariantCodeMotionPass();
  mlir::registerSymbolDCEPass();
#ifdef ADZE_WITH_EXEC
  registry.insert<adze::exec::ExecDialect>();
#endif
#ifdef ADZE_WITH_TILE
  registry.insert<adze::tile::TileDialect>();
#endif
#ifdef ADZE_WITH_LLMTRANSFORMS
  adze::llm::registerLlmTransformsPasses();
#endif
#ifdef ADZE_WITH_TILETRANSFORMS
  adze::tile::registerTileTransformsPasses();
#endif
#ifdef ADZE_WITH_EXECTRANSFORMS
  adze::exec::registerExecTransformsPasses();
#endif
#ifdef ADZE_WITH_LLMTOTILE
  adze::registerLlmToTilePasses();
#endif
#ifdef ADZE_WITH_LLMTOEXEC
  adze::registerLlmToExecPasses();
#endif
#ifdef ADZE_WITH_TILETOCPU
  adze::registerTileToCpuPasses();
#endif
#ifdef ADZE_WITH_EXECTOLLVM
  adze::exec::registerExecToLLVMPasses();
#endif
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Adze's pass driver\n", registry));
}
