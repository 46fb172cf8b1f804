// Rows of a table, chosen by token.
#ifndef ADZE_DIALECT_LLM_IR_EMBEDDINGOPS_TD
#define ADZE_DIALECT_LLM_IR_EMBEDDINGOPS_TD

include "adze/Dialect/Llm/IR/LlmBase.td"

def Llm_EmbeddingOp : Llm_RowComputeOp<"embedding"> {
  let summary = "Rows of a table, one for each token.";
  let description = [{
    result[t, :] = table[tokens[t], :], rounded to the result's element type. A token outside the table is an error of
    the caller; the runtime checks ids before a step. Empty: no tokens give no rows.

    ```mlir
    %x = llm.embedding %token, %table : tensor<?xi32>, tensor<49152x576xbf16> -> tensor<?x576xf32>
    ```

    Constraints:
    * c1: the table's shape is static.
    * c2: the result has one row for each token and the table's columns.
  }];
  let arguments = (ins Llm_TokenIds:$tokens, Llm_Matrix:$table);
  let results = (outs Llm_Rows:$result);
  let assemblyFormat = "$tokens `,` $table attr-dict `:` type($tokens) `,` type($table) `->` type($result)";
}

def Llm_QuantizedEmbeddingOp : Llm_RowComputeOp<"quantized_embedding", [AttrSizedOperandSegments]> {
  let summary = "Rows of a quantized table, one for each token.";
  let description = [{
    As `llm.embedding` with the table that codes, scales, offsets and outer scales stand for (see `#llm.scheme`), in f32
    and rounded at each step, then rounded to the result's element type. Empty: no tokens give no rows.

    ```mlir
    %x = llm.quantized_embedding %token, %codes, %scales scheme symmetric group 32
        : (tensor<?xi32>, tensor<49152x576xi8>, tensor<49152x18xf16>) -> tensor<?x576xf32>
    ```

    Constraints:
    * c1: codes are [N, K] and static; group divides K.
    * c2: scales are [N, K / group]; float, or i8 exactly when outer scales are given.
    * c3: offsets are given exactly for `affine` and are float of the scales' shape.
    * c4: outer scales are float [N, K / 256] and a block of 256 holds whole groups.
    * c5: `zero_point` and `affine` have i4 codes.
    * c6: the result has one row for each token and K columns.
  }];
  let arguments = (ins Llm_TokenIds:$tokens, Llm_Codes:$codes, Llm_Scales:$scales, Optional<Llm_Matrix>:$offsets,
                       Optional<Llm_Matrix>:$outer, I64Attr:$group, Llm_SchemeAttr:$scheme);
  let results = (outs Llm_Rows:$result);
  let assemblyFormat = [{
    $tokens `,` $codes `,` $scales (`offsets` $offsets^)? (`outer` $outer^)? `scheme` `` $scheme `group` $group attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // ADZE_DIALECT_LLM_IR_EMBEDDINGOPS_TD
