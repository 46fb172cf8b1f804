// RUN: adze-opt %s | adze-opt | FileCheck %s

// CHECK-LABEL: @embedding
func.func @embedding(%token: tensor<?xi32>, %table: tensor<100x64xbf16>) -> tensor<?x64xf32> {
  // CHECK: llm.embedding %{{.*}}, %{{.*}} : tensor<?xi32>, tensor<100x64xbf16> -> tensor<?x64xf32>
  %0 = llm.embedding %token, %table : tensor<?xi32>, tensor<100x64xbf16> -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// CHECK-LABEL: @quantized_embedding_of_two_levels
func.func @quantized_embedding_of_two_levels(%token: tensor<?xi32>, %codes: tensor<100x256xi8>,
                                             %scales: tensor<100x16xi8>, %outer: tensor<100x1xf16>) -> tensor<?x256xf32> {
  // CHECK: llm.quantized_embedding %{{.*}}, %{{.*}}, %{{.*}} outer %{{.*}} scheme symmetric group 16 :
  %0 = llm.quantized_embedding %token, %codes, %scales outer %outer scheme symmetric group 16
      : (tensor<?xi32>, tensor<100x256xi8>, tensor<100x16xi8>, tensor<100x1xf16>) -> tensor<?x256xf32>
  return %0 : tensor<?x256xf32>
}

// CHECK-LABEL: @quantized_embedding_with_offsets
func.func @quantized_embedding_with_offsets(%token: tensor<?xi32>, %codes: tensor<100x64xi4>,
                                            %scales: tensor<100x2xf16>) -> tensor<?x64xf32> {
  // CHECK: llm.quantized_embedding %{{.*}}, %{{.*}}, %{{.*}} offsets %{{.*}} scheme affine group 32 :
  %0 = llm.quantized_embedding %token, %codes, %scales offsets %scales scheme affine group 32
      : (tensor<?xi32>, tensor<100x64xi4>, tensor<100x2xf16>, tensor<100x2xf16>) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
