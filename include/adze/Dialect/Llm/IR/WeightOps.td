// Weights as symbols with expressions over parts of files.
#ifndef ADZE_DIALECT_LLM_IR_WEIGHTOPS_TD
#define ADZE_DIALECT_LLM_IR_WEIGHTOPS_TD

include "adze/Dialect/Llm/IR/LlmBase.td"

def Llm_FileOp : Llm_Op<"file", [Symbol]> {
  let summary = "A source file of the model.";
  let description = [{
    Names a file that the model was imported from: one that weight expressions read, or one that has settled something
    else (configuration, tokenizer, template). `path` is relative to the imported folder (or the file itself), `size` is
    in bytes and `hash` is the XXH3-128 of the contents in hexadecimal, or empty where they were not read; a tool that
    opens the file again for its contents refuses it when either differs. An artifact's manifest lists all of them.

    ```mlir
    llm.file @model path "model.safetensors" size 269060552 hash "0123456789abcdef0123456789abcdef"
    ```

    Constraints:
    * c1: `path` is not empty.
    * c2: `size` is not negative.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$path, I64Attr:$size, StrAttr:$hash);
  let assemblyFormat = "$sym_name `path` $path `size` $size `hash` $hash attr-dict";
}

def Llm_WeightOp : Llm_Op<"weight", [Symbol, IsolatedFromAbove, SingleBlock, NoRegionArguments]> {
  let summary = "A weight: a symbol whose body says how its bytes are made.";
  let description = [{
    The body is an expression of weight ops (`llm.source_tensor`, `llm.permute_rows`, `llm.concat_rows`,
    `llm.slice_rows`, `llm.convert`, `llm.repack`) and of `arith.constant`. Passes rewrite it; the artifact writer
    evaluates it in row ranges.

    ```mlir
    llm.weight @q : tensor<576x576xbf16> {
      %0 = llm.source_tensor @model offset 4096 encoding "bf16" part "data" : tensor<576x576xbf16>
      llm.yield %0 : tensor<576x576xbf16>
    }
    ```

    Constraints:
    * c1: `type` has a static shape.
    * c2: the body ends in `llm.yield` of one value of type `type`.
    * c3: the body has only weight ops and constants.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<Llm_WeightTensor>:$type);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `:` $type attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
  let hasVerifier = 0;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::RankedTensorType":$type)>];
  let extraClassDeclaration = [{
    /// The value that the body yields.
    ::mlir::Value getYielded();
  }];
}

def Llm_GetWeightOp : Llm_Op<"get_weight", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "The value of a weight.";
  let description = [{
    ```mlir
    %w = llm.get_weight @q : tensor<576x576xbf16>
    ```

    Constraints:
    * c1: `weight` names an `llm.weight` of the module.
    * c2: the result's type is the weight's.
  }];
  let arguments = (ins FlatSymbolRefAttr:$weight);
  let results = (outs Llm_WeightTensor:$result);
  let assemblyFormat = "$weight attr-dict `:` type($result)";
  let hasVerifier = 0;
}

def Llm_SourceTensorOp : Llm_Op<"source_tensor", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "One part of a tensor that is stored in a file.";
  let description = [{
    `offset` is where the whole tensor starts in the file, in bytes; `encoding` is a row of the table of tensor
    encodings (adze/Format/Encodings.h); `part` is `data` for plain floats, else `codes`, `scales`, `offsets` or
    `outer`. The result has the part's logical shape, whatever the order of its bytes in the file. Empty: a part with no
    rows reads no bytes.

    ```mlir
    %0 = llm.source_tensor @model offset 4096 encoding "q4_1" part "codes" : tensor<576x576xi4>
    %1 = llm.source_tensor @model offset 4096 encoding "q4_1" part "scales" : tensor<576x18xf16>
    ```

    Constraints:
    * c1: `file` names an `llm.file` of the module.
    * c2: `encoding` is f32, f16, bf16, q8_0, q4_0, q4_1 or q6_k.
    * c3: the encoding has the part.
    * c4: the result has a static shape and the part's element type.
    * c5: `offset` is not negative and lies in the file.
  }];
  let arguments = (ins FlatSymbolRefAttr:$file, I64Attr:$offset, StrAttr:$encoding, StrAttr:$part);
  let results = (outs Llm_WeightTensor:$result);
  let assemblyFormat = "$file `offset` $offset `encoding` $encoding `part` $part attr-dict `:` type($result)";
}

def Llm_PermuteRowsOp : Llm_Op<"permute_rows", [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "Undoes the row order that GGUF's llama architecture gives to the q and k projections.";
  let description = [{
    The rows are `heads` heads of d rows each. Output row h*d + j + i*(d/2) is input row h*d + 2*j + i, with i in 0..1
    and j in 0..d/2-1: pairs that lie side by side are moved half a head apart, which is where `llm.rope` wants them. Empty: no rows stay no rows.

    ```mlir
    %1 = llm.permute_rows %0 heads 9 : tensor<576x576xi4>
    ```

    Constraints:
    * c1: `heads` is positive and divides the rows.
    * c2: a head has an even number of rows.
    * c3: the shape is static.
  }];
  let arguments = (ins Llm_WeightTensor:$input, I64Attr:$heads);
  let results = (outs Llm_WeightTensor:$result);
  let assemblyFormat = "$input `heads` $heads attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Llm_ConcatRowsOp : Llm_Op<"concat_rows", [Pure]> {
  let summary = "Weights one below the other.";
  let description = [{
    Empty: an input without rows adds none. Import: none, because checkpoints name the parts; fusing passes stack them.

    ```mlir
    %3 = llm.concat_rows %q, %k, %v : tensor<576x576xi4>, tensor<192x576xi4>, tensor<192x576xi4> -> tensor<960x576xi4>
    ```

    Constraints:
    * c1: there is at least one input.
    * c2: inputs and result have static shapes, one element type, and equal extents but for the rows.
    * c3: the result's rows are the sum of the inputs' rows.
  }];
  let arguments = (ins Variadic<Llm_WeightTensor>:$inputs);
  let results = (outs Llm_WeightTensor:$result);
  let assemblyFormat = "$inputs attr-dict `:` type($inputs) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$inputs)>];
  let hasFolder = 1;
}

def Llm_SliceRowsOp : Llm_Op<"slice_rows", [Pure]> {
  let summary = "Neighbouring rows of a weight.";
  let description = [{
    Rows `offset` to `offset + size - 1`; at least one, so that no weight is empty. Import: none, because a checkpoint's
    tensors are used whole; passes cut stacked ones.

    ```mlir
    %1 = llm.slice_rows %0 offset 576 size 192 : tensor<960x576xi4> -> tensor<192x576xi4>
    ```

    Constraints:
    * c1: input and result have static shapes, one element type, and equal extents but for the rows.
    * c2: the rows lie inside the input: offset >= 0, size >= 1, offset + size <= rows.
    * c3: the result has `size` rows.
  }];
  let arguments = (ins Llm_WeightTensor:$input, I64Attr:$offset, I64Attr:$size);
  let results = (outs Llm_WeightTensor:$result);
  let assemblyFormat = "$input `offset` $offset `size` $size attr-dict `:` type($input) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$input, "int64_t":$offset, "int64_t":$size)>];
  let hasFolder = 1;
}

def Llm_ConvertOp : Llm_Op<"convert", [Pure]> {
  let summary = "A weight rounded to another float type.";
  let description = [{
    Rounds to nearest, ties to even; what is too large becomes infinity; NaN stays NaN. Empty: no rows
    stay no rows. Import: none, because weights stay as stored until numerics are assigned.

    ```mlir
    %1 = llm.convert %0 : tensor<576x576xf16> -> tensor<576x576xbf16>
    ```

    Constraints:
    * c1: input and result have one shape and encoding.
    * c2: both are of float elements.
  }];
  let arguments = (ins Llm_WeightTensor:$input);
  let results = (outs Llm_WeightTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasFolder = 1;
}

def Llm_RepackOp : Llm_Op<"repack", [Pure]> {
  let summary = "A weight in another storage order.";
  let description = [{
    The same numbers; only where they lie in the artifact changes. Padding of the last blocks is zero. Empty:
    no rows make no blocks. Import: none, because the target chooses the order after import.

    ```mlir
    %1 = llm.repack %0 : tensor<576x576xbf16> -> tensor<576x576xbf16, #llm.packed<[8, 2], "c1 r1 r2 r4">>
    ```

    Constraints:
    * c1: input and result differ in their encoding alone.
  }];
  let arguments = (ins Llm_WeightTensor:$input);
  let results = (outs Llm_WeightTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasFolder = 1;
}

#endif // ADZE_DIALECT_LLM_IR_WEIGHTOPS_TD
