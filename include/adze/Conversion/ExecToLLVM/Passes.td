// Passes.td: from exec to native host code.
#ifndef ADZE_CONVERSION_EXECTOLLVM_PASSES_TD
#define ADZE_CONVERSION_EXECTOLLVM_PASSES_TD

include "adze/Transforms/NumericEffect.td"

def ConvertExecToLLVMPass : Adze_Pass<"convert-exec-to-llvm", "Exact"> {
  let summary = "make the program table and the step function of adze/Abi/Program.h";
  let description = [{
    The `exec.program`, placed by `exec-plan-memory`, becomes

    * `adze_program`, the one exported function, which returns a constant AdzeProgram;
    * the table of kernels in the order of their first launch, each with name, family, entry `@NAME` and the function
      `@NAME_blocks` that says how large its grid is;
    * the step function: straight-line code that finds each slot once, then for every launch fills the argument block on
      the stack, calls the launch service and returns its answer where that is not zero.

    Kernels that the module lacks are declared, so that they can be compiled apart; a kernel that is not lowered yet is
    an error. With `gpu` the kernels are in the artifact's GPU code (docs/Gpu.md): the table's entries are null, only
    grids are asked for, and a kernel's own function in the module does not matter. Segments go; files and weights stay
    for the artifact writer.

    Before:
    ```mlir
    exec.program @step {
      %x = exec.buffer #exec.form<256 T> in 0
      exec.launch @fill() -> (%x) family "fill" layer 0
      exec.output %x
    }
    ```
    After: `llvm.func @adze_program() -> !llvm.ptr`, `llvm.func internal @adze_step(!llvm.ptr, !llvm.ptr) -> i32` and
    the constants that they name.
  }];
  let options = [Option<"gpu", "gpu", "bool", "false", "kernels run on a GPU: the table has grids and no entries">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let statistics = [Statistic<"launchCount", "launches", "launches turned into calls">];
}

#endif
