// The ragged batch.
#ifndef ADZE_DIALECT_LLM_IR_BATCHOPS_TD
#define ADZE_DIALECT_LLM_IR_BATCHOPS_TD

include "adze/Dialect/Llm/IR/LlmBase.td"

def Llm_MakeBatchOp : Llm_Op<"make_batch", [Pure]> {
  let summary = "A batch from its nine arrays.";
  let description = [{
    For tests and the evaluator: a step function gets its batch as an argument. T tokens, B requests, R output rows.

    | array | extent | holds |
    |---|---|---|
    | position | T | position of the token in its request, from 0 |
    | request | T | index of the token's request, 0 .. B-1, ascending |
    | kv_slot | T | page * page tokens + place in the page, where the token's K and V go |
    | query_start | B+1 | first token of each request, then T |
    | kv_length | B | tokens of the request that the cache holds after the step |
    | prompt_length | B | tokens of the request's prompt; decides the order of sums of a row, never its value here |
    | page_start | B+1 | first entry of each request in `pages`, then their number |
    | pages | any | page numbers; entry page_start[b] + i holds the tokens i * page .. (i + 1) * page - 1 of request b |
    | output_row | R | tokens whose logits are wanted, ascending |

    ```mlir
    %batch = llm.make_batch position %p request %r kv_slot %s query_start %q kv_length %k prompt_length %l
        page_start %ps pages %pg output_row %o
        : tensor<2xi32>, tensor<2xi32>, tensor<2xi64>, tensor<2xi32>, tensor<1xi32>, tensor<1xi32>, tensor<2xi32>,
          tensor<1xi32>, tensor<1xi32>
    ```

    Constraints, as far as extents are static:
    * c1: position, request and kv_slot have one extent (T).
    * c2: kv_length and prompt_length have one extent (B); query_start and page_start have one more.
  }];
  let arguments = (ins Llm_Indices:$position, Llm_Indices:$request, Llm_LongIndices:$kv_slot, Llm_Indices:$query_start,
                       Llm_Indices:$kv_length, Llm_Indices:$prompt_length, Llm_Indices:$page_start, Llm_Indices:$pages,
                       Llm_Indices:$output_row);
  let results = (outs Llm_BatchType:$result);
  let assemblyFormat = [{
    `position` $position `request` $request `kv_slot` $kv_slot `query_start` $query_start `kv_length` $kv_length
    `prompt_length` $prompt_length `page_start` $page_start `pages` $pages `output_row` $output_row attr-dict
    `:` type(operands)
  }];
}

#endif // ADZE_DIALECT_LLM_IR_BATCHOPS_TD
