// RUN: adze-opt %s --llm-choose-schedules --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @keeps_a_schedule_that_is_there_already
// CHECK: schedule = #llm.schedule<tokens = 2, columns = 8, depth = 64, sums = invariant>
func.func @keeps_a_schedule_that_is_there_already(%x: tensor<?x64xf32>, %w: tensor<32x64xf32>) -> tensor<?x32xf32> {
  %y = llm.kernel family "linear" (%x as %a, %w as %b : tensor<?x64xf32>, tensor<32x64xf32>) -> (tensor<?x32xf32>)
      attributes {rows = "T", schedule = #llm.schedule<tokens = 2, columns = 8, depth = 64, sums = invariant>} {
    %0 = llm.linear %a, %b : (tensor<?x64xf32>, tensor<32x64xf32>) -> tensor<?x32xf32>
    llm.yield %0 : tensor<?x32xf32>
  }
  return %y : tensor<?x32xf32>
}

// -----

func.func @refuses_another_order_of_sums(%x: tensor<?x64xf32>, %w: tensor<32x64xf32>) -> tensor<?x32xf32> {
  // expected-error @below {{of family "linear" cannot have the schedule #llm.schedule<tokens = 4, columns = 16, depth = 32, sums = fast>: its sums are "fast"; the order that x86-64-v3 builds is "invariant"}}
  %y = llm.kernel family "linear" (%x as %a, %w as %b : tensor<?x64xf32>, tensor<32x64xf32>) -> (tensor<?x32xf32>)
      attributes {rows = "T", schedule = #llm.schedule<tokens = 4, columns = 16, depth = 32, sums = fast>} {
    %0 = llm.linear %a, %b : (tensor<?x64xf32>, tensor<32x64xf32>) -> tensor<?x32xf32>
    llm.yield %0 : tensor<?x32xf32>
  }
  return %y : tensor<?x32xf32>
}

// -----

func.func @refuses_a_row_for_another_storage_order(%x: tensor<?x64xf32>, %w: tensor<32x64xf32>) -> tensor<?x32xf32> {
  // expected-error @below {{it is made for a weight in #llm.packed<[8, 2], "r1 r2 r4 c1">, and the weight is stored in plain rows; a row that needs another storage order is not legal for this weight}}
  %y = llm.kernel family "linear" (%x as %a, %w as %b : tensor<?x64xf32>, tensor<32x64xf32>) -> (tensor<?x32xf32>)
      attributes {rows = "T", schedule = #llm.schedule<tokens = 4, columns = 16, depth = 32, sums = invariant, pack = <[8, 2], "r1 r2 r4 c1">>} {
    %0 = llm.linear %a, %b : (tensor<?x64xf32>, tensor<32x64xf32>) -> tensor<?x32xf32>
    llm.yield %0 : tensor<?x32xf32>
  }
  return %y : tensor<?x32xf32>
}

// -----

!w = tensor<32x64xf32, #llm.packed<[8, 2], "r1 r2 r4 c1">>
func.func @refuses_a_row_that_forgets_the_storage_order(%x: tensor<?x64xf32>, %w: !w) -> tensor<?x32xf32> {
  // expected-error @below {{it is made for a weight in plain rows, and the weight is stored in #llm.packed<[8, 2], "r1 r2 r4 c1">}}
  %y = llm.kernel family "linear" (%x as %a, %w as %b : tensor<?x64xf32>, !w) -> (tensor<?x32xf32>)
      attributes {rows = "T", schedule = #llm.schedule<tokens = 4, columns = 16, depth = 32, sums = invariant>} {
    %0 = llm.linear %a, %b : (tensor<?x64xf32>, !w) -> tensor<?x32xf32>
    llm.yield %0 : tensor<?x32xf32>
  }
  return %y : tensor<?x32xf32>
}

// -----

!w = tensor<32x64xf32, #llm.packed<[8, 2], "r1 r2 r4 c1">>
func.func @refuses_columns_that_are_no_whole_blocks(%x: tensor<?x64xf32>, %w: !w) -> tensor<?x32xf32> {
  // expected-error @below {{columns = 12; multiples of 8, the extent of a block of the packed weight, are accepted}}
  %y = llm.kernel family "linear" (%x as %a, %w as %b : tensor<?x64xf32>, !w) -> (tensor<?x32xf32>)
      attributes {rows = "T", schedule = #llm.schedule<tokens = 4, columns = 12, depth = 32, sums = invariant, pack = <[8, 2], "r1 r2 r4 c1">>} {
    %0 = llm.linear %a, %b : (tensor<?x64xf32>, !w) -> tensor<?x32xf32>
    llm.yield %0 : tensor<?x32xf32>
  }
  return %y : tensor<?x32xf32>
}

// -----

!w = tensor<32x64xf32, #llm.packed<[8, 2], "r1 r2 r4 c1">>
func.func @refuses_a_depth_that_is_no_whole_blocks(%x: tensor<?x64xf32>, %w: !w) -> tensor<?x32xf32> {
  // expected-error @below {{depth = 33; multiples of 2, the extent of a block of the packed weight, are accepted}}
  %y = llm.kernel family "linear" (%x as %a, %w as %b : tensor<?x64xf32>, !w) -> (tensor<?x32xf32>)
      attributes {rows = "T", schedule = #llm.schedule<tokens = 4, columns = 8, depth = 33, sums = invariant, pack = <[8, 2], "r1 r2 r4 c1">>} {
    %0 = llm.linear %a, %b : (tensor<?x64xf32>, !w) -> tensor<?x32xf32>
    llm.yield %0 : tensor<?x32xf32>
  }
  return %y : tensor<?x32xf32>
}

// -----

func.func @refuses_a_depth_other_than_the_group(%x: tensor<?x64xf32>, %c: tensor<32x64xi8>, %s: tensor<32x4xf16>) -> tensor<?x32xf32> {
  // expected-error @below {{its depth is 32; a step over k is one group of the weight, 16}}
  %y = llm.kernel family "quantized_linear" (%x as %a, %c as %b, %s as %d : tensor<?x64xf32>, tensor<32x64xi8>, tensor<32x4xf16>) -> (tensor<?x32xf32>)
      attributes {rows = "T", schedule = #llm.schedule<tokens = 4, columns = 16, depth = 32, sums = invariant>} {
    %0 = llm.quantized_linear %a, %b, %d scheme symmetric group 16
        : (tensor<?x64xf32>, tensor<32x64xi8>, tensor<32x4xf16>) -> tensor<?x32xf32>
    llm.yield %0 : tensor<?x32xf32>
  }
  return %y : tensor<?x32xf32>
}

// -----

func.func @refuses_columns_that_cut_the_halves_of_a_gate(%x: tensor<?x64xf32>, %w: tensor<48x64xf32>) -> tensor<?x24xf32> {
  // expected-error @below {{its columns are 16; the kernel's columns from 24 on, 24 of them, must be whole tiles}}
  %y = llm.kernel family "linear" (%x as %a, %w as %b : tensor<?x64xf32>, tensor<48x64xf32>) -> (tensor<?x24xf32>)
      attributes {rows = "T", schedule = #llm.schedule<tokens = 4, columns = 16, depth = 32, sums = invariant>} {
    %0 = llm.linear %a, %b : (tensor<?x64xf32>, tensor<48x64xf32>) -> tensor<?x48xf32>
    %1 = llm.slice_columns %0 offset 0 size 24 : tensor<?x48xf32> -> tensor<?x24xf32>
    %2 = llm.slice_columns %0 offset 24 size 24 : tensor<?x48xf32> -> tensor<?x24xf32>
    %3 = llm.silu %1 : tensor<?x24xf32>
    %4 = llm.mul %3, %2 : tensor<?x24xf32>
    llm.yield %4 : tensor<?x24xf32>
  }
  return %y : tensor<?x24xf32>
}

// -----

func.func @refuses_what_a_kernel_without_a_product_would_ignore(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-error @below {{kernels without a product are built in one way for x86-64-v3, #llm.schedule<tokens = 1, columns = 64, depth = 64, sums = invariant>}}
  %y = llm.kernel family "elementwise" (%x as %a : tensor<?x64xf32>) -> (tensor<?x64xf32>)
      attributes {rows = "T", schedule = #llm.schedule<tokens = 8, columns = 64, depth = 64, sums = invariant>} {
    %0 = llm.silu %a : tensor<?x64xf32>
    llm.yield %0 : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

func.func @refuses_a_kernel_without_family(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-error @below {{has no family, which its schedule is chosen by; llm-form-kernels sets it}}
  %y = llm.kernel (%x as %a : tensor<?x64xf32>) -> (tensor<?x64xf32>) attributes {rows = "T"} {
    %0 = llm.silu %a : tensor<?x64xf32>
    llm.yield %0 : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

// expected-error @below {{#llm.schedule: depth is 0; 1 to 65536 is accepted}}
func.func private @refuses_a_size_that_is_none() attributes {s = #llm.schedule<tokens = 4, columns = 16, depth = 0, sums = invariant>}

// -----

func.func @refuses_warps_for_a_cpu(%x: tensor<?x64xf32>, %w: tensor<32x64xf32>) -> tensor<?x32xf32> {
  // expected-error @below {{its block has 4 warps; blocks of x86-64-v3 have none, leave `warps` out}}
  %y = llm.kernel family "linear" (%x as %a, %w as %b : tensor<?x64xf32>, tensor<32x64xf32>) -> (tensor<?x32xf32>)
      attributes {rows = "T", warps = 4 : i64, schedule = #llm.schedule<tokens = 4, columns = 16, depth = 32, sums = invariant>} {
    %0 = llm.linear %a, %b : (tensor<?x64xf32>, tensor<32x64xf32>) -> tensor<?x32xf32>
    llm.yield %0 : tensor<?x32xf32>
  }
  return %y : tensor<?x32xf32>
}

// -----

!kv = !llm.kv<layers = 1, heads = 1, dim = 64, element = bf16, page = 16, keys = token_dim>
// CHECK-LABEL: func.func @keeps_rows_of_attention_in_bf16
// CHECK: matrix_rows = 16 : i64
func.func @keeps_rows_of_attention_in_bf16(%q: tensor<?x128xbf16>, %kv: !kv, %l: index, %batch: !llm.batch) -> tensor<?x128xbf16> {
  %y = llm.kernel family "paged_attention" (%q as %a, %kv as %c, %l as %n, %batch as %b : tensor<?x128xbf16>, !kv, index, !llm.batch) -> (tensor<?x128xbf16>)
      attributes {rows = "T", matrix_rows = 16 : i64} {
    %0 = llm.paged_attention %a, %c, %n, %b heads 2 scale 0.125 window 0 : tensor<?x128xbf16>, !kv
    llm.yield %0 : tensor<?x128xbf16>
  }
  return %y : tensor<?x128xbf16>
}

// -----

!kv = !llm.kv<layers = 1, heads = 1, dim = 64, element = f32, page = 16, keys = token_dim>
func.func @refuses_rows_of_attention_in_f32(%q: tensor<?x128xbf16>, %kv: !kv, %l: index, %batch: !llm.batch) -> tensor<?x128xbf16> {
  // expected-error @below {{of family "paged_attention" has rows of products in bf16, and its query is 'tensor<?x128xbf16>', its cache '!llm.kv<layers = 1, heads = 1, dim = 64, element = f32, page = 16, keys = token_dim>'; leave `matrix_rows` and `kv_split` out}}
  %y = llm.kernel family "paged_attention" (%q as %a, %kv as %c, %l as %n, %batch as %b : tensor<?x128xbf16>, !kv, index, !llm.batch) -> (tensor<?x128xbf16>)
      attributes {rows = "T", matrix_rows = 16 : i64} {
    %0 = llm.paged_attention %a, %c, %n, %b heads 2 scale 0.125 window 0 : tensor<?x128xbf16>, !kv
    llm.yield %0 : tensor<?x128xbf16>
  }
  return %y : tensor<?x128xbf16>
}

// -----

!kv = !llm.kv<layers = 1, heads = 1, dim = 64, element = bf16, page = 16, keys = token_dim>
func.func @refuses_rows_that_no_instruction_has(%q: tensor<?x128xbf16>, %kv: !kv, %l: index, %batch: !llm.batch) -> tensor<?x128xbf16> {
  // expected-error @below {{has matrix_rows = 12; powers of two from 16, those of a matrix instruction, to 128 are accepted}}
  %y = llm.kernel family "paged_attention" (%q as %a, %kv as %c, %l as %n, %batch as %b : tensor<?x128xbf16>, !kv, index, !llm.batch) -> (tensor<?x128xbf16>)
      attributes {rows = "T", matrix_rows = 12 : i64} {
    %0 = llm.paged_attention %a, %c, %n, %b heads 2 scale 0.125 window 0 : tensor<?x128xbf16>, !kv
    llm.yield %0 : tensor<?x128xbf16>
  }
  return %y : tensor<?x128xbf16>
}

// -----

func.func @refuses_rows_of_a_product(%x: tensor<?x64xf32>, %w: tensor<32x64xf32>) -> tensor<?x32xf32> {
  // expected-error @below {{has `matrix_rows`, which attention alone has; leave it out}}
  %y = llm.kernel family "linear" (%x as %a, %w as %b : tensor<?x64xf32>, tensor<32x64xf32>) -> (tensor<?x32xf32>)
      attributes {rows = "T", schedule = #llm.schedule<tokens = 4, columns = 16, depth = 32, sums = invariant>, matrix_rows = 16 : i64} {
    %0 = llm.linear %a, %b : (tensor<?x64xf32>, tensor<32x64xf32>) -> tensor<?x32xf32>
    llm.yield %0 : tensor<?x32xf32>
  }
  return %y : tensor<?x32xf32>
}

// -----

!kv = !llm.kv<layers = 1, heads = 1, dim = 64, element = bf16, page = 16, keys = token_dim>
func.func @refuses_runs_that_cut_tiles(%q: tensor<?x128xbf16>, %kv: !kv, %l: index, %batch: !llm.batch) -> tensor<?x128xbf16> {
  // expected-error @below {{has kv_split = 96; multiples of 64 from 0 to 65536 are accepted}}
  %y = llm.kernel family "paged_attention" (%q as %a, %kv as %c, %l as %n, %batch as %b : tensor<?x128xbf16>, !kv, index, !llm.batch) -> (tensor<?x128xbf16>)
      attributes {rows = "T", matrix_rows = 16 : i64, kv_split = 96 : i64} {
    %0 = llm.paged_attention %a, %c, %n, %b heads 2 scale 0.125 window 0 : tensor<?x128xbf16>, !kv
    llm.yield %0 : tensor<?x128xbf16>
  }
  return %y : tensor<?x128xbf16>
}
