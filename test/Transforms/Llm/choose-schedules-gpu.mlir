// RUN: adze-opt %s --llm-choose-schedules=target=sm_80 --split-input-file --verify-diagnostics | FileCheck %s

// A GPU's row has warps beside it, from the same table; those that are there are kept.
// CHECK-LABEL: func.func @gives_a_kernel_the_warps_of_its_family
// CHECK: llm.kernel family "linear"
// CHECK-SAME: schedule = #llm.schedule<tokens = 16, columns = 64, depth = 32, sums = invariant>
// CHECK-SAME: warps = 4
// CHECK: llm.kernel family "linear"
// CHECK-SAME: warps = 2
func.func @gives_a_kernel_the_warps_of_its_family(%x: tensor<?x64xf32>, %w: tensor<64x64xf32>) -> tensor<?x64xf32> {
  %y = llm.kernel family "linear" (%x as %a, %w as %b : tensor<?x64xf32>, tensor<64x64xf32>) -> (tensor<?x64xf32>)
      attributes {rows = "T"} {
    %0 = llm.linear %a, %b : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    llm.yield %0 : tensor<?x64xf32>
  }
  %z = llm.kernel family "linear" (%y as %a, %w as %b : tensor<?x64xf32>, tensor<64x64xf32>) -> (tensor<?x64xf32>)
      attributes {rows = "T", warps = 2 : i64} {
    %0 = llm.linear %a, %b : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    llm.yield %0 : tensor<?x64xf32>
  }
  return %z : tensor<?x64xf32>
}

// -----

func.func @refuses_more_warps_than_a_block_has(%x: tensor<?x64xf32>, %w: tensor<64x64xf32>) -> tensor<?x64xf32> {
  // expected-error @below {{its block has 64 warps; a power of two up to 32 is accepted}}
  %y = llm.kernel family "linear" (%x as %a, %w as %b : tensor<?x64xf32>, tensor<64x64xf32>) -> (tensor<?x64xf32>)
      attributes {rows = "T", warps = 64 : i64} {
    %0 = llm.linear %a, %b : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    llm.yield %0 : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

// A product in bf16 has rows for small steps beside its own, and slots that its operands are copied to. One of outputs
// that are no whole tiles has one row.
// CHECK-LABEL: func.func @gives_a_product_rows_for_small_steps
// CHECK: llm.kernel family "linear"
// CHECK-SAME: schedule = #llm.schedule<tokens = 128, columns = 64, depth = 32, sums = invariant, pack = #packed>
// CHECK-SAME: small_steps = [#llm.schedule<tokens = 16, columns = 32, depth = 128, sums = invariant, pack = #packed>, #llm.schedule<tokens = 64, columns = 64, depth = 64, sums = invariant, pack = #packed>]
// CHECK-SAME: stages = 4
// CHECK-SAME: warps = 4
// CHECK: llm.kernel family "linear"
// CHECK-SAME: schedule = #llm.schedule<tokens = 32, columns = 64, depth = 32
// CHECK-NOT: small_steps
// CHECK: return
#order = #llm.packed<[8, 32], "c1 c8 c16 c2 c4 r1 r2 r4">
func.func @gives_a_product_rows_for_small_steps(%x: tensor<?x64xbf16>, %w: tensor<256x64xbf16, #order>, %v: tensor<72x256xbf16, #order>) -> tensor<?x72xbf16> {
  %y = llm.kernel family "linear" (%x as %a, %w as %b : tensor<?x64xbf16>, tensor<256x64xbf16, #order>) -> (tensor<?x256xbf16>)
      attributes {rows = "T"} {
    %0 = llm.linear %a, %b : (tensor<?x64xbf16>, tensor<256x64xbf16, #order>) -> tensor<?x256xbf16>
    llm.yield %0 : tensor<?x256xbf16>
  }
  %z = llm.kernel family "linear" (%y as %a, %v as %b : tensor<?x256xbf16>, tensor<72x256xbf16, #order>) -> (tensor<?x72xbf16>)
      attributes {rows = "T"} {
    %0 = llm.linear %a, %b : (tensor<?x256xbf16>, tensor<72x256xbf16, #order>) -> tensor<?x72xbf16>
    llm.yield %0 : tensor<?x72xbf16>
  }
  return %z : tensor<?x72xbf16>
}

// -----

// A row that is there already stands alone: what a table has beside its own is not added.
// CHECK-LABEL: func.func @adds_nothing_to_a_row_that_is_there
// CHECK: llm.kernel family "linear"
// CHECK-NOT: small_steps
// CHECK: return
func.func @adds_nothing_to_a_row_that_is_there(%x: tensor<?x64xbf16>, %w: tensor<256x64xbf16>) -> tensor<?x256xbf16> {
  %y = llm.kernel family "linear" (%x as %a, %w as %b : tensor<?x64xbf16>, tensor<256x64xbf16>) -> (tensor<?x256xbf16>)
      attributes {rows = "T", schedule = #llm.schedule<tokens = 32, columns = 64, depth = 32, sums = invariant>} {
    %0 = llm.linear %a, %b : (tensor<?x64xbf16>, tensor<256x64xbf16>) -> tensor<?x256xbf16>
    llm.yield %0 : tensor<?x256xbf16>
  }
  return %y : tensor<?x256xbf16>
}

// -----

func.func @refuses_more_stages_than_a_ring_has_slots(%x: tensor<?x64xf32>, %w: tensor<64x64xf32>) -> tensor<?x64xf32> {
  // expected-error @below {{its block has 9 stages; 1 to 8 are accepted}}
  %y = llm.kernel family "linear" (%x as %a, %w as %b : tensor<?x64xf32>, tensor<64x64xf32>) -> (tensor<?x64xf32>)
      attributes {rows = "T", stages = 9 : i64} {
    %0 = llm.linear %a, %b : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    llm.yield %0 : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

func.func @refuses_small_steps_that_do_not_ascend(%x: tensor<?x64xf32>, %w: tensor<64x64xf32>) -> tensor<?x64xf32> {
  // expected-error @below {{cannot have the schedule #llm.schedule<tokens = 16, columns = 32, depth = 32, sums = invariant>: rows for small steps have ascending `tokens`, less than the 16 of the row for all other steps}}
  %y = llm.kernel family "linear" (%x as %a, %w as %b : tensor<?x64xf32>, tensor<64x64xf32>) -> (tensor<?x64xf32>)
      attributes {rows = "T", small_steps = [#llm.schedule<tokens = 16, columns = 32, depth = 32, sums = invariant>]} {
    %0 = llm.linear %a, %b : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    llm.yield %0 : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

func.func @refuses_small_steps_with_other_sums(%x: tensor<?x64xf32>, %w: tensor<64x64xf32>) -> tensor<?x64xf32> {
  // expected-error @below {{its sums are "fast" and those of other steps "invariant"}}
  %y = llm.kernel family "linear" (%x as %a, %w as %b : tensor<?x64xf32>, tensor<64x64xf32>) -> (tensor<?x64xf32>)
      attributes {rows = "T", small_steps = [#llm.schedule<tokens = 4, columns = 32, depth = 32, sums = fast>]} {
    %0 = llm.linear %a, %b : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    llm.yield %0 : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

func.func @refuses_small_steps_that_are_no_schedules(%x: tensor<?x64xf32>, %w: tensor<64x64xf32>) -> tensor<?x64xf32> {
  // expected-error @below {{`small_steps` holds 4 : i64; schedules are accepted}}
  %y = llm.kernel family "linear" (%x as %a, %w as %b : tensor<?x64xf32>, tensor<64x64xf32>) -> (tensor<?x64xf32>)
      attributes {rows = "T", small_steps = [4 : i64]} {
    %0 = llm.linear %a, %b : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    llm.yield %0 : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

func.func @refuses_small_steps_without_a_product(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-error @below {{it has rows for small steps; products of a GPU alone do, leave `small_steps` out}}
  %y = llm.kernel family "silu" (%x as %a : tensor<?x64xf32>) -> (tensor<?x64xf32>)
      attributes {rows = "T", small_steps = [#llm.schedule<tokens = 4, columns = 32, depth = 32, sums = invariant>]} {
    %0 = llm.silu %a : tensor<?x64xf32>
    llm.yield %0 : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

// A step over k is one group: of small ones many are copied ahead, of large ones fewer.
// CHECK-LABEL: func.func @copies_fewer_groups_ahead_where_they_are_deep
// CHECK: llm.kernel family "quantized_linear"
// CHECK-SAME: depth = 16
// CHECK-SAME: stages = 8
// CHECK: llm.kernel family "quantized_linear"
// CHECK-SAME: depth = 128
// CHECK-SAME: stages = 2
func.func @copies_fewer_groups_ahead_where_they_are_deep(%x: tensor<?x256xbf16>, %c: tensor<64x256xi8>, %s: tensor<64x16xf16>, %t: tensor<64x2xf16>) -> (tensor<?x64xbf16>, tensor<?x64xbf16>) {
  %y = llm.kernel family "quantized_linear" (%x as %a, %c as %b, %s as %d : tensor<?x256xbf16>, tensor<64x256xi8>, tensor<64x16xf16>) -> (tensor<?x64xbf16>)
      attributes {rows = "T"} {
    %0 = llm.quantized_linear %a, %b, %d scheme symmetric group 16
        : (tensor<?x256xbf16>, tensor<64x256xi8>, tensor<64x16xf16>) -> tensor<?x64xbf16>
    llm.yield %0 : tensor<?x64xbf16>
  }
  %z = llm.kernel family "quantized_linear" (%x as %a, %c as %b, %t as %d : tensor<?x256xbf16>, tensor<64x256xi8>, tensor<64x2xf16>) -> (tensor<?x64xbf16>)
      attributes {rows = "T"} {
    %0 = llm.quantized_linear %a, %b, %d scheme symmetric group 128
        : (tensor<?x256xbf16>, tensor<64x256xi8>, tensor<64x2xf16>) -> tensor<?x64xbf16>
    llm.yield %0 : tensor<?x64xbf16>
  }
  return %y, %z : tensor<?x64xbf16>, tensor<?x64xbf16>
}

// -----

// Attention in bf16 has rows of matrix instructions, runs, and slots that keys and values are copied into; in f32 it has
// none of these.
!kv = !llm.kv<layers = 1, heads = 1, dim = 64, element = bf16, page = 16, keys = token_dim>
!wide = !llm.kv<layers = 1, heads = 1, dim = 64, element = f32, page = 16, keys = token_dim>
// CHECK-LABEL: func.func @gives_attention_rows_by_its_types
// CHECK: attributes {kv_split = 256 : i64, matrix_rows = 64 : i64, rows = "T", schedule = #llm.schedule<tokens = 1, columns = 1, depth = 64, sums = invariant>, stages = 3 : i64, warps = 4 : i64}
// CHECK: attributes {rows = "T", schedule = #llm.schedule<tokens = 1, columns = 1, depth = 64, sums = invariant>, warps = 1 : i64}
func.func @gives_attention_rows_by_its_types(%q: tensor<?x128xbf16>, %p: tensor<?x128xf32>, %kv: !kv, %wide: !wide, %l: index, %batch: !llm.batch) -> (tensor<?x128xbf16>, tensor<?x128xf32>) {
  %y = llm.kernel family "paged_attention" (%q as %a, %kv as %c, %l as %n, %batch as %b : tensor<?x128xbf16>, !kv, index, !llm.batch) -> (tensor<?x128xbf16>)
      attributes {rows = "T"} {
    %0 = llm.paged_attention %a, %c, %n, %b heads 2 scale 0.125 window 0 : tensor<?x128xbf16>, !kv
    llm.yield %0 : tensor<?x128xbf16>
  }
  %z = llm.kernel family "paged_attention" (%p as %a, %wide as %c, %l as %n, %batch as %b : tensor<?x128xf32>, !wide, index, !llm.batch) -> (tensor<?x128xf32>)
      attributes {rows = "T"} {
    %0 = llm.paged_attention %a, %c, %n, %b heads 2 scale 0.125 window 0 : tensor<?x128xf32>, !wide
    llm.yield %0 : tensor<?x128xf32>
  }
  return %y, %z : tensor<?x128xbf16>, tensor<?x128xf32>
}
