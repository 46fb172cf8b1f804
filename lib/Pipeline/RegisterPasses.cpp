// RegisterPasses.cpp: every pass that a pipeline may name, and every dialect that a module may be written in.
#include "adze/Conversion/ExecToLLVM/Passes.h"
#include "adze/Conversion/LlmToExec/Passes.h"
#include "adze/Conversion/LlmToTile/Passes.h"
#include "adze/Conversion/TileToCpu/Passes.h"
#include "adze/Dialect/Exec/IR/Exec.h"
#include "adze/Dialect/Llm/IR/Llm.h"
#include "adze/Dialect/Tile/IR/Tile.h"
#include "adze/Pipeline/Phase.h"
#include "adze/Transforms/Exec/Passes.h"
#include "adze/Transforms/Llm/Passes.h"
#include "adze/Transforms/Tile/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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

void adze::insertPipelineDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect, mlir::DLTIDialect, mlir::func::FuncDialect,
                  mlir::LLVM::LLVMDialect, mlir::math::MathDialect, mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                  mlir::vector::VectorDialect, llm::LlmDialect, exec::ExecDialect, tile::TileDialect>();
}
