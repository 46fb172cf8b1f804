// Attributes and enumerations of the llm dialect.
#ifndef ADZE_DIALECT_LLM_IR_LLMATTRS_TD
#define ADZE_DIALECT_LLM_IR_LLMATTRS_TD

include "adze/Dialect/Llm/IR/LlmDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"

class Llm_Attr<string cppName, string spelling, list<Trait> traits = []> : AttrDef<Llm_Dialect, cppName, traits> {
  let mnemonic = spelling;
}

def Llm_KeyOrder : I32EnumAttr<"KeyOrder", "order of one page's keys", [
    I32EnumAttrCase<"TokenDim", 0, "token_dim">, I32EnumAttrCase<"DimToken", 1, "dim_token">]> {
  let cppNamespace = "::adze::llm";
  let genSpecializedAttr = 0;
}

def Llm_Scheme : I32EnumAttr<"Scheme", "how codes become numbers", [
    I32EnumAttrCase<"Symmetric", 0, "symmetric">, I32EnumAttrCase<"ZeroPoint", 1, "zero_point">,
    I32EnumAttrCase<"Affine", 2, "affine">]> {
  let cppNamespace = "::adze::llm";
  let genSpecializedAttr = 0;
}

def Llm_SchemeAttr : EnumAttr<Llm_Dialect, Llm_Scheme, "scheme"> {
  let summary = "How the codes of a quantized weight become numbers.";
  let description = [{
    With q a code, s the scale of its group and o the offset of its group:

    | scheme | number | codes |
    |---|---|---|
    | `symmetric` | s * q | signed |
    | `zero_point` | s * (q - 8) | i4, read as 0..15 |
    | `affine` | s * q + o, both steps rounded to f32 | i4, read as 0..15 |

    Where an `outer` scale is given, s is the f32 product of the outer scale and the integer scale of the group.
    `i4` codes of `symmetric` are read as -8..7. All arithmetic is f32 and rounds at each step.
  }];
}

def Llm_PackedAttr : Llm_Attr<"Packed", "packed", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "Storage order of a weight: blocks row-major, inside a block a map from address bits to coordinates.";
  let description = [{
    The encoding of a weight tensor as it lies in the artifact. `block` gives the extents of a block, each a power of
    two. `map` has one word for each bit of an element's address inside the block, lowest first; a word is what the bit
    adds to the coordinate: `r1` one row, `c4` four columns, `r`, `c`, `d` being
    dimensions 0, 1 and 2; every element of the block has one address. Blocks follow each other row-major. Where an extent is no multiple of the block's, the last
    block is filled with zeros. The notation is that of `#tile.storage`, so that both are compared as text.

    ```mlir
    tensor<576x576xbf16, #llm.packed<[8, 2], "c1 r1 r2 r4">>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$block, StringRefParameter<>:$map);
  let assemblyFormat = "`<` `[` $block `]` `,` $map `>`";
  let genVerifyDecl = 1;
}

def Llm_SumOrder : I32EnumAttr<"SumOrder", "which order a kernel adds in", [
    I32EnumAttrCase<"Invariant", 0, "invariant">, I32EnumAttrCase<"Fast", 1, "fast">]> {
  let cppNamespace = "::adze::llm";
  let genSpecializedAttr = 0;
}

def Llm_ScheduleAttr : Llm_Attr<"Schedule", "schedule"> {
  let summary = "How a kernel's work is cut: a row of the target's table.";
  let description = [{
    Numbers of elements, each from 1 to 65536; what they cut depends on the kernel's root:

    | root | `tokens` | `columns` | `depth` |
    |---|---|---|---|
    | a product | rows of activations of a block | outputs of a block | k of a step |
    | attention | queries of a block | heads of the cache of a block | positions of a step |
    | anything else | 1 | columns of a step, or one group of a quantization | equal to `columns` |

    `sums` is the order of additions: `invariant` fixes it by static shapes and positions alone (docs/Numerics.md), `fast`
    leaves it to the kernel. `pack` is the storage order of the weight that the row was made for; left out for a weight
    in plain rows and for kernels without a product. A row changes how fast a kernel is and never what it computes.

    ```mlir
    #llm.schedule<tokens = 4, columns = 16, depth = 32, sums = invariant, pack = <[8, 8], "r1 r2 r4 c1 c2 c4">>
    ```
  }];
  let parameters = (ins "int64_t":$tokens, "int64_t":$columns, "int64_t":$depth,
                    EnumParameter<Llm_SumOrder>:$sums, OptionalParameter<"::adze::llm::PackedAttr">:$pack);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // ADZE_DIALECT_LLM_IR_LLMATTRS_TD
