// RUN: adze-opt %s --llm-form-kernels=target=sm_80 --llm-choose-schedules=target=sm_80 --convert-llm-to-tile=target=sm_80 --canonicalize --cse | FileCheck %s

!kv = !llm.kv<layers = 1, heads = 3, dim = 256, element = f32, page = 16, keys = token_dim>
llm.weight @f : tensor<128xf32> {
  %0 = arith.constant dense<1.0> : tensor<128xf32>
  llm.yield %0 : tensor<128xf32>
}

// Heads are spread over blocks, a few in each: one grid for the queries, one for keys and values, whose last block has
// one head less.
// CHECK-LABEL: func.func @rope_append(
// CHECK-DAG: %[[THREE:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[SIX:.*]] = arith.constant 6 : index
// CHECK: tile.grid (%[[ROW:.*]], %[[FIRST:.*]]) = (%{{.*}}, %[[SIX]]) by [1, 2]
// CHECK: tile.lookup {{.*}}[%[[ROW]]]
// CHECK: math.cos
// CHECK: scf.for %[[HEAD:.*]] = %[[FIRST]] to
// CHECK: tile.grid (%{{.*}}, %[[FIRST:.*]]) = (%{{.*}}, %[[THREE]]) by [1, 2]
// CHECK: math.cos
// CHECK: %[[MORE:.*]] = arith.addi %[[FIRST]]
// CHECK: %[[END:.*]] = arith.minui %[[MORE]], %[[THREE]]
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[END]]
// CHECK: tile.store {{.*}}<5, f32>
func.func @step(%x: tensor<?x3072xf32>, %batch: !llm.batch, %kv: !kv) -> (tensor<?x1536xf32>, !kv) {
  %l = arith.constant 0 : index
  %f = llm.get_weight @f : tensor<128xf32>
  %q = llm.slice_columns %x offset 0 size 1536 : tensor<?x3072xf32> -> tensor<?x1536xf32>
  %k = llm.slice_columns %x offset 1536 size 768 : tensor<?x3072xf32> -> tensor<?x768xf32>
  %v = llm.slice_columns %x offset 2304 size 768 : tensor<?x3072xf32> -> tensor<?x768xf32>
  %qr = llm.rope %q, %f, %batch head_dim 256 attention_factor 1.0 : tensor<?x1536xf32>, tensor<128xf32>
  %kr = llm.rope %k, %f, %batch head_dim 256 attention_factor 1.0 : tensor<?x768xf32>, tensor<128xf32>
  %k1 = llm.kv_append %kr, %v, %kv, %l, %batch : tensor<?x768xf32>, tensor<?x768xf32>, !kv
  %o = llm.paged_attention %qr, %k1, %l, %batch heads 6 scale 2.500000e-01 window 0 : tensor<?x1536xf32>, !kv
  return %o, %k1 : tensor<?x1536xf32>, !kv
}
