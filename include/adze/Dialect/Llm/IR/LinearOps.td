// Products with weights.
#ifndef ADZE_DIALECT_LLM_IR_LINEAROPS_TD
#define ADZE_DIALECT_LLM_IR_LINEAROPS_TD

include "adze/Dialect/Llm/IR/LlmBase.td"

def Llm_LinearOp : Llm_ComputeOp<"linear"> {
  let summary = "Product with a weight: y = x W^T + b.";
  let description = [{
    result[t, n] = sum over k of input[t, k] * weight[n, k], plus bias[n] where there is one; exact sum, one rounding to
    the result's element type. Empty: no rows give no rows; a sum over no k is 0.

    ```mlir
    %y = llm.linear %x, %w : (tensor<?x576xf32>, tensor<192x576xbf16>) -> tensor<?x192xf32>
    %z = llm.linear %x, %w bias %b : (tensor<?x576xf32>, tensor<192x576xbf16>, tensor<192xf32>) -> tensor<?x192xf32>
    ```

    Constraints:
    * c1: the weight is [N, K] and static.
    * c2: the input has K columns.
    * c3: the result has the input's rows and N columns.
    * c4: the bias has N elements.
  }];
  let arguments = (ins Llm_Rows:$input, Llm_Matrix:$weight, Optional<Llm_Vector>:$bias);
  let results = (outs Llm_Rows:$result);
  let assemblyFormat = [{
    $input `,` $weight (`bias` $bias^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Llm_QuantizedLinearOp : Llm_ComputeOp<"quantized_linear", [AttrSizedOperandSegments]> {
  let summary = "Product with a quantized weight.";
  let description = [{
    The weight is what codes, scales, offsets and outer scales stand for (see `#llm.scheme`).

    With a float input: as `llm.linear` with that weight, each of its numbers formed in f32.

    With an i8 input (`llm.quantize`), its scale sa and code sum su for each group of the input: for each group g of the
    weight, in ascending order and from acc = 0, all in f32,

    ```
    acc = fma(round(sw[n, g] * sa[t, g']), f32(sum over k in g of input[t, k] * code[n, k]), acc)
    acc = fma(round(m * sa[t, g']), f32(su[t, g']), acc)        zero_point: m = -8 * sw[n, g]; affine: m = offset[n, g]
    ```

    with g' the group of the input that holds g, sw the scale (times the outer scale, rounded, where there is one), the
    inner sum in int32 over the codes as read. Then the bias is added, rounded, and the result rounded to its element
    type. This is exact: every target gives these bits. Empty: no rows give no rows; a sum over no k is 0.

    ```mlir
    %y = llm.quantized_linear %x, %codes, %scales offsets %m scheme affine group 32
        : (tensor<?x576xf32>, tensor<192x576xi4>, tensor<192x18xf16>, tensor<192x18xf16>) -> tensor<?x192xf32>
    %z = llm.quantized_linear %q scaled %s sum %u, %codes, %scales scheme symmetric group 32
        : (tensor<?x576xi8>, tensor<?x18xf32>, tensor<?x18xi32>, tensor<192x576xi8>, tensor<192x18xf16>)
        -> tensor<?x192xf32>
    ```

    Constraints:
    * c1: codes are [N, K] and static; group divides K.
    * c2: scales are [N, K / group]; float, or i8 exactly when outer scales are given.
    * c3: offsets are given exactly for `affine` and are float of the scales' shape.
    * c4: outer scales are float [N, K / 256] and a block of 256 holds whole groups.
    * c5: `zero_point` and `affine` have i4 codes.
    * c6: the input has K columns.
    * c7: an i8 input comes with scale and sum, a float input with neither.
    * c8: scale and sum have the input's rows and one number of columns n that divides K / group; n = K / group for
      `zero_point` and `affine`.
    * c9: the result has the input's rows and N columns.
    * c10: the bias has N elements.
  }];
  let arguments = (ins 2DTensorOf<[F32, F16, BF16, I8]>:$input, Optional<2DTensorOf<[F32]>>:$input_scale,
                       Optional<Llm_IntRows>:$input_sum, Llm_Codes:$codes, Llm_Scales:$scales,
                       Optional<Llm_Matrix>:$offsets, Optional<Llm_Matrix>:$outer, Optional<Llm_Vector>:$bias,
                       I64Attr:$group, Llm_SchemeAttr:$scheme);
  let results = (outs Llm_Rows:$result);
  let assemblyFormat = [{
    $input (`scaled` $input_scale^ `sum` $input_sum)? `,` $codes `,` $scales (`offsets` $offsets^)? (`outer` $outer^)?
    (`bias` $bias^)? `scheme` `` $scheme `group` $group attr-dict `:` functional-type(operands, results)
  }];
}

#endif // ADZE_DIALECT_LLM_IR_LINEAROPS_TD
