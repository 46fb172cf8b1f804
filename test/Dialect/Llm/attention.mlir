// RUN: adze-opt %s | adze-opt | FileCheck %s

!kv = !llm.kv<layers = 2, heads = 1, dim = 32, element = bf16, page = 64, keys = token_dim>

// CHECK-LABEL: @appends_then_attends
func.func @appends_then_attends(%q: tensor<?x96xf32>, %k: tensor<?x32xbf16>, %kv: !kv, %batch: !llm.batch)
    -> (tensor<?x96xf32>, !kv) {
  %layer = arith.constant 1 : index
  // CHECK: %[[KV:.*]] = llm.kv_append %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x32xbf16>, tensor<?x32xbf16>, !kv
  %new = llm.kv_append %k, %k, %kv, %layer, %batch : tensor<?x32xbf16>, tensor<?x32xbf16>, !kv
  // CHECK: llm.paged_attention %{{.*}}, %[[KV]], %{{.*}}, %{{.*}} heads 3 scale 1.250000e-01 window 512 : tensor<?x96xf32>, !kv
  %o = llm.paged_attention %q, %new, %layer, %batch heads 3 scale 0.125 window 512 : tensor<?x96xf32>, !kv
  return %o, %new : tensor<?x96xf32>, !kv
}
