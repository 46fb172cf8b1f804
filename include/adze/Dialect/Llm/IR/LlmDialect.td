// The llm dialect: what a model computes in one ragged step.
#ifndef ADZE_DIALECT_LLM_IR_LLMDIALECT_TD
#define ADZE_DIALECT_LLM_IR_LLMDIALECT_TD

include "mlir/IR/OpBase.td"

def Llm_Dialect : Dialect {
  let name = "llm";
  let cppNamespace = "::adze::llm";
  let summary = "What a language model computes in one step over a ragged batch of tokens.";
  let description = [{
    A step function takes the token ids of one ragged step, the batch's index arrays and the KV cache as a value, and
    returns the logits of the chosen rows and the new cache (and, for a device that chooses tokens, each row's best one):

    ```mlir
    func.func @step(%token: tensor<?xi32>, %batch: !llm.batch, %kv: !llm.kv<...>)
        -> (tensor<?x49152xf32>, !llm.kv<...>)
    ```

    * The leading dimension of every activation is T, the tokens of the step, and R, the chosen rows, after
      `llm.gather_rows`. Both are dynamic; all other extents are static. Tests may state the leading extent.
    * Every op is a pure function of its operands, the cache included. Layers are unrolled; the layer is an `index`.
    * Types say all that is rounded. An op computes as if in exact arithmetic on the values of its operands and rounds
      once, to nearest even, to the element type of its result, unless its description says more. How far a kernel may
      stray from that is the business of docs/Numerics.md.
    * Weights are symbols (`llm.weight`) whose bodies are expressions over parts of files; data never stands in the IR.
    * The module may carry `llm.model`, a dictionary that describes the model to people and to the manifest: family,
      name, layers, hidden, heads, kv_heads, head_dim, vocabulary, legal_tokens, context. Of these a pass reads
      legal_tokens alone (`llm-insert-choice`).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let extraClassDeclaration = [{
    void registerOps();
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

#endif // ADZE_DIALECT_LLM_IR_LLMDIALECT_TD
