// ExecOps.td: the operations of the exec dialect.
#ifndef ADZE_DIALECT_EXEC_IR_EXECOPS_TD
#define ADZE_DIALECT_EXEC_IR_EXECOPS_TD

include "adze/Dialect/Exec/IR/ExecDialect.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Exec_Op<string mnemonic, list<Trait> traits = []> : Op<Exec_Dialect, mnemonic, traits>;

def Exec_InputKind : I32EnumAttr<"InputKind", "an array that the caller of a step gives", [
    I32EnumAttrCase<"Token", 0, "token">, I32EnumAttrCase<"Position", 1, "position">,
    I32EnumAttrCase<"Request", 2, "request">, I32EnumAttrCase<"KvSlot", 3, "kv_slot">,
    I32EnumAttrCase<"QueryStart", 4, "query_start">, I32EnumAttrCase<"KvLength", 5, "kv_length">,
    I32EnumAttrCase<"PromptLength", 6, "prompt_length">, I32EnumAttrCase<"PageStart", 7, "page_start">,
    I32EnumAttrCase<"Pages", 8, "pages">, I32EnumAttrCase<"OutputRow", 9, "output_row">,
    I32EnumAttrCase<"Kv", 10, "kv">]> {
  let cppNamespace = "::adze::exec";
  let genSpecializedAttr = 0;
}
def Exec_InputKindAttr : EnumAttr<Exec_Dialect, Exec_InputKind, "input_kind"> {
  let assemblyFormat = "$value";
}

def Exec_SegmentOp : Exec_Op<"segment", [Symbol]> {
  let summary = "one weight's place in the weights section";
  let description = [{
    Says that the value of the weight expression `weight` lies at `offset` of weights.bin and takes `size` bytes there,
    before padding.

    Constraints: /*c1*/ the offset is a multiple of 256; /*c2*/ the size is at least 1; /*c3*/ both are at
    most 2^62.

    Example:
    ```mlir
    exec.segment @layers.0.feed_forward.up.codes.segment of @layers.0.feed_forward.up.codes at 4096 size 442368
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$weight, I64Attr:$offset, I64Attr:$size);
  let assemblyFormat = "$sym_name `of` $weight `at` $offset `size` $size attr-dict";
  let hasVerifier = 1;
}

def Exec_ProgramOp : Exec_Op<"program", [Symbol, IsolatedFromAbove, SingleBlock]> {
  let summary = "the launches of one step, in order";
  let description = [{
    The body is one block. Launches run in the order of the text; each sees what the earlier ones wrote.

    Constraints: /*c1*/ the body holds ops of this dialect only; /*c2*/ it ends in the one `exec.output`.

    Example:
    ```mlir
    exec.program @step {
      %token = exec.input token
      %table = exec.weight @embedding.segment
      %x = exec.buffer #exec.form<256 T>
      exec.launch @embedding(%token, %table) -> (%x) family "embedding" layer 0
      exec.output %x
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The slots of the memory plan: one more than the highest slot of a buffer.
    int64_t slotCount();
  }];
}

def Exec_InputOp : Exec_Op<"input", [Pure, HasParent<"ProgramOp">]> {
  let summary = "an array of the step or the KV pool";
  let description = [{
    The pointer that the caller of the step gave under this name (AdzeStep of Program.h). The arrays are read only; the
    KV pool `kv` is updated in place by the launches that name it.

    Constraint: /*c1*/ a program names each input at most once.

    Example: `%kv = exec.input kv`
  }];
  let arguments = (ins Exec_InputKindAttr:$kind);
  let results = (outs Exec_BufferType:$result);
  let assemblyFormat = "$kind attr-dict";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::adze::exec::InputKind":$kind)>];
}

def Exec_WeightOp : Exec_Op<"weight", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a segment of the weights section";
  let description = [{
    Constraints: /*c1*/ `segment` names an `exec.segment`; /*c2*/ the op stands in an `exec.program`.

    Example: `%w = exec.weight @layers.0.attention.norm.segment`
  }];
  let arguments = (ins FlatSymbolRefAttr:$segment);
  let results = (outs Exec_BufferType:$result);
  let assemblyFormat = "$segment attr-dict";
  let hasVerifier = 1;
}

def Exec_BufferOp : Exec_Op<"buffer", [HasParent<"ProgramOp">]> {
  let summary = "memory for activations that lives within a step";
  let description = [{
    A buffer has no contents until a launch writes it. `slot` is absent until `exec-plan-memory` has placed it; buffers
    in one slot are never alive together.

    Constraints: /*c1*/ the size is affine in T, B and R with no negative coefficient; /*c2*/ the slot is
    at least 0 and below 65536.

    Example: `%x = exec.buffer #exec.form<2304 T> in 3`
  }];
  let arguments = (ins Exec_FormAttr:$size, OptionalAttr<I64Attr>:$slot);
  let results = (outs Exec_BufferType:$result);
  let assemblyFormat = "$size (`in` $slot^)? attr-dict";
  let hasVerifier = 1;
}

def Exec_LaunchOp : Exec_Op<"launch", [AttrSizedOperandSegments, HasParent<"ProgramOp">,
                                        DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs every block of a kernel";
  let description = [{
    The argument block holds the pointers of `reads` and then of `writes`, then T, B, R and `layer`. A buffer among
    `reads` is not changed; the KV pool among them may be. `bytes` and `operations` are what one launch moves and
    computes.

    Constraints: /*c1*/ `kernel` names a function; /*c2*/ while that function is not lowered yet, it takes one pointer
    for each operand and then T, B, R and the layer; /*c3*/ `writes` are buffers; /*c4*/ no buffer is in `reads` and
    `writes` at once; /*c5*/ the layer is at least 0.

    Example:
    ```mlir
    exec.launch @rms_norm(%x, %w) -> (%y) family "rms_norm" layer 4 {bytes = #exec.form<4608 T>}
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<Exec_BufferType>:$reads, Variadic<Exec_BufferType>:$writes,
      StrAttr:$family, I64Attr:$layer, OptionalAttr<Exec_FormAttr>:$bytes, OptionalAttr<Exec_FormAttr>:$operations);
  let assemblyFormat = [{
    $kernel `(` $reads `)` `->` `(` $writes `)` `family` $family `layer` $layer attr-dict
  }];
  let hasVerifier = 1;
}

def Exec_OutputOp : Exec_Op<"output", [Terminator, HasParent<"ProgramOp">]> {
  let summary = "where the logits, and the tokens chosen from them, are after the step";
  let description = [{
    The logits are f32 [R, vocabulary], row after row; the choice, where the program makes one, is i32 [R], each row's
    best token as `llm.best_token` says.

    Constraints: /*c1*/ the logits are an `exec.buffer`; /*c2*/ the choice is another one.

    Examples: `exec.output %logits`, `exec.output %logits choice %token`
  }];
  let arguments = (ins Exec_BufferType:$logits, Optional<Exec_BufferType>:$choice);
  let assemblyFormat = "$logits (`choice` $choice^)? attr-dict";
  let hasVerifier = 1;
}

#endif
