// RUN: adze-opt %s --split-input-file --convert-llm-to-exec --exec-verify-launches | FileCheck %s

!kv = !llm.kv<layers = 2, heads = 1, dim = 4, element = f32, page = 16, keys = token_dim>

// CHECK-LABEL: module @turns_groups_into_launches
module @turns_groups_into_launches {
  llm.file @model path "m" size 1024 hash "00112233445566778899aabbccddeeff"
  llm.weight @table : tensor<6x4xf32> {
    %0 = llm.source_tensor @model offset 0 encoding "f32" part "data" : tensor<6x4xf32>
    llm.yield %0 : tensor<6x4xf32>
  }
  // A packed weight takes whole blocks: 6 rows are stored as 8.
  llm.weight @head : tensor<6x4xf32, #llm.packed<[8, 4], "r1 r2 r4 c1 c2">> {
    %0 = llm.source_tensor @model offset 96 encoding "f32" part "data" : tensor<6x4xf32>
    %1 = llm.repack %0 : tensor<6x4xf32> -> tensor<6x4xf32, #llm.packed<[8, 4], "r1 r2 r4 c1 c2">>
    llm.yield %1 : tensor<6x4xf32, #llm.packed<[8, 4], "r1 r2 r4 c1 c2">>
  }
  llm.weight @unused : tensor<4xf32> {
    %0 = llm.source_tensor @model offset 192 encoding "f32" part "data" : tensor<4xf32>
    llm.yield %0 : tensor<4xf32>
  }
  func.func private @embed()
  func.func private @append()
  func.func private @product()

  // Segments in the order of first use, at multiples of 256; a weight that nobody uses has none.
  // CHECK: exec.segment @table.segment of @table at 0 size 96
  // CHECK-NEXT: exec.segment @head.segment of @head at 256 size 128
  // CHECK-NEXT: exec.program @step
  // CHECK-SAME: exec.fusion = [{count = 1 : i64, fused = true, reason = "", rule = "residual"},
  // CHECK-SAME: {count = 1 : i64, fused = false, reason = "two uses", rule = "norm"}]
  // CHECK-SAME: exec.kv = {bytes_per_token = 64 : i64, element = f32, page_bytes = 1024 : i64, page_tokens = 16 : i64}
  func.func @step(%token: tensor<?xi32>, %batch: !llm.batch, %kv: !kv) -> (tensor<?x6xf32>, !kv) {
    // CHECK-NEXT: %[[TOKEN:.*]] = exec.input token
    // CHECK-NEXT: %[[KV:.*]] = exec.input kv
    // CHECK-NEXT: %[[TABLE:.*]] = exec.weight @table.segment
    %table = llm.get_weight @table : tensor<6x4xf32>
    // CHECK-NEXT: %[[X:.*]] = exec.buffer <16 T>
    // CHECK-NEXT: exec.launch @embed(%[[TOKEN]], %[[TABLE]]) -> (%[[X]]) family "embedding" layer 0
    // CHECK-SAME: bytes = #exec.form<
    %x = llm.kernel family "embedding" (%token as %t, %table as %w : tensor<?xi32>, tensor<6x4xf32>) -> (tensor<?x4xf32>) attributes {kernel = @embed, fused = ["residual"], unfused = ["norm: two uses"]} {
      %y = llm.embedding %t, %w : tensor<?xi32>, tensor<6x4xf32> -> tensor<?x4xf32>
      llm.yield %y : tensor<?x4xf32>
    }
    // The batch is nine arrays, the cache is updated in place, and the layer is the last number of the block.
    %layer = arith.constant 1 : index
    // CHECK: exec.launch @append(%[[X]], %[[X]], %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %[[KV]]) -> () family "kv_append" layer 1
    %kv1 = llm.kernel family "kv_append" (%x as %k, %x as %v, %batch as %b, %kv as %c, %layer as %l
        : tensor<?x4xf32>, tensor<?x4xf32>, !llm.batch, !kv, index) -> (!kv) attributes {kernel = @append} {
      %n = llm.kv_append %k, %v, %c, %l, %b : tensor<?x4xf32>, tensor<?x4xf32>, !kv
      llm.yield %n : !kv
    }
    // CHECK: %[[HEAD:.*]] = exec.weight @head.segment
    %head = llm.get_weight @head : tensor<6x4xf32, #llm.packed<[8, 4], "r1 r2 r4 c1 c2">>
    // Results have as many rows as the group says.
    // CHECK-NEXT: %[[LOGITS:.*]] = exec.buffer <24 R>
    // CHECK: exec.launch @product(%[[X]], %[[HEAD]],
    // CHECK-SAME: -> (%[[LOGITS]]) family "linear" layer 0
    %logits = llm.kernel family "linear" (%x as %a, %head as %w, %batch as %b
        : tensor<?x4xf32>, tensor<6x4xf32, #llm.packed<[8, 4], "r1 r2 r4 c1 c2">>, !llm.batch) -> (tensor<?x6xf32>) attributes {kernel = @product, rows = "R"} {
      %g = llm.gather_rows %a, %b : tensor<?x4xf32> -> tensor<?x4xf32>
      %y = llm.linear %g, %w : (tensor<?x4xf32>, tensor<6x4xf32, #llm.packed<[8, 4], "r1 r2 r4 c1 c2">>) -> tensor<?x6xf32>
      llm.yield %y : tensor<?x6xf32>
    }
    // CHECK: exec.output %[[LOGITS]]
    return %logits, %kv1 : tensor<?x6xf32>, !kv
  }
}

// -----

// CHECK-LABEL: module @says_where_the_chosen_tokens_are
module @says_where_the_chosen_tokens_are {
  func.func private @rows()
  func.func private @choose()
  func.func @step(%token: tensor<?xi32>, %batch: !llm.batch) -> (tensor<?x6xf32>, tensor<?x1xi32>) {
    %t = llm.get_weight @table : tensor<9x6xf32>
    // CHECK: %[[LOGITS:.*]] = exec.buffer <24 R>
    %x = llm.kernel family "embedding" (%token as %a, %t as %w, %batch as %b : tensor<?xi32>, tensor<9x6xf32>, !llm.batch)
        -> (tensor<?x6xf32>) attributes {kernel = @rows, rows = "R"} {
      %0 = llm.embedding %a, %w : tensor<?xi32>, tensor<9x6xf32> -> tensor<?x6xf32>
      %1 = llm.gather_rows %0, %b : tensor<?x6xf32> -> tensor<?x6xf32>
      llm.yield %1 : tensor<?x6xf32>
    }
    // CHECK: %[[TOKEN:.*]] = exec.buffer <4 R>
    // CHECK-NEXT: exec.launch @choose(%[[LOGITS]]) -> (%[[TOKEN]]) family "best_token" layer 0
    %y = llm.kernel family "best_token" (%x as %a : tensor<?x6xf32>) -> (tensor<?x1xi32>)
        attributes {kernel = @choose, rows = "R"} {
      %0 = llm.best_token %a legal 5 : tensor<?x6xf32> -> tensor<?x1xi32>
      llm.yield %0 : tensor<?x1xi32>
    }
    // CHECK: exec.output %[[LOGITS]] choice %[[TOKEN]]
    return %x, %y : tensor<?x6xf32>, tensor<?x1xi32>
  }
  llm.file @model path "m" size 1024 hash "00112233445566778899aabbccddeeff"
  llm.weight @table : tensor<9x6xf32> {
    %0 = llm.source_tensor @model offset 0 encoding "f32" part "data" : tensor<9x6xf32>
    llm.yield %0 : tensor<9x6xf32>
  }
}
