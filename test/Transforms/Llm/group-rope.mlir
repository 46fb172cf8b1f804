// RUN: adze-opt %s --llm-form-kernels=rules=rope --llm-verify-kernels | FileCheck %s

!kv = !llm.kv<layers = 1, heads = 1, dim = 16, element = f32, page = 16, keys = dim_token>
llm.weight @f : tensor<8xf32> {
  %0 = arith.constant dense<1.0> : tensor<8xf32>
  llm.yield %0 : tensor<8xf32>
}
llm.weight @n : tensor<16xf32> {
  %0 = arith.constant dense<1.0> : tensor<16xf32>
  llm.yield %0 : tensor<16xf32>
}

// CHECK-LABEL: @norms_rotates_and_appends_in_one_kernel
// CHECK: %{{.*}}:2 = llm.kernel family "rope_append" {{.*}} -> (tensor<?x32xf32>, !kv) attributes {fused = ["rope"], rows = "T"}
// CHECK: llm.kernel family "paged_attention"
// CHECK-NOT: llm.kernel
func.func @norms_rotates_and_appends_in_one_kernel(%q: tensor<?x32xf32>, %k: tensor<?x16xf32>, %v: tensor<?x16xf32>,
    %batch: !llm.batch, %kv: !kv) -> (tensor<?x32xf32>, !kv) {
  %l = arith.constant 0 : index
  %f = llm.get_weight @f : tensor<8xf32>
  %n = llm.get_weight @n : tensor<16xf32>
  %qn = llm.rms_norm %q, %n epsilon 1.0e-06 : tensor<?x32xf32>, tensor<16xf32>
  %qr = llm.rope %qn, %f, %batch head_dim 16 attention_factor 1.0 : tensor<?x32xf32>, tensor<8xf32>
  %kn = llm.rms_norm %k, %n epsilon 1.0e-06 : tensor<?x16xf32>, tensor<16xf32>
  %kr = llm.rope %kn, %f, %batch head_dim 16 attention_factor 1.0 : tensor<?x16xf32>, tensor<8xf32>
  %k1 = llm.kv_append %kr, %v, %kv, %l, %batch : tensor<?x16xf32>, tensor<?x16xf32>, !kv
  %o = llm.paged_attention %qr, %k1, %l, %batch heads 2 scale 2.500000e-01 window 0 : tensor<?x32xf32>, !kv
  return %o, %k1 : tensor<?x32xf32>, !kv
}

// CHECK-LABEL: @keeps_a_rotated_key_that_is_read
// CHECK: llm.kernel family "rope_append" {{.*}} -> tensor<?x16xf32> attributes {rows = "T", unfused = ["rope: it has other readers"]}
// CHECK: llm.kernel family "rope_append" {{.*}} -> !kv
func.func @keeps_a_rotated_key_that_is_read(%k: tensor<?x16xf32>, %batch: !llm.batch, %kv: !kv) -> (tensor<?x16xf32>, !kv) {
  %l = arith.constant 0 : index
  %f = llm.get_weight @f : tensor<8xf32>
  %kr = llm.rope %k, %f, %batch head_dim 16 attention_factor 1.0 : tensor<?x16xf32>, tensor<8xf32>
  %k1 = llm.kv_append %kr, %k, %kv, %l, %batch : tensor<?x16xf32>, tensor<?x16xf32>, !kv
  return %kr, %k1 : tensor<?x16xf32>, !kv
}
