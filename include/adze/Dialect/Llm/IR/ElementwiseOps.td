// Elementwise ops that are words of the field; others are arith and math on tensors.
#ifndef ADZE_DIALECT_LLM_IR_ELEMENTWISEOPS_TD
#define ADZE_DIALECT_LLM_IR_ELEMENTWISEOPS_TD

include "adze/Dialect/Llm/IR/LlmBase.td"

class Llm_ElementwiseOp<string spelling, list<Trait> traits = []>
    : Llm_ComputeOp<spelling, !listconcat([SameOperandsAndResultType], traits)> {
  let results = (outs Llm_Rows:$result);
}

def Llm_SiluOp : Llm_ElementwiseOp<"silu", [Llm_Activation]> {
  let summary = "x / (1 + exp(-x)).";
  let description = [{
    The limits are taken at infinity: minus infinity gives 0. Empty: no rows give no rows.

    ```mlir
    %y = llm.silu %x : tensor<?x1536xf32>
    ```

    Constraints:
    * c1: the columns are static.
  }];
  let arguments = (ins Llm_Rows:$input);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def Llm_MulOp : Llm_ElementwiseOp<"mul", [Commutative]> {
  let summary = "Product, element by element.";
  let description = [{
    Empty: no rows give no rows.

    ```mlir
    %y = llm.mul %gate, %up : tensor<?x1536xf32>
    ```

    Constraints:
    * c1: the columns are static.
  }];
  let arguments = (ins Llm_Rows:$lhs, Llm_Rows:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

def Llm_AddOp : Llm_ElementwiseOp<"add", [Commutative]> {
  let summary = "Sum, element by element.";
  let description = [{
    Empty: no rows give no rows.

    ```mlir
    %y = llm.add %x, %residual : tensor<?x576xf32>
    ```

    Constraints:
    * c1: the columns are static.
  }];
  let arguments = (ins Llm_Rows:$lhs, Llm_Rows:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

#endif // ADZE_DIALECT_LLM_IR_ELEMENTWISEOPS_TD
