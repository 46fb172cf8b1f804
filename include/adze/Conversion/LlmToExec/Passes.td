// Passes.td: from grouped ops to a line of launches.
#ifndef ADZE_CONVERSION_LLMTOEXEC_PASSES_TD
#define ADZE_CONVERSION_LLMTOEXEC_PASSES_TD

include "adze/Transforms/NumericEffect.td"

def ConvertLlmToExecPass : Adze_Pass<"convert-llm-to-exec", "Exact"> {
  let summary = "make the program of launches from the step function";
  let description = [{
    Runs after `convert-llm-to-tile`, which has written a function for every distinct group and its name on each
    `llm.kernel`. The step function `@step` becomes an `exec.program`: a group is a launch whose operands follow
    `deriveKernelAbi`, a result is a buffer of as many rows as the step has tokens (or rows of logits, from
    `llm.gather_rows` on), the cache is updated in place, and every weight that is used gets a segment of the weights
    section, in the order of first use, each at a multiple of 256 bytes.

    What the kernel-forming passes noted on the groups is collected in the program's `exec.fusion`, and the KV type in
    `exec.kv`: both are for the manifest.

    It must not meet an op outside a group that is no weight, layer constant or return: that is an error by name.

    Before:
    ```mlir
    %w = llm.get_weight @norm : tensor<64xf32>
    %y = llm.kernel family "rms_norm" (%x as %a, %w as %b : ...) -> (tensor<?x64xf32>) {...} {kernel = @rms_norm_0}
    ```
    After:
    ```mlir
    %w = exec.weight @norm.segment
    %y = exec.buffer #exec.form<256 T>
    exec.launch @rms_norm_0(%x, %w) -> (%y) family "rms_norm" layer 0
    ```
  }];
  let dependentDialects = ["::adze::exec::ExecDialect"];
  let statistics = [Statistic<"launchCount", "launches", "groups turned into launches">,
                    Statistic<"segmentCount", "segments", "weights given a segment">];
}

#endif
