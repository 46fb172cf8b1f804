// RUN: adze-opt %s | adze-opt | FileCheck %s

// CHECK-LABEL: @norm_of_rows_and_of_heads
func.func @norm_of_rows_and_of_heads(%x: tensor<?x64xf32>, %w: tensor<64xf32>, %h: tensor<16xbf16>) -> tensor<?x64xf32> {
  // CHECK: llm.rms_norm %{{.*}}, %{{.*}} epsilon 9.99999974E-6 : tensor<?x64xf32>, tensor<64xf32>
  %0 = llm.rms_norm %x, %w epsilon 1.0e-5 : tensor<?x64xf32>, tensor<64xf32>
  // CHECK: llm.rms_norm %{{.*}}, %{{.*}} epsilon 0.000000e+00 : tensor<?x64xf32>, tensor<16xbf16>
  %1 = llm.rms_norm %0, %h epsilon 0.0 : tensor<?x64xf32>, tensor<16xbf16>
  return %1 : tensor<?x64xf32>
}
