// RUN: adze-opt %s --llm-form-kernels=rules=slice --llm-verify-kernels | FileCheck %s

// CHECK-LABEL: @reads_columns_where_they_lie
// CHECK: llm.kernel family "elementwise" (%arg0 as %{{.*}} : tensor<?x96xf32>) -> tensor<?x32xf32>
// CHECK-NEXT: llm.slice_columns
// CHECK-NEXT: llm.silu
// CHECK-NOT: llm.kernel
func.func @reads_columns_where_they_lie(%x: tensor<?x96xf32>) -> tensor<?x32xf32> {
  %s = llm.slice_columns %x offset 64 size 32 : tensor<?x96xf32> -> tensor<?x32xf32>
  %y = llm.silu %s : tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}

// CHECK-LABEL: @gives_each_reader_its_own_slice
// CHECK: llm.kernel family "elementwise"
// CHECK-NEXT: llm.slice_columns
// CHECK-NEXT: llm.silu
// CHECK: llm.kernel family "elementwise"
// CHECK-NEXT: llm.slice_columns
// CHECK-NEXT: llm.add
// CHECK-NOT: llm.kernel
func.func @gives_each_reader_its_own_slice(%x: tensor<?x96xf32>) -> (tensor<?x32xf32>, tensor<?x32xf32>) {
  %s = llm.slice_columns %x offset 64 size 32 : tensor<?x96xf32> -> tensor<?x32xf32>
  %y = llm.silu %s : tensor<?x32xf32>
  %z = llm.add %s, %s : tensor<?x32xf32>
  return %y, %z : tensor<?x32xf32>, tensor<?x32xf32>
}

// CHECK-LABEL: @copies_a_slice_that_the_step_returns
// CHECK: llm.kernel family "elementwise" {{.*}} unfused = ["slice: the step returns it"]
// CHECK-NEXT: llm.slice_columns
func.func @copies_a_slice_that_the_step_returns(%x: tensor<?x96xf32>) -> tensor<?x32xf32> {
  %s = llm.slice_columns %x offset 64 size 32 : tensor<?x96xf32> -> tensor<?x32xf32>
  return %s : tensor<?x32xf32>
}
