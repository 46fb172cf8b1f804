// RUN: adze-opt %s | adze-opt | FileCheck %s

// CHECK-LABEL: @linear
func.func @linear(%x: tensor<?x64xf32>, %w: tensor<32x64xbf16>, %b: tensor<32xf32>) -> (tensor<?x32xf32>, tensor<?x32xbf16>) {
  // CHECK: llm.linear %{{.*}}, %{{.*}} : (tensor<?x64xf32>, tensor<32x64xbf16>) -> tensor<?x32xf32>
  %0 = llm.linear %x, %w : (tensor<?x64xf32>, tensor<32x64xbf16>) -> tensor<?x32xf32>
  // CHECK: llm.linear %{{.*}}, %{{.*}} bias %{{.*}} : (tensor<?x64xf32>, tensor<32x64xbf16>, tensor<32xf32>) -> tensor<?x32xbf16>
  %1 = llm.linear %x, %w bias %b : (tensor<?x64xf32>, tensor<32x64xbf16>, tensor<32xf32>) -> tensor<?x32xbf16>
  return %0, %1 : tensor<?x32xf32>, tensor<?x32xbf16>
}

// CHECK-LABEL: @quantized_linear_of_floats
func.func @quantized_linear_of_floats(%x: tensor<?x64xf32>, %q: tensor<32x64xi4>, %s: tensor<32x2xf16>,
                                      %b: tensor<32xf32>) -> tensor<?x32xf32> {
  // CHECK: llm.quantized_linear %{{.*}}, %{{.*}}, %{{.*}} offsets %{{.*}} bias %{{.*}} scheme affine group 32 :
  %0 = llm.quantized_linear %x, %q, %s offsets %s bias %b scheme affine group 32
      : (tensor<?x64xf32>, tensor<32x64xi4>, tensor<32x2xf16>, tensor<32x2xf16>, tensor<32xf32>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}

// CHECK-LABEL: @quantized_linear_of_codes
func.func @quantized_linear_of_codes(%x: tensor<?x64xi8>, %xs: tensor<?x2xf32>, %xu: tensor<?x2xi32>,
                                     %q: tensor<32x64xi4>, %s: tensor<32x2xf16>) -> tensor<?x32xf32> {
  // CHECK: llm.quantized_linear %{{.*}} scaled %{{.*}} sum %{{.*}}, %{{.*}}, %{{.*}} scheme zero_point group 32 :
  %0 = llm.quantized_linear %x scaled %xs sum %xu, %q, %s scheme zero_point group 32
      : (tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xi32>, tensor<32x64xi4>, tensor<32x2xf16>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}

// CHECK-LABEL: @groups_of_the_input_may_hold_several_of_the_weight
func.func @groups_of_the_input_may_hold_several_of_the_weight(%x: tensor<?x256xi8>, %xs: tensor<?x8xf32>,
    %xu: tensor<?x8xi32>, %q: tensor<32x256xi8>, %s: tensor<32x16xi8>, %o: tensor<32x1xf16>) -> tensor<?x32xf32> {
  // CHECK: llm.quantized_linear %{{.*}} scaled %{{.*}} sum %{{.*}}, %{{.*}}, %{{.*}} outer %{{.*}} scheme symmetric group 16 :
  %0 = llm.quantized_linear %x scaled %xs sum %xu, %q, %s outer %o scheme symmetric group 16
      : (tensor<?x256xi8>, tensor<?x8xf32>, tensor<?x8xi32>, tensor<32x256xi8>, tensor<32x16xi8>, tensor<32x1xf16>)
      -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}
