// From rows of logits to tokens.
#ifndef ADZE_DIALECT_LLM_IR_CHOICEOPS_TD
#define ADZE_DIALECT_LLM_IR_CHOICEOPS_TD

include "adze/Dialect/Llm/IR/LlmBase.td"

def Llm_BestTokenOp : Llm_ComputeOp<"best_token"> {
  let summary = "The id of each row's largest logit, or -1.";
  let description = [{
    For each row of logits the id of its largest number among the ids 0 to `legal` - 1, of equal ones the lowest; -0 and 0
    are equal. -1 where one of these numbers is NaN or infinite: such a row has no honest choice. Numbers from `legal` on
    are padding of the table and are not looked at. This is exact: every target gives the same id, which is that of greedy
    token choice (docs/Numerics.md) where every id below `legal` may be chosen. Empty: no rows give no rows.

    Import: none, because models give logits; `llm-insert-choice` adds it for devices that choose.

    ```mlir
    %id = llm.best_token %logits legal 49152 : tensor<?x49152xf32> -> tensor<?x1xi32>
    ```

    Constraints:
    * c1: the logits' columns are static, and legal is from 1 to their number.
    * c2: the result has the logits' rows and one column.
  }];
  let arguments = (ins 2DTensorOf<[F32]>:$logits, I64Attr:$legal);
  let results = (outs Llm_IntRows:$result);
  let assemblyFormat = "$logits `legal` $legal attr-dict `:` type($logits) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$logits, "int64_t":$legal)>];
}

#endif // ADZE_DIALECT_LLM_IR_CHOICEOPS_TD
