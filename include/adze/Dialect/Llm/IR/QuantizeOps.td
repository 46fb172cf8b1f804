// Activations as 8-bit codes.
#ifndef ADZE_DIALECT_LLM_IR_QUANTIZEOPS_TD
#define ADZE_DIALECT_LLM_IR_QUANTIZEOPS_TD

include "adze/Dialect/Llm/IR/LlmBase.td"

def Llm_QuantizeOp : Llm_ComputeOp<"quantize"> {
  let summary = "Activations as 8-bit codes with one scale for each row or group of a row.";
  let description = [{
    A group is `group` neighbouring columns, or the whole row where `group` is 0. For each group x, in f32 and rounded
    to nearest even at each step:

    ```
    m = max over i of |x[i]|
    s = m / 127
    if s < 2^-126:  scale = 0, every code = 0        (a group of zeros, or of numbers too small for a reciprocal)
    else:           scale = s, r = 1 / s, code[i] = x[i] * r rounded to the nearest integer, ties to even
    sum = sum over i of code[i], in int32
    ```

    Codes lie in -127..127 without clamping. The input is finite; other numbers give unspecified codes. This is exact:
    every target gives these bits. Empty: no rows give no rows.

    Import: none, because checkpoints hold no activations; `llm-assign-numerics` inserts it.

    ```mlir
    %codes, %scale, %sum = llm.quantize %x group 32
        : tensor<?x576xf32> -> tensor<?x576xi8>, tensor<?x18xf32>, tensor<?x18xi32>
    ```

    Constraints:
    * c1: the input's columns are static and positive.
    * c2: group is not negative and, where it is not 0, divides the columns.
    * c3: codes have the input's shape.
    * c4: scale and sum have the input's rows and one column for each group.
  }];
  let arguments = (ins Llm_Rows:$input, I64Attr:$group);
  let results = (outs 2DTensorOf<[I8]>:$codes, 2DTensorOf<[F32]>:$scale, Llm_IntRows:$sum);
  let assemblyFormat = [{
    $input `group` $group attr-dict `:` type($input) `->` type($codes) `,` type($scale) `,` type($sum)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$input, "int64_t":$group)>];
}

#endif // ADZE_DIALECT_LLM_IR_QUANTIZEOPS_TD
