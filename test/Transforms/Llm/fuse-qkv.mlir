// RUN: adze-opt %s --llm-fuse-qkv --split-input-file | FileCheck %s

!kv = !llm.kv<layers = 1, heads = 1, dim = 16, element = f32, page = 16, keys = dim_token>
llm.weight @q : tensor<32x64xf32> {
  %0 = arith.constant dense<1.0> : tensor<32x64xf32>
  llm.yield %0 : tensor<32x64xf32>
}
llm.weight @k : tensor<16x64xf32> {
  %0 = arith.constant dense<2.0> : tensor<16x64xf32>
  llm.yield %0 : tensor<16x64xf32>
}
llm.weight @v : tensor<16x64xf32> {
  %0 = arith.constant dense<3.0> : tensor<16x64xf32>
  llm.yield %0 : tensor<16x64xf32>
}
llm.weight @q.bias : tensor<32xf32> {
  %0 = arith.constant dense<1.0> : tensor<32xf32>
  llm.yield %0 : tensor<32xf32>
}
llm.weight @k.bias : tensor<16xf32> {
  %0 = arith.constant dense<2.0> : tensor<16xf32>
  llm.yield %0 : tensor<16xf32>
}
llm.weight @v.bias : tensor<16xf32> {
  %0 = arith.constant dense<3.0> : tensor<16xf32>
  llm.yield %0 : tensor<16xf32>
}
// CHECK: llm.weight @q.qkv : tensor<64x64xf32>
// CHECK: llm.concat_rows %{{.*}} : tensor<32x64xf32>, tensor<16x64xf32>, tensor<16x64xf32> -> tensor<64x64xf32>
// CHECK: llm.weight @q.bias.qkv : tensor<64xf32>
// CHECK-LABEL: @makes_queries_keys_and_values_at_once
// CHECK: %[[Y:.*]] = llm.linear %arg0, %{{.*}} bias %{{.*}} : (tensor<?x64xf32>, tensor<64x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
// CHECK: %[[Q:.*]] = llm.slice_columns %[[Y]] offset 0 size 32
// CHECK: %[[K:.*]] = llm.slice_columns %[[Y]] offset 32 size 16
// CHECK: %[[V:.*]] = llm.slice_columns %[[Y]] offset 48 size 16
// CHECK: llm.kv_append %[[K]], %[[V]]
// CHECK: llm.paged_attention %[[Q]]
func.func @makes_queries_keys_and_values_at_once(%x: tensor<?x64xf32>, %batch: !llm.batch, %kv: !kv) -> (tensor<?x32xf32>, !kv) {
  %l = arith.constant 0 : index
  %wq = llm.get_weight @q : tensor<32x64xf32>
  %wk = llm.get_weight @k : tensor<16x64xf32>
  %wv = llm.get_weight @v : tensor<16x64xf32>
  %bq = llm.get_weight @q.bias : tensor<32xf32>
  %bk = llm.get_weight @k.bias : tensor<16xf32>
  %bv = llm.get_weight @v.bias : tensor<16xf32>
  %q = llm.linear %x, %wq bias %bq : (tensor<?x64xf32>, tensor<32x64xf32>, tensor<32xf32>) -> tensor<?x32xf32>
  %k = llm.linear %x, %wk bias %bk : (tensor<?x64xf32>, tensor<16x64xf32>, tensor<16xf32>) -> tensor<?x16xf32>
  %v = llm.linear %x, %wv bias %bv : (tensor<?x64xf32>, tensor<16x64xf32>, tensor<16xf32>) -> tensor<?x16xf32>
  %k1 = llm.kv_append %k, %v, %kv, %l, %batch : tensor<?x16xf32>, tensor<?x16xf32>, !kv
  %o = llm.paged_attention %q, %k1, %l, %batch heads 2 scale 2.500000e-01 window 0 : tensor<?x32xf32>, !kv
  return %o, %k1 : tensor<?x32xf32>, !kv
}

// -----

!kv = !llm.kv<layers = 1, heads = 1, dim = 16, element = f32, page = 16, keys = dim_token>
llm.weight @q : tensor<32x64xf32> {
  %0 = arith.constant dense<1.0> : tensor<32x64xf32>
  llm.yield %0 : tensor<32x64xf32>
}
llm.weight @k : tensor<16x64xf16> {
  %0 = arith.constant dense<2.0> : tensor<16x64xf16>
  llm.yield %0 : tensor<16x64xf16>
}
// CHECK-LABEL: @keeps_mixed_encodings_apart
// CHECK-NOT: llm.slice_columns
// CHECK: unfused = ["qkv: their weights have different encodings"]
func.func @keeps_mixed_encodings_apart(%x: tensor<?x64xf32>, %batch: !llm.batch, %kv: !kv) -> (tensor<?x32xf32>, !kv) {
  %l = arith.constant 0 : index
  %wq = llm.get_weight @q : tensor<32x64xf32>
  %wk = llm.get_weight @k : tensor<16x64xf16>
  %q = llm.linear %x, %wq : (tensor<?x64xf32>, tensor<32x64xf32>) -> tensor<?x32xf32>
  %k = llm.linear %x, %wk : (tensor<?x64xf32>, tensor<16x64xf16>) -> tensor<?x16xf32>
  %v = llm.linear %x, %wk : (tensor<?x64xf32>, tensor<16x64xf16>) -> tensor<?x16xf32>
  %k1 = llm.kv_append %k, %v, %kv, %l, %batch : tensor<?x16xf32>, tensor<?x16xf32>, !kv
  %o = llm.paged_attention %q, %k1, %l, %batch heads 2 scale 2.500000e-01 window 0 : tensor<?x32xf32>, !kv
  return %o, %k1 : tensor<?x32xf32>, !kv
}
