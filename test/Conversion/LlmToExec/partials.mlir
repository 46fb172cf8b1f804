// RUN: adze-opt %s --convert-llm-to-exec --exec-verify-launches --exec-plan-memory --exec-verify-memory | FileCheck %s

// Attention in runs is two launches with scratch memory between them: a run leaves 2 heads x (4 + 2) numbers, 48 bytes; a
// request has one run more than its pages fill, and 16 pages of 16 tokens are a run of 256.
!kv = !llm.kv<layers = 2, heads = 1, dim = 4, element = bf16, page = 16, keys = token_dim>
llm.file @model path "m" size 1024 hash "00112233445566778899aabbccddeeff"
llm.weight @table : tensor<6x8xbf16> {
  %0 = llm.source_tensor @model offset 0 encoding "bf16" part "data" : tensor<6x8xbf16>
  llm.yield %0 : tensor<6x8xbf16>
}
func.func private @embed()
func.func private @attend()
func.func private @attend_partials()

// CHECK-LABEL: exec.program @step
func.func @step(%token: tensor<?xi32>, %batch: !llm.batch, %kv: !kv) -> tensor<?x8xbf16> {
  %table = llm.get_weight @table : tensor<6x8xbf16>
  // CHECK: %[[X:.*]] = exec.buffer <16 T> in 0
  %x = llm.kernel family "embedding" (%token as %t, %table as %w : tensor<?xi32>, tensor<6x8xbf16>) -> (tensor<?x8xbf16>) attributes {kernel = @embed, rows = "T"} {
    %y = llm.embedding %t, %w : tensor<?xi32>, tensor<6x8xbf16> -> tensor<?x8xbf16>
    llm.yield %y : tensor<?x8xbf16>
  }
  %layer = arith.constant 1 : index
  // CHECK-DAG: %[[Y:.*]] = exec.buffer <16 T> in 2
  // CHECK-DAG: %[[SCRATCH:.*]] = exec.buffer <48 B + 3 P B> in 1
  // CHECK: exec.launch @attend_partials(%[[X]], %[[KV:[^,]*]], {{.*}}) -> (%[[SCRATCH]]) family "paged_attention" layer 1
  // CHECK: exec.launch @attend(%[[X]], %[[KV]], {{.*}}, %[[SCRATCH]]) -> (%[[Y]]) family "paged_attention" layer 1
  %y = llm.kernel family "paged_attention" (%x as %q, %kv as %c, %layer as %l, %batch as %b
      : tensor<?x8xbf16>, !kv, index, !llm.batch) -> (tensor<?x8xbf16>)
      attributes {kernel = @attend, partials = @attend_partials, rows = "T",
                  schedule = #llm.schedule<tokens = 1, columns = 1, depth = 64, sums = invariant>, matrix_rows = 16 : i64, kv_split = 256 : i64} {
    %o = llm.paged_attention %q, %c, %l, %b heads 2 scale 0.5 window 0 : tensor<?x8xbf16>, !kv
    llm.yield %o : tensor<?x8xbf16>
  }
  return %y : tensor<?x8xbf16>
}
