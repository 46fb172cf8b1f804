// RUN: adze-opt %s --llm-form-kernels=rules=cast --llm-verify-kernels | FileCheck %s

// CHECK-LABEL: @rounds_where_the_value_is_made
// CHECK: llm.kernel family "elementwise" {{.*}} -> tensor<?x64xbf16> attributes {fused = ["cast"], rows = "T"}
// CHECK-NEXT: llm.silu
// CHECK-NEXT: arith.truncf
// CHECK-NOT: llm.kernel
func.func @rounds_where_the_value_is_made(%x: tensor<?x64xf32>) -> tensor<?x64xbf16> {
  %y = llm.silu %x : tensor<?x64xf32>
  %b = arith.truncf %y : tensor<?x64xf32> to tensor<?x64xbf16>
  return %b : tensor<?x64xbf16>
}

// CHECK-LABEL: @keeps_an_unrounded_value_that_is_read
// CHECK: llm.kernel family "elementwise"
// CHECK: llm.kernel family "elementwise" {{.*}} unfused = ["cast: the unrounded value has other readers"]
func.func @keeps_an_unrounded_value_that_is_read(%x: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xbf16>) {
  %y = llm.silu %x : tensor<?x64xf32>
  %b = arith.truncf %y : tensor<?x64xf32> to tensor<?x64xbf16>
  return %y, %b : tensor<?x64xf32>, tensor<?x64xbf16>
}
