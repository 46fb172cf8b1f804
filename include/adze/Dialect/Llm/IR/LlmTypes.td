// Types of the llm dialect and the operand constraints that its ops share.
#ifndef ADZE_DIALECT_LLM_IR_LLMTYPES_TD
#define ADZE_DIALECT_LLM_IR_LLMTYPES_TD

include "adze/Dialect/Llm/IR/LlmAttrs.td"

class Llm_Type<string cppName, string spelling> : TypeDef<Llm_Dialect, cppName> { let mnemonic = spelling; }

def Llm_KvType : Llm_Type<"Kv", "kv"> {
  let summary = "The paged KV cache of all layers, as a value.";
  let description = [{
    A pool of pages. A page holds `page` tokens of one request for every layer; strides are static:

    ```
    [page number][layer][K then V][kv head][page * dim elements]
    ```

    `keys` is the order of the last part for K: `token_dim` is [page][dim], `dim_token` is [dim][page]. V is always
    [page][dim]. The token in slot s lies in page s / page at place s mod page.

    ```mlir
    !llm.kv<layers = 30, heads = 3, dim = 64, element = f32, page = 64, keys = token_dim>
    ```
  }];
  let parameters = (ins "int64_t":$layers, "int64_t":$heads, "int64_t":$dim, "::mlir::Type":$element, "int64_t":$page,
                        EnumParameter<Llm_KeyOrder>:$keys);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bytes of one page, all layers, keys and values.
    int64_t getPageBytes() const;
    /// Elements of K (or of V) of one head of one layer of one page.
    int64_t getHeadElements() const { return getPage() * getDim(); }
  }];
}

def Llm_BatchType : Llm_Type<"Batch", "batch"> {
  let summary = "The index arrays of one ragged step.";
  let description = [{
    Nine arrays for T tokens of B requests and R output rows; the tokens of one request are neighbours, requests in
    order. See `llm.make_batch` for each of them.
  }];
}

def Llm_FloatElement : AnyTypeOf<[F32, F16, BF16], "f32, f16 or bf16">;
def Llm_Rows : 2DTensorOf<[F32, F16, BF16]>;            // activations [T or R, columns]
def Llm_IntRows : 2DTensorOf<[I32]>;
def Llm_TokenIds : 1DTensorOf<[I32]>;
def Llm_Indices : 1DTensorOf<[I32]>;
def Llm_LongIndices : 1DTensorOf<[I64]>;
def Llm_Matrix : 2DTensorOf<[F32, F16, BF16]>;          // weight [N, K]
def Llm_Vector : 1DTensorOf<[F32, F16, BF16]>;          // bias, norm weight
def Llm_Codes : 2DTensorOf<[I<4>, I8]>;                   // [N, K]
def Llm_Scales : 2DTensorOf<[F32, F16, BF16, I8]>;      // [N, K / group]
def Llm_WeightTensor : RankedTensorOf<[F32, F16, BF16, I<4>, I8]>;

#endif // ADZE_DIALECT_LLM_IR_LLMTYPES_TD
