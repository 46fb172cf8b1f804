// Passes from llm to tile.
#ifndef ADZE_CONVERSION_LLMTOTILE_PASSES_TD
#define ADZE_CONVERSION_LLMTOTILE_PASSES_TD

include "adze/Transforms/NumericEffect.td"

def ConvertLlmToTilePass : Adze_Pass<"convert-llm-to-tile", "Reorders"> {
  let summary = "One tile function for each distinct llm.kernel group";
  let description = [{
    Builds the whole kernel of every group, root, prologue and epilogue, as a sequential function of one block over
    tiles, with the tile sizes of its `schedule` (llm-choose-schedules). Groups that are equal up to locations and the names of
    weights share one function: their regions, operand types, row extent and schedule are equal. The group stays where it is and
    names its function in the attribute `kernel`; convert-llm-to-exec turns it into a launch. Attention in runs (`kv_split`) is two functions; the one that is launched first is named by `partials`.

    Must not touch groups without a schedule, or of a family that it has no builder for: these are errors that name the
    op, its types and the target.

    Before:
    ```mlir
    %y = llm.kernel family "linear" (%x as %a, %w as %b : tensor<?x64xf32>, tensor<32x64xf32>) -> (tensor<?x32xf32>)
        attributes {schedule = #llm.schedule<tokens = 4, columns = 32, depth = 32, sums = invariant>} {..}
    ```
    After:
    ```mlir
    %y = llm.kernel family "linear" (..) -> (..) {..} {kernel = @linear_32x64}
    func.func @linear_32x64(%x: !tile.ptr, %w: !tile.ptr, %y: !tile.ptr, %T: index, %B: index, %R: index, %layer: index)
        attributes {tile.kernel, tile.family = "linear", tile.schedule = {tokens = 4, columns = 32, depth = 32, ..}} {..}
    ```
  }];
  let options = [Option<"target", "target", "std::string", "\"x86-64-v3\"", "name of the target, as --cpu spells it">];
  let statistics = [Statistic<"groups", "groups", "groups seen">,
                    Statistic<"kernels", "kernels", "distinct functions built">];
  let dependentDialects = ["::adze::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"];
}

#endif // ADZE_CONVERSION_LLMTOTILE_PASSES_TD
