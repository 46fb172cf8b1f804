// RUN: adze-opt %s --llm-assign-weight-packs=target=x86-64-v3 | FileCheck %s
// RUN: adze-opt %s --llm-assign-weight-packs=target=x86-64-v3 --llm-assign-weight-packs=target=x86-64-v3 | FileCheck %s
// RUN: not adze-opt %s --llm-assign-weight-packs=target=z80 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: there is no target named 'z80'

// CHECK-DAG: #[[F32:.*]] = #llm.packed<[8, 8], "r1 r2 r4 c1 c2 c4">
// CHECK-DAG: #[[I4:.*]] = #llm.packed<[8, 32], "c4 c1 c2 r1 r2 r4 c8 c16">
// CHECK-DAG: #[[S:.*]] = #llm.packed<[8, 1], "r1 r2 r4">
// CHECK: llm.weight @table : tensor<50x64xf32, #[[F32]]>
// CHECK: %[[T:.*]] = llm.repack %{{.*}} : tensor<50x64xf32> -> tensor<50x64xf32, #[[F32]]>
// CHECK-NOT: llm.repack %[[T]]
llm.weight @table : tensor<50x64xf32> {
  %0 = arith.constant dense<1.0> : tensor<50x64xf32>
  llm.yield %0 : tensor<50x64xf32>
}
// CHECK: llm.weight @codes : tensor<32x64xi4, #[[I4]]>
llm.weight @codes : tensor<32x64xi4> {
  %0 = arith.constant dense<1> : tensor<32x64xi4>
  llm.yield %0 : tensor<32x64xi4>
}
// CHECK: llm.weight @scales : tensor<32x2xf16, #[[S]]>
llm.weight @scales : tensor<32x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<32x2xf16>
  llm.yield %0 : tensor<32x2xf16>
}
// CHECK: llm.weight @norm : tensor<64xf32> {
llm.weight @norm : tensor<64xf32> {
  %0 = arith.constant dense<1.0> : tensor<64xf32>
  llm.yield %0 : tensor<64xf32>
}

// CHECK-LABEL: @packs_a_tied_table_once_and_leaves_norms
func.func @packs_a_tied_table_once_and_leaves_norms(%token: tensor<?xi32>) -> (tensor<?x50xf32>, tensor<?x32xf32>) {
  %t = llm.get_weight @table : tensor<50x64xf32>
  // CHECK: llm.embedding %{{.*}} : tensor<?xi32>, tensor<50x64xf32, #[[F32]]> -> tensor<?x64xf32>
  %x = llm.embedding %token, %t : tensor<?xi32>, tensor<50x64xf32> -> tensor<?x64xf32>
  %n = llm.get_weight @norm : tensor<64xf32>
  %h = llm.rms_norm %x, %n epsilon 1.0e-05 : tensor<?x64xf32>, tensor<64xf32>
  // CHECK: llm.linear %{{.*}} : (tensor<?x64xf32>, tensor<50x64xf32, #[[F32]]>) -> tensor<?x50xf32>
  %y = llm.linear %h, %t : (tensor<?x64xf32>, tensor<50x64xf32>) -> tensor<?x50xf32>
  %c = llm.get_weight @codes : tensor<32x64xi4>
  %s = llm.get_weight @scales : tensor<32x2xf16>
  %z = llm.quantized_linear %h, %c, %s scheme zero_point group 32
      : (tensor<?x64xf32>, tensor<32x64xi4>, tensor<32x2xf16>) -> tensor<?x32xf32>
  return %y, %z : tensor<?x50xf32>, tensor<?x32xf32>
}

llm.weight @own : tensor<50x64xi4> {
  %0 = arith.constant dense<1> : tensor<50x64xi4>
  llm.yield %0 : tensor<50x64xi4>
}
// CHECK-LABEL: @packs_4_bit_codes_of_a_table_of_its_own
func.func @packs_4_bit_codes_of_a_table_of_its_own(%token: tensor<?xi32>, %s: tensor<50x2xf16>) -> tensor<?x64xf32> {
  %c = llm.get_weight @own : tensor<50x64xi4>
  // CHECK: llm.quantized_embedding %{{.*}} : (tensor<?xi32>, tensor<50x64xi4, #[[I4]]>, tensor<50x2xf16>)
  %x = llm.quantized_embedding %token, %c, %s scheme zero_point group 32
      : (tensor<?xi32>, tensor<50x64xi4>, tensor<50x2xf16>) -> tensor<?x64xf32>
  return %x : tensor<?x64xf32>
}
