// RUN: adze-opt %s --llm-form-kernels --llm-choose-schedules --convert-llm-to-tile --canonicalize --cse | FileCheck %s

!kv = !llm.kv<layers = 1, heads = 1, dim = 16, element = f32, page = 16, keys = dim_token>
llm.weight @f : tensor<8xf32> {
  %0 = arith.constant dense<1.0> : tensor<8xf32>
  llm.yield %0 : tensor<8xf32>
}

// Sines and cosines once for a row; queries, then keys and values, from the columns of one activation.
// A place in the cache has 64 bits, as the slots of AdzeStep have.
// CHECK-LABEL: func.func @rope_append(
// CHECK: tile.lookup %{{.*}} : <1, i64>
// CHECK: tile.lookup %{{.*}} : <1, i32>
// CHECK: math.cos
// CHECK: math.sin
// CHECK-NOT: math.cos
// CHECK: scf.for
// CHECK: tile.store {{.*}} {dims = array<i64: 0, 1>
// CHECK: tile.store {{.*}} {dims = array<i64: 3, 4>, in_bounds = array<i64: 0, 1, 2, 3, 4>} : tensor<1x8xf32>, <5, f32>
// CHECK: tile.store {{.*}} {dims = array<i64: 3, 4>
func.func @step(%x: tensor<?x64xf32>, %batch: !llm.batch, %kv: !kv) -> (tensor<?x32xf32>, !kv) {
  %l = arith.constant 0 : index
  %f = llm.get_weight @f : tensor<8xf32>
  %q = llm.slice_columns %x offset 0 size 32 : tensor<?x64xf32> -> tensor<?x32xf32>
  %k = llm.slice_columns %x offset 32 size 16 : tensor<?x64xf32> -> tensor<?x16xf32>
  %v = llm.slice_columns %x offset 48 size 16 : tensor<?x64xf32> -> tensor<?x16xf32>
  %qr = llm.rope %q, %f, %batch head_dim 16 attention_factor 1.0 : tensor<?x32xf32>, tensor<8xf32>
  %kr = llm.rope %k, %f, %batch head_dim 16 attention_factor 1.0 : tensor<?x16xf32>, tensor<8xf32>
  %k1 = llm.kv_append %kr, %v, %kv, %l, %batch : tensor<?x16xf32>, tensor<?x16xf32>, !kv
  %o = llm.paged_attention %qr, %k1, %l, %batch heads 2 scale 2.500000e-01 window 0 : tensor<?x32xf32>, !kv
  return %o, %k1 : tensor<?x32xf32>, !kv
}
