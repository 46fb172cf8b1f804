// Rotary positions.
#ifndef ADZE_DIALECT_LLM_IR_ROPEOPS_TD
#define ADZE_DIALECT_LLM_IR_ROPEOPS_TD

include "adze/Dialect/Llm/IR/LlmBase.td"

def Llm_RopeOp : Llm_ComputeOp<"rope", [AllTypesMatch<["input", "result"]>]> {
  let summary = "Rotates each head by the token's position.";
  let description = [{
    The row is heads of D = `head_dim` columns. For i in 0..D/2-1, with angle a = position[t] * inverse_frequency[i]
    rounded once to f32, c = attention_factor * cos(a) and s = attention_factor * sin(a):

    ```
    result[i]       = x[i] * c - x[i + D/2] * s
    result[i + D/2] = x[i + D/2] * c + x[i] * s
    ```

    Every scaling of positions is folded into the table and the factor at import. Empty: no rows give no rows.

    ```mlir
    %r = llm.rope %q, %frequency, %batch head_dim 64 attention_factor 1.000000e+00
        : tensor<?x576xf32>, tensor<32xf32>
    ```

    Constraints:
    * c1: `head_dim` is positive, even and divides the input's columns.
    * c2: inverse_frequency has head_dim / 2 elements.
  }];
  let arguments = (ins Llm_Rows:$input, 1DTensorOf<[F32]>:$inverse_frequency, Llm_BatchType:$batch, I64Attr:$head_dim,
                       DefaultValuedAttr<F32Attr, "1.0f">:$attention_factor);
  let results = (outs Llm_Rows:$result);
  let assemblyFormat = [{
    $input `,` $inverse_frequency `,` $batch `head_dim` $head_dim `attention_factor` $attention_factor attr-dict
    `:` type($input) `,` type($inverse_frequency)
  }];
}

#endif // ADZE_DIALECT_LLM_IR_ROPEOPS_TD
