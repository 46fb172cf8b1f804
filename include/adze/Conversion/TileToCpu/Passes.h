//===- Passes.h - from tiles to vectors for a CPU
//-------------------------------------------------------------------===//
#ifndef ADZE_CONVERSION_TILETOCPU_PASSES_H
#define ADZE_CONVERSION_TILETOCPU_PASSES_H

#include "adze/Transforms/NumericEffect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace adze::tile {

#define GEN_PASS_DECL
#include "adze/Conversion/TileToCpu/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "adze/Conversion/TileToCpu/Passes.h.inc"

/// All passes from the output of convert-llm-to-tile (sequential kernels) to the llvm dialect, on a module. The
/// passes of adze/Transforms/Tile/Passes.h must be registered.
void buildTileToLLVM(mlir::OpPassManager &manager, llvm::StringRef target);
/// The upstream part of it: scf, arith, math, vector and func to llvm.
void buildVectorToLLVM(mlir::OpPassManager &manager);
/// Registers `tile-to-llvm{target=x86-64-v3}`.
void registerTileToLLVMPipeline();

} // namespace adze::tile

namespace adze {
inline void registerTileToCpuPasses() {
  tile::registerTileToCpuPasses();
  tile::registerTileToLLVMPipeline();
}
} // namespace adze

#endif // ADZE_CONVERSION_TILETOCPU_PASSES_H
