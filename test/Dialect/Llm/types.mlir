// RUN: adze-opt %s | adze-opt | FileCheck %s

// CHECK: !kv = !llm.kv<layers = 30, heads = 3, dim = 64, element = f32, page = 64, keys = token_dim>
// CHECK: !kv1 = !llm.kv<layers = 2, heads = 1, dim = 80, element = bf16, page = 16, keys = dim_token>
// CHECK: #packed = #llm.packed<[16, 4], "r1 c1 r2 c2 r4 r8">
// CHECK: llm.model = {family = "llama", layers = 30 : i64}
module attributes {llm.model = {family = "llama", layers = 30 : i64}} {
  // CHECK: @types(!llm.batch, !kv, !kv1, tensor<32x8xf32, #packed>)
  func.func private @types(!llm.batch,
      !llm.kv<layers = 30, heads = 3, dim = 64, element = f32, page = 64, keys = token_dim>,
      !llm.kv<layers = 2, heads = 1, dim = 80, element = bf16, page = 16, keys = dim_token>,
      tensor<32x8xf32, #llm.packed<[16, 4], "r1 c1 r2 c2 r4 r8">>)
}
