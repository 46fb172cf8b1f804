// A program after the exec phase whose one kernel is native code already: the logits of a row are 1 at the token after
// the row's own (modulo 104) and 0 elsewhere. It needs no model, no tile kernels and no weights.
module @next_token attributes {adze.phase = "exec",
    adze.options = {cpu = "x86-64-v3", fuse = "all", "kv-page" = "16", numerics = "f32"},
    llm.model = {family = "llama", name = "next-token", layers = 1 : i64, hidden = 4 : i64, heads = 1 : i64,
                 kv_heads = 1 : i64, head_dim = 4 : i64, vocabulary = 104 : i64, legal_tokens = 100 : i64,
                 context = 128 : i64}} {
  // One block for each row of logits; the argument block's words: token, output_row, logits, T, B, R, layer.
  llvm.func @next_token_0(%args: !llvm.ptr, %first: i64, %last: i64) attributes {passthrough = ["no-builtins"]} {
    %c0 = llvm.mlir.constant(0 : i64) : i64
    %c1 = llvm.mlir.constant(1 : i64) : i64
    %width = llvm.mlir.constant(104 : i64) : i64
    %one = llvm.mlir.constant(1.0 : f32) : f32
    %zero = llvm.mlir.constant(0.0 : f32) : f32
    %token = llvm.load %args : !llvm.ptr -> !llvm.ptr
    %p1 = llvm.getelementptr %args[8] : (!llvm.ptr) -> !llvm.ptr, i8
    %row = llvm.load %p1 : !llvm.ptr -> !llvm.ptr
    %p2 = llvm.getelementptr %args[16] : (!llvm.ptr) -> !llvm.ptr, i8
    %logits = llvm.load %p2 : !llvm.ptr -> !llvm.ptr
    llvm.br ^rows(%first : i64)
  ^rows(%r: i64):
    %more = llvm.icmp "slt" %r, %last : i64
    llvm.cond_br %more, ^row, ^end
  ^row:
    %pr = llvm.getelementptr %row[%r] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    %t32 = llvm.load %pr : !llvm.ptr -> i32
    %t = llvm.sext %t32 : i32 to i64
    %pt = llvm.getelementptr %token[%t] : (!llvm.ptr, i64) -> !llvm.ptr, i32
    %id32 = llvm.load %pt : !llvm.ptr -> i32
    %id = llvm.sext %id32 : i32 to i64
    %next = llvm.add %id, %c1 : i64
    %hot = llvm.urem %next, %width : i64
    %base = llvm.mul %r, %width : i64
    llvm.br ^columns(%c0 : i64)
  ^columns(%c: i64):
    %same = llvm.icmp "eq" %c, %hot : i64
    %value = llvm.select %same, %one, %zero : i1, f32
    %place = llvm.add %base, %c : i64
    %pl = llvm.getelementptr %logits[%place] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %value, %pl : f32, !llvm.ptr
    %c2 = llvm.add %c, %c1 : i64
    %again = llvm.icmp "slt" %c2, %width : i64
    llvm.cond_br %again, ^columns(%c2 : i64), ^next
  ^next:
    %r2 = llvm.add %r, %c1 : i64
    llvm.br ^rows(%r2 : i64)
  ^end:
    llvm.return
  }
  llvm.func @next_token_0_blocks(%args: !llvm.ptr) -> i64 {
    %p = llvm.getelementptr %args[40] : (!llvm.ptr) -> !llvm.ptr, i8
    %rows = llvm.load %p : !llvm.ptr -> i64
    llvm.return %rows : i64
  }
  exec.program @step attributes {exec.fusion = [],
      exec.kv = {bytes_per_token = 32 : i64, element = f32, page_bytes = 512 : i64, page_tokens = 16 : i64}} {
    %token = exec.input token
    %row = exec.input output_row
    %logits = exec.buffer <416 R> in 0
    exec.launch @next_token_0(%token, %row) -> (%logits) family "next_token" layer 0
      {bytes = #exec.form<420 R>, operations = #exec.form<1 R>}
    exec.output %logits
  }
}
