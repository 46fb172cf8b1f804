// RUN: adze-opt %s --llm-form-kernels=rules=slice+gate --llm-verify-kernels | FileCheck %s

llm.weight @w : tensor<192x64xf32> {
  %0 = arith.constant dense<1.0> : tensor<192x64xf32>
  llm.yield %0 : tensor<192x64xf32>
}
llm.weight @odd : tensor<180x64xf32> {
  %0 = arith.constant dense<1.0> : tensor<180x64xf32>
  llm.yield %0 : tensor<180x64xf32>
}

// CHECK-LABEL: @gates_in_the_kernel_of_the_product
// CHECK: llm.kernel family "linear" {{.*}} -> tensor<?x96xf32> attributes {fused = ["slice", "gate"], rows = "T"}
// CHECK: llm.linear
// CHECK: llm.silu
// CHECK: llm.mul
// CHECK-NOT: llm.kernel
func.func @gates_in_the_kernel_of_the_product(%x: tensor<?x64xf32>) -> tensor<?x96xf32> {
  %w = llm.get_weight @w : tensor<192x64xf32>
  %y = llm.linear %x, %w : (tensor<?x64xf32>, tensor<192x64xf32>) -> tensor<?x192xf32>
  %g = llm.slice_columns %y offset 0 size 96 : tensor<?x192xf32> -> tensor<?x96xf32>
  %u = llm.slice_columns %y offset 96 size 96 : tensor<?x192xf32> -> tensor<?x96xf32>
  %s = llm.silu %g : tensor<?x96xf32>
  %m = llm.mul %s, %u : tensor<?x96xf32>
  return %m : tensor<?x96xf32>
}

// CHECK-LABEL: @keeps_halves_that_are_not_whole_tiles
// CHECK: llm.kernel family "linear"
// CHECK: llm.kernel family "elementwise" {{.*}} unfused = ["gate: halves of 90 columns are not whole tiles of 16"]
func.func @keeps_halves_that_are_not_whole_tiles(%x: tensor<?x64xf32>) -> tensor<?x90xf32> {
  %w = llm.get_weight @odd : tensor<180x64xf32>
  %y = llm.linear %x, %w : (tensor<?x64xf32>, tensor<180x64xf32>) -> tensor<?x180xf32>
  %g = llm.slice_columns %y offset 0 size 90 : tensor<?x180xf32> -> tensor<?x90xf32>
  %u = llm.slice_columns %y offset 90 size 90 : tensor<?x180xf32> -> tensor<?x90xf32>
  %s = llm.silu %g : tensor<?x90xf32>
  %m = llm.mul %s, %u : tensor<?x90xf32>
  return %m : tensor<?x90xf32>
}

// CHECK-LABEL: @keeps_a_gate_with_two_readers
// CHECK: llm.kernel family "linear"
// CHECK-SAME: rows = "T"
// CHECK: unfused = ["gate: gate, up or their product has other readers"]
func.func @keeps_a_gate_with_two_readers(%x: tensor<?x64xf32>) -> (tensor<?x96xf32>, tensor<?x192xf32>) {
  %w = llm.get_weight @w : tensor<192x64xf32>
  %y = llm.linear %x, %w : (tensor<?x64xf32>, tensor<192x64xf32>) -> tensor<?x192xf32>
  %g = llm.slice_columns %y offset 0 size 96 : tensor<?x192xf32> -> tensor<?x96xf32>
  %u = llm.slice_columns %y offset 96 size 96 : tensor<?x192xf32> -> tensor<?x96xf32>
  %s = llm.silu %g : tensor<?x96xf32>
  %m = llm.mul %s, %u : tensor<?x96xf32>
  return %m, %y : tensor<?x96xf32>, tensor<?x192xf32>
}
