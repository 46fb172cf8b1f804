// RUN: adze-opt %s | FileCheck %s
// RUN: adze-opt %s --mlir-print-op-generic | adze-opt | FileCheck %s

// CHECK-LABEL: module @a_program_is_a_line_of_launches
module @a_program_is_a_line_of_launches {
  llm.file @model path "model.safetensors" size 4096 hash "00112233445566778899aabbccddeeff"
  llm.weight @table : tensor<8x4xf32> {
    %0 = llm.source_tensor @model offset 0 encoding "f32" part "data" : tensor<8x4xf32>
    llm.yield %0 : tensor<8x4xf32>
  }
  func.func private @embedding() attributes {lowered}
  func.func private @head() attributes {lowered}
  // CHECK: exec.segment @table.segment of @table at 256 size 128
  exec.segment @table.segment of @table at 256 size 128
  // CHECK: exec.program @step {
  exec.program @step {
    // CHECK-NEXT: %[[TOKEN:.*]] = exec.input token
    %token = exec.input token
    // CHECK-NEXT: %[[ROW:.*]] = exec.input output_row
    %row = exec.input output_row
    // CHECK-NEXT: %[[KV:.*]] = exec.input kv
    %kv = exec.input kv
    // CHECK-NEXT: %[[TABLE:.*]] = exec.weight @table.segment
    %table = exec.weight @table.segment
    // CHECK-NEXT: %[[X:.*]] = exec.buffer <16 T> in 1
    %x = exec.buffer <16 T> in 1
    // CHECK-NEXT: %[[LOGITS:.*]] = exec.buffer <32 R>
    %logits = exec.buffer <32 R>
    // CHECK-NEXT: exec.launch @embedding(%[[TOKEN]], %[[TABLE]]) -> (%[[X]]) family "embedding" layer 0
    exec.launch @embedding(%token, %table) -> (%x) family "embedding" layer 0
    // CHECK-NEXT: exec.launch @head(%[[X]], %[[ROW]], %[[KV]]) -> (%[[LOGITS]]) family "linear" layer 3
    // CHECK-SAME: {bytes = #exec.form<128 + 16 T + 32 R>, operations = #exec.form<64 R>}
    exec.launch @head(%x, %row, %kv) -> (%logits) family "linear" layer 3
      {bytes = #exec.form<128 + 16 T + 32 R>, operations = #exec.form<64 R>}
    // CHECK-NEXT: exec.output %[[LOGITS]]
    exec.output %logits
  }
}

// CHECK-LABEL: module @a_program_says_where_its_tokens_are
module @a_program_says_where_its_tokens_are {
  func.func private @k()
  exec.program @step {
    // CHECK: %[[LOGITS:.*]] = exec.buffer <32 R>
    // CHECK-NEXT: %[[TOKEN:.*]] = exec.buffer <4 R>
    %logits = exec.buffer <32 R>
    %token = exec.buffer <4 R>
    exec.launch @k() -> (%logits, %token) family "f" layer 0
    // CHECK: exec.output %[[LOGITS]] choice %[[TOKEN]]
    exec.output %logits choice %token
  }
}

// CHECK-LABEL: module @a_form_is_a_sum_of_terms
// CHECK-SAME: exec.a = #exec.form<1 + 2 T + 3 B + 4 R + 5 K + 6 V + 7 P + 8 P T + 9 P B + 10 P R>
// CHECK-SAME: exec.b = #exec.form<0>
// CHECK-SAME: exec.c = #exec.form<7 T>
// CHECK-SAME: exec.d = #exec.form<256 + 4 P B>
module @a_form_is_a_sum_of_terms attributes {
  exec.a = #exec.form<10 P R + 9 P B + 8 P T + 7 P + 6 V + 5 K + 4 R + 3 B + 2 T + 1>,
  exec.b = #exec.form<0 T>,
  exec.c = #exec.form<3 T + 4 T>,
  exec.d = #exec.form<256 + 4 P B>} {
}
