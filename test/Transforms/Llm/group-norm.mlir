// RUN: adze-opt %s --llm-form-kernels=rules=norm --llm-verify-kernels | FileCheck %s

llm.weight @n : tensor<64xf32> {
  %0 = arith.constant dense<1.0> : tensor<64xf32>
  llm.yield %0 : tensor<64xf32>
}

// CHECK-LABEL: @quantizes_in_the_kernel_of_the_norm
// CHECK: llm.kernel family "rms_norm" {{.*}} -> (tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xi32>)
// CHECK-NOT: llm.kernel
func.func @quantizes_in_the_kernel_of_the_norm(%x: tensor<?x64xf32>) -> (tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xi32>) {
  %w = llm.get_weight @n : tensor<64xf32>
  %y = llm.rms_norm %x, %w epsilon 1.0e-05 : tensor<?x64xf32>, tensor<64xf32>
  %q, %s, %u = llm.quantize %y group 32 : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xi32>
  return %q, %s, %u : tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xi32>
}

// CHECK-LABEL: @writes_the_norm_too_where_it_is_read
// CHECK: llm.kernel family "rms_norm" {{.*}} -> (tensor<?x64xf32>, tensor<?x64xbf16>)
// CHECK-NOT: llm.kernel
func.func @writes_the_norm_too_where_it_is_read(%x: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xbf16>) {
  %w = llm.get_weight @n : tensor<64xf32>
  %y = llm.rms_norm %x, %w epsilon 1.0e-05 : tensor<?x64xf32>, tensor<64xf32>
  %b = arith.truncf %y : tensor<?x64xf32> to tensor<?x64xbf16>
  return %y, %b : tensor<?x64xf32>, tensor<?x64xbf16>
}

// A chunk of columns is one group, so groups of two sizes are two kernels.
// CHECK-LABEL: @keeps_a_second_group_size_apart
// CHECK: llm.kernel family "rms_norm"
// CHECK: llm.kernel family "quantize" {{.*}} unfused = ["norm: the norm is quantized in groups of another size already"]
func.func @keeps_a_second_group_size_apart(%x: tensor<?x64xf32>) -> (tensor<?x64xi8>, tensor<?x64xi8>) {
  %w = llm.get_weight @n : tensor<64xf32>
  %y = llm.rms_norm %x, %w epsilon 1.0e-05 : tensor<?x64xf32>, tensor<64xf32>
  %q, %s, %u = llm.quantize %y group 32 : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xi32>
  %q2, %s2, %u2 = llm.quantize %y group 16 : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x4xf32>, tensor<?x4xi32>
  return %q, %q2 : tensor<?x64xi8>, tensor<?x64xi8>
}
