// RUN: adze-opt %s --convert-llm-to-tile --split-input-file --verify-diagnostics | FileCheck %s

// The tiles are those of the kernel's schedule, and groups that differ in nothing else are two functions.
// CHECK-LABEL: func.func @builds_by_the_schedule_of_each_group
// CHECK: kernel = @linear_32x64, rows
// CHECK: kernel = @linear_32x64_0, rows
// CHECK: kernel = @linear_32x64, rows
// CHECK: func.func @linear_32x64(
// CHECK-SAME: tile.schedule = {columns = 8 : i64, depth = 64 : i64, sums = "invariant", tokens = 2 : i64}
// CHECK: tile.grid ({{.*}}) by [8, 2]
// CHECK: func.func @linear_32x64_0(
// CHECK-SAME: tile.schedule = {columns = 16 : i64, depth = 32 : i64, sums = "invariant", tokens = 4 : i64}
// CHECK: tile.grid ({{.*}}) by [16, 4]
// CHECK-NOT: func.func
#small = #llm.schedule<tokens = 2, columns = 8, depth = 64, sums = invariant>
#large = #llm.schedule<tokens = 4, columns = 16, depth = 32, sums = invariant>
func.func @builds_by_the_schedule_of_each_group(%x: tensor<?x64xf32>, %w: tensor<32x64xf32>)
    -> (tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>) {
  %0 = llm.kernel family "linear" (%x as %a, %w as %b : tensor<?x64xf32>, tensor<32x64xf32>) -> (tensor<?x32xf32>)
      attributes {rows = "T", schedule = #small} {
    %y = llm.linear %a, %b : (tensor<?x64xf32>, tensor<32x64xf32>) -> tensor<?x32xf32>
    llm.yield %y : tensor<?x32xf32>
  }
  %1 = llm.kernel family "linear" (%x as %a, %w as %b : tensor<?x64xf32>, tensor<32x64xf32>) -> (tensor<?x32xf32>)
      attributes {rows = "T", schedule = #large} {
    %y = llm.linear %a, %b : (tensor<?x64xf32>, tensor<32x64xf32>) -> tensor<?x32xf32>
    llm.yield %y : tensor<?x32xf32>
  }
  %2 = llm.kernel family "linear" (%x as %a, %w as %b : tensor<?x64xf32>, tensor<32x64xf32>) -> (tensor<?x32xf32>)
      attributes {rows = "T", schedule = #small} {
    %y = llm.linear %a, %b : (tensor<?x64xf32>, tensor<32x64xf32>) -> tensor<?x32xf32>
    llm.yield %y : tensor<?x32xf32>
  }
  return %0, %1, %2 : tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>
}

// -----

func.func @refuses_a_kernel_without_a_schedule(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-error @below {{has no schedule to be built by; run llm-choose-schedules}}
  %y = llm.kernel family "elementwise" (%x as %a : tensor<?x64xf32>) -> (tensor<?x64xf32>) attributes {rows = "T"} {
    %0 = llm.silu %a : tensor<?x64xf32>
    llm.yield %0 : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

!kv = !llm.kv<layers = 1, heads = 1, dim = 64, element = f32, page = 16, keys = token_dim>
func.func @refuses_matrix_rows_of_f32(%q: tensor<?x128xf32>, %kv: !kv, %l: index, %batch: !llm.batch) -> tensor<?x128xf32> {
  %y = llm.kernel family "paged_attention" (%q as %a, %kv as %c, %l as %n, %batch as %b : tensor<?x128xf32>, !kv, index, !llm.batch) -> (tensor<?x128xf32>)
      attributes {rows = "T", matrix_rows = 16 : i64, schedule = #llm.schedule<tokens = 1, columns = 1, depth = 64, sums = invariant>} {
    // expected-error @below {{cannot become a kernel for x86-64-v3: matrix_rows = 16 of 'tensor<?x128xf32>' and '!llm.kv<layers = 1, heads = 1, dim = 64, element = f32, page = 16, keys = token_dim>'; powers of two from 16 to 128 are accepted, of bf16}}
    %0 = llm.paged_attention %a, %c, %n, %b heads 2 scale 0.125 window 0 : tensor<?x128xf32>, !kv
    llm.yield %0 : tensor<?x128xf32>
  }
  return %y : tensor<?x128xf32>
}

// -----

!kv = !llm.kv<layers = 1, heads = 1, dim = 64, element = bf16, page = 16, keys = token_dim>
func.func @refuses_runs_without_matrix_rows(%q: tensor<?x128xbf16>, %kv: !kv, %l: index, %batch: !llm.batch) -> tensor<?x128xbf16> {
  %y = llm.kernel family "paged_attention" (%q as %a, %kv as %c, %l as %n, %batch as %b : tensor<?x128xbf16>, !kv, index, !llm.batch) -> (tensor<?x128xbf16>)
      attributes {rows = "T", kv_split = 64 : i64, schedule = #llm.schedule<tokens = 1, columns = 1, depth = 64, sums = invariant>} {
    // expected-error @below {{kv_split = 64 with matrix_rows = 0; multiples of 64 up to 65536 are accepted, beside matrix_rows}}
    %0 = llm.paged_attention %a, %c, %n, %b heads 2 scale 0.125 window 0 : tensor<?x128xbf16>, !kv
    llm.yield %0 : tensor<?x128xbf16>
  }
  return %y : tensor<?x128xbf16>
}
