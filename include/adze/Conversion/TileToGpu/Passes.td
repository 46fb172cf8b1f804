// Passes.td: from tiles to the threads of a GPU.
#ifndef ADZE_CONVERSION_TILETOGPU_PASSES_TD
#define ADZE_CONVERSION_TILETOGPU_PASSES_TD

include "adze/Transforms/NumericEffect.td"

def ConvertTileToGpuPass : Adze_Pass<"convert-tile-to-gpu", "Exact"> {
  let summary = "turn each kernel into the code of one thread";
  let description = [{
    Every `tile.kernel` function `@k` with layouts of threads becomes `@k`, which each thread of a one-dimensional grid
    runs, and `@k_blocks(ptr arguments) -> i64` for the host, which says how many blocks there are. The one parameter of
    `@k` is the argument block of adze/Abi/Program.h, by value: one 64-bit word for each argument. Its attribute
    `adze.launch` says the threads of a block, its dynamic shared memory and the bytes of its arguments.

    Tiles become the registers that a thread holds; see lib/Conversion/TileToGpu/ThreadEmitter.h. What only a GPU has is
    LLVM's intrinsic for it (thread numbers, barriers, shuffles, ldmatrix, stmatrix, mma), so that one emission serves the
    NVPTX back end and the execution check.

    It must not change functions that are no kernels. It refuses, by name of the op, a kernel without layouts of threads or
    with those of another target, a layout that is not what an instruction, a broadcast or a reduction wants, and a block
    that needs more shared memory than the target has.

    Before:
    ```mlir
    func.func @k(%x: !tile.ptr, %T: index, %B: index, %R: index, %layer: index)
        attributes {tile.kernel, tile.threads = 128 : i64, tile.target = "sm_80"} { ... }
    ```
    After:
    ```mlir
    func.func @k_blocks(%arguments: !llvm.ptr) -> i64 { ... }
    func.func @k(%arguments: !llvm.ptr {llvm.byval = !llvm.array<5 x i64>})
        attributes {adze.launch = {argument_bytes = 40 : i64, shared_bytes = 0 : i64, threads = 128 : i64}} { ... }
    ```
  }];
  let options = [Option<"target", "target", "std::string", "\"sm_80\"", "name of the GPU, as --target spells it">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::math::MathDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::func::FuncDialect"];
  let statistics = [Statistic<"kernelCount", "kernels", "kernels turned into the code of a thread">];
}

#endif // ADZE_CONVERSION_TILETOGPU_PASSES_TD
