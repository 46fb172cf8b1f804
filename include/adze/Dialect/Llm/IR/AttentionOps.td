// The KV cache and attention over it.
#ifndef ADZE_DIALECT_LLM_IR_ATTENTIONOPS_TD
#define ADZE_DIALECT_LLM_IR_ATTENTIONOPS_TD

include "adze/Dialect/Llm/IR/LlmBase.td"

def Llm_KvAppendOp : Llm_RowComputeOp<"kv_append", [AllTypesMatch<["kv", "result"]>]> {
  let summary = "The cache with the step's keys and values of one layer written to their slots.";
  let description = [{
    Token t's row of `key` and `value` goes to slot kv_slot[t] of the layer; slots of one step differ. All else is as
    before. Empty: no tokens give the same cache.

    ```mlir
    %kv1 = llm.kv_append %k, %v, %kv0, %layer, %batch : tensor<?x192xf32>, !llm.kv<...>
    ```

    Constraints:
    * c1: key and value have heads * dim columns of the cache.
    * c2: key and value have the cache's element type.
    * c3: a constant layer is below the cache's layers.
  }];
  let arguments = (ins Llm_Rows:$key, Llm_Rows:$value, Llm_KvType:$kv, Index:$layer, Llm_BatchType:$batch);
  let results = (outs Llm_KvType:$result);
  let assemblyFormat = [{
    $key `,` $value `,` $kv `,` $layer `,` $batch attr-dict `:` type($key) `,` type($value) `,` qualified(type($kv))
  }];
}

def Llm_PagedAttentionOp : Llm_RowComputeOp<"paged_attention", [AllTypesMatch<["query", "result"]>]> {
  let summary = "Causal attention of the step's queries over the cache.";
  let description = [{
    For token t of request b at position p, the visible keys are j in 0..kv_length[b]-1 with j <= p and, where the window
    is not 0, p - j < window. Query head h reads KV head h / (heads / kv heads). With x_j = scale * (q . k_j):

    ```
    result = sum over visible j of exp(x_j - max x) * v_j  /  sum over visible j of exp(x_j - max x)
    ```

    Identity: a row with no visible key is 0. Empty: no rows give no rows.

    ```mlir
    %o = llm.paged_attention %q, %kv, %layer, %batch heads 9 scale 1.250000e-01 window 0
        : tensor<?x576xf32>, !llm.kv<...>
    ```

    Constraints:
    * c1: `heads` is positive and a multiple of the cache's heads.
    * c2: the query has heads * dim columns.
    * c3: `window` is not negative (0: none).
    * c4: scale is finite.
    * c5: a constant layer is below the cache's layers.
  }];
  let arguments = (ins Llm_Rows:$query, Llm_KvType:$kv, Index:$layer, Llm_BatchType:$batch, I64Attr:$heads,
                       F32Attr:$scale, DefaultValuedAttr<I64Attr, "0">:$window);
  let results = (outs Llm_Rows:$result);
  let assemblyFormat = [{
    $query `,` $kv `,` $layer `,` $batch `heads` $heads `scale` $scale `window` $window attr-dict
    `:` type($query) `,` qualified(type($kv))
  }];
}

#endif // ADZE_DIALECT_LLM_IR_ATTENTIONOPS_TD
