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
