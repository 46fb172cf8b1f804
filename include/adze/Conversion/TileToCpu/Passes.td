// Passes.td: from tiles to vectors for a CPU.
#ifndef ADZE_CONVERSION_TILETOCPU_PASSES_TD
#define ADZE_CONVERSION_TILETOCPU_PASSES_TD

include "adze/Transforms/NumericEffect.td"

def ConvertTileToCpuPass : Adze_Pass<"convert-tile-to-cpu", "Exact"> {
  let summary = "turn each kernel into two functions over vectors";
  let description = [{
    Every `tile.kernel` function `@k` becomes `@k(ptr arguments, i64 first, i64 last)`, which runs the blocks first to
    last - 1 of its grids, and `@k_blocks(ptr arguments) -> i64`, which says how many there are. The argument block is
    that of adze/Abi/Program.h: one 64-bit word for each argument. Tiles become vectors of the target's lanes, evaluated
    when they are asked for; see lib/Conversion/TileToCpu/KernelEmitter.h.

    It must not change functions that are no kernels, and refuses a tile op that it has no form for, by name.

    Before:
    ```mlir
    func.func @k(%x: !tile.ptr, %T: index, %B: index, %R: index, %layer: index) attributes {tile.kernel} { ... }
    ```
    After:
    ```mlir
    func.func @k_blocks(%arguments: !llvm.ptr) -> i64 { ... }
    func.func @k(%arguments: !llvm.ptr, %first: i64, %last: i64) { ... }
    ```
  }];
  let options = [Option<"target", "target", "std::string", "\"x86-64-v3\"", "name of the target, as --cpu spells it">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect", "::mlir::LLVM::LLVMDialect", "::mlir::func::FuncDialect"];
  let statistics = [Statistic<"kernelCount", "kernels", "kernels turned into functions over vectors">];
}

#endif // ADZE_CONVERSION_TILETOCPU_PASSES_TD
