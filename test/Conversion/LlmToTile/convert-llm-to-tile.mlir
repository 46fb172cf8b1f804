// RUN: adze-opt %s --llm-form-kernels --llm-choose-schedules --convert-llm-to-tile | FileCheck %s
// RUN: not adze-opt %s --llm-form-kernels --llm-choose-schedules --convert-llm-to-tile=target=z80 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: there is no target named 'z80'

llm.weight @a : tensor<16x64xf32> {
  %0 = arith.constant dense<1.0> : tensor<16x64xf32>
  llm.yield %0 : tensor<16x64xf32>
}
llm.weight @b : tensor<16x64xf32> {
  %0 = arith.constant dense<2.0> : tensor<16x64xf32>
  llm.yield %0 : tensor<16x64xf32>
}

// Groups that differ in the names of their weights share a function; rows of tokens and output rows do not.
// CHECK-LABEL: func.func @shares_a_function_between_equal_groups
// CHECK: llm.kernel family "linear" {{.*}} {kernel = @linear_16x64, rows = "T", schedule = #llm.schedule<tokens = 4, columns = 16, depth = 32, sums = invariant>}
// CHECK: llm.kernel family "linear" {{.*}} {kernel = @linear_16x64, rows = "T", schedule = #llm.schedule<tokens = 4, columns = 16, depth = 32, sums = invariant>}
// CHECK: llm.kernel family "gather_rows" {{.*}} {kernel = @gather_rows, rows = "R"
// CHECK: llm.kernel family "linear" {{.*}} {kernel = @linear_16x64_0, rows = "R", schedule = {{.*}}}
// CHECK: func.func @linear_16x64(%{{.*}}: !tile.ptr, %{{.*}}: !tile.ptr, %{{.*}}: !tile.ptr, %[[T:.*]]: index, %{{.*}}: index, %[[R:.*]]: index, %{{.*}}: index) attributes {tile.family = "linear", tile.kernel, tile.schedule = {columns = 16 : i64, depth = 32 : i64, sums = "invariant", tokens = 4 : i64}}
// CHECK: tile.grid ({{.*}}) = (%c16, %[[T]]) by [16, 4]
// CHECK: func.func @gather_rows(
// CHECK: func.func @linear_16x64_0({{.*}}%{{.*}}: index, %{{.*}}: index, %[[R:[a-z0-9]*]]: index, %{{.*}}: index)
// CHECK: tile.grid ({{.*}}) = (%c16, %[[R]]) by [16, 4]
// CHECK-NOT: func.func
func.func @shares_a_function_between_equal_groups(%x: tensor<?x64xf32>, %batch: !llm.batch)
    -> (tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>) {
  %a = llm.get_weight @a : tensor<16x64xf32>
  %b = llm.get_weight @b : tensor<16x64xf32>
  %0 = llm.linear %x, %a : (tensor<?x64xf32>, tensor<16x64xf32>) -> tensor<?x16xf32>
  %1 = llm.linear %x, %b : (tensor<?x64xf32>, tensor<16x64xf32>) -> tensor<?x16xf32>
  %g = llm.gather_rows %x, %batch : tensor<?x64xf32> -> tensor<?x64xf32>
  %2 = llm.linear %g, %a : (tensor<?x64xf32>, tensor<16x64xf32>) -> tensor<?x16xf32>
  return %0, %1, %2 : tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>
}
