// Norms.
#ifndef ADZE_DIALECT_LLM_IR_NORMOPS_TD
#define ADZE_DIALECT_LLM_IR_NORMOPS_TD

include "adze/Dialect/Llm/IR/LlmBase.td"

def Llm_RmsNormOp : Llm_ComputeOp<"rms_norm", [AllTypesMatch<["input", "result"]>]> {
  let summary = "Root mean square norm of each group of columns.";
  let description = [{
    A group is D neighbouring columns, D the weight's extent; each group x gives
    x[i] * weight[i] / sqrt(mean over j of x[j]^2 + epsilon). One group a row is a layer's norm; one group a head is the
    norm of queries or keys. Empty: no rows give no rows.

    ```mlir
    %n = llm.rms_norm %x, %w epsilon 1.000000e-05 : tensor<?x576xf32>, tensor<576xf32>
    %q = llm.rms_norm %p, %v epsilon 1.000000e-06 : tensor<?x1024xf32>, tensor<128xf32>
    ```

    Constraints:
    * c1: the weight has a static, positive extent that divides the input's columns.
    * c2: epsilon is not negative and finite.
  }];
  let arguments = (ins Llm_Rows:$input, Llm_Vector:$weight, F32Attr:$epsilon);
  let results = (outs Llm_Rows:$result);
  let assemblyFormat = "$input `,` $weight `epsilon` $epsilon attr-dict `:` type($input) `,` type($weight)";
}

#endif // ADZE_DIALECT_LLM_IR_NORMOPS_TD
