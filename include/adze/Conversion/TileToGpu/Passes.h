//===- Passes.h - from tiles to the threads of a GPU --------------------------------------------------------------===//
#ifndef ADZE_CONVERSION_TILETOGPU_PASSES_H
#define ADZE_CONVERSION_TILETOGPU_PASSES_H

#include "adze/Transforms/NumericEffect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace adze::tile {

#define GEN_PASS_DECL
#include "adze/Conversion/TileToGpu/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "adze/Conversion/TileToGpu/Passes.h.inc"

/// All passes from the output of convert-llm-to-tile (sequential kernels) to the llvm dialect, on a module: the code of
/// one thread. The passes of adze/Transforms/Tile/Passes.h must be registered. `asItStands`: kernels get layouts where
/// they have none, and nothing that makes them faster.
void buildTileToGpu(mlir::OpPassManager &manager, llvm::StringRef target, bool asItStands = false);
/// The upstream part of it: scf, arith, math and func to llvm.
void buildThreadsToLLVM(mlir::OpPassManager &manager);
/// Registers `tile-to-gpu{target=sm_80}`.
void registerTileToGpuPipeline();

} // namespace adze::tile

namespace adze {
inline void registerTileToGpuPasses() {
  tile::registerTileToGpuPasses();
  tile::registerTileToGpuPipeline();
}
} // namespace adze

#endif // ADZE_CONVERSION_TILETOGPU_PASSES_H
