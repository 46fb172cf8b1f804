// RUN: adze-opt %s --llm-form-kernels=rules=rows --llm-verify-kernels | FileCheck %s

llm.weight @n : tensor<64xf32> {
  %0 = arith.constant dense<1.0> : tensor<64xf32>
  llm.yield %0 : tensor<64xf32>
}

// CHECK-LABEL: @normalises_only_the_wanted_rows
// CHECK: llm.kernel family "rms_norm" {{.*}} attributes {fused = ["rows"], rows = "R"}
// CHECK-NEXT: llm.gather_rows
// CHECK-NEXT: llm.rms_norm
func.func @normalises_only_the_wanted_rows(%x: tensor<?x64xf32>, %batch: !llm.batch) -> tensor<?x64xf32> {
  %w = llm.get_weight @n : tensor<64xf32>
  %g = llm.gather_rows %x, %batch : tensor<?x64xf32> -> tensor<?x64xf32>
  %y = llm.rms_norm %g, %w epsilon 1.0e-05 : tensor<?x64xf32>, tensor<64xf32>
  return %y : tensor<?x64xf32>
}

// CHECK-LABEL: @keeps_gathered_rows_with_two_readers
// CHECK: llm.kernel family "gather_rows" {{.*}} unfused = ["rows: it has several readers"]
// CHECK: llm.kernel family "rms_norm" {{.*}} attributes {rows = "R"}
func.func @keeps_gathered_rows_with_two_readers(%x: tensor<?x64xf32>, %batch: !llm.batch) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %w = llm.get_weight @n : tensor<64xf32>
  %g = llm.gather_rows %x, %batch : tensor<?x64xf32> -> tensor<?x64xf32>
  %y = llm.rms_norm %g, %w epsilon 1.0e-05 : tensor<?x64xf32>, tensor<64xf32>
  return %y, %g : tensor<?x64xf32>, tensor<?x64xf32>
}
