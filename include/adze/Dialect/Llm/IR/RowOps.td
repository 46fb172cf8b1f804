// Choosing rows and columns of activations.
#ifndef ADZE_DIALECT_LLM_IR_ROWOPS_TD
#define ADZE_DIALECT_LLM_IR_ROWOPS_TD

include "adze/Dialect/Llm/IR/LlmBase.td"

def Llm_GatherRowsOp : Llm_RowComputeOp<"gather_rows"> {
  let summary = "The rows whose logits are wanted.";
  let description = [{
    result[r, :] = input[output_row[r], :]; the leading extent changes from T to R. Empty: no output rows give no rows.

    ```mlir
    %y = llm.gather_rows %x, %batch : tensor<?x576xf32> -> tensor<?x576xf32>
    ```

    Constraints:
    * c1: input and result have one element type and the same static columns.
  }];
  let arguments = (ins Llm_Rows:$input, Llm_BatchType:$batch);
  let results = (outs Llm_Rows:$result);
  let assemblyFormat = "$input `,` $batch attr-dict `:` type($input) `->` type($result)";
}

def Llm_SliceColumnsOp : Llm_RowComputeOp<"slice_columns"> {
  let summary = "Neighbouring columns of an activation.";
  let description = [{
    Columns `offset` to `offset + size - 1`. Empty: no rows give no rows.
    Import: none, because a checkpoint's projections are apart until a pass stacks them.

    ```mlir
    %k = llm.slice_columns %qkv offset 576 size 192 : tensor<?x960xf32> -> tensor<?x192xf32>
    ```

    Constraints:
    * c1: the columns lie inside the input: offset >= 0, size >= 1, offset + size <= columns.
    * c2: the result has the input's rows and element type, and `size` columns.
  }];
  let arguments = (ins 2DTensorOf<[F32, F16, BF16]>:$input, I64Attr:$offset, I64Attr:$size);
  let results = (outs 2DTensorOf<[F32, F16, BF16]>:$result);
  let assemblyFormat = "$input `offset` $offset `size` $size attr-dict `:` type($input) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$input, "int64_t":$offset, "int64_t":$size)>];
  let hasFolder = 1;
}

#endif // ADZE_DIALECT_LLM_IR_ROWOPS_TD
