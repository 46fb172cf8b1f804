// Biases, norms of heads, a sliding window, three heads of 10 columns, an untied head.
//
// RUN: kernel-check %s --numerics=f32 --dump=%t.f32.16
// RUN: kernel-check %s --numerics=f32 --page=64 --dump=%t.f32.64
// RUN: cmp %t.f32.16 %t.f32.64
// RUN: kernel-check %s --numerics=f32 --rules=none --dump=%t.f32.none
// RUN: cmp %t.f32.16 %t.f32.none
// RUN: kernel-check %s --numerics=bf16 --tolerance=2e-5 --dump=%t.bf16.16
// RUN: kernel-check %s --numerics=bf16 --tolerance=2e-5 --page=64 --dump=%t.bf16.64
// RUN: cmp %t.bf16.16 %t.bf16.64

llm.weight @embedding : tensor<37x36xf32> {
  %0 = arith.constant dense<1.0> : tensor<37x36xf32>
  llm.yield %0 : tensor<37x36xf32>
}
llm.weight @rope.inverse_frequency : tensor<5xf32> {
  %0 = arith.constant dense<1.0> : tensor<5xf32>
  llm.yield %0 : tensor<5xf32>
}
llm.weight @layers.0.attention.norm : tensor<36xf32> {
  %0 = arith.constant dense<1.0> : tensor<36xf32>
  llm.yield %0 : tensor<36xf32>
}
llm.weight @layers.0.attention.q : tensor<30x36xf32> {
  %0 = arith.constant dense<1.0> : tensor<30x36xf32>
  llm.yield %0 : tensor<30x36xf32>
}
llm.weight @layers.0.attention.q.bias : tensor<30xf32> {
  %0 = arith.constant dense<1.0> : tensor<30xf32>
  llm.yield %0 : tensor<30xf32>
}
llm.weight @layers.0.attention.k : tensor<10x36xf32> {
  %0 = arith.constant dense<1.0> : tensor<10x36xf32>
  llm.yield %0 : tensor<10x36xf32>
}
llm.weight @layers.0.attention.k.bias : tensor<10xf32> {
  %0 = arith.constant dense<1.0> : tensor<10xf32>
  llm.yield %0 : tensor<10xf32>
}
llm.weight @layers.0.attention.v : tensor<10x36xf32> {
  %0 = arith.constant dense<1.0> : tensor<10x36xf32>
  llm.yield %0 : tensor<10x36xf32>
}
llm.weight @layers.0.attention.v.bias : tensor<10xf32> {
  %0 = arith.constant dense<1.0> : tensor<10xf32>
  llm.yield %0 : tensor<10xf32>
}
llm.weight @layers.0.attention.q.norm : tensor<10xf32> {
  %0 = arith.constant dense<1.0> : tensor<10xf32>
  llm.yield %0 : tensor<10xf32>
}
llm.weight @layers.0.attention.k.norm : tensor<10xf32> {
  %0 = arith.constant dense<1.0> : tensor<10xf32>
  llm.yield %0 : tensor<10xf32>
}
llm.weight @layers.0.attention.output : tensor<36x30xf32> {
  %0 = arith.constant dense<1.0> : tensor<36x30xf32>
  llm.yield %0 : tensor<36x30xf32>
}
llm.weight @layers.0.feed_forward.norm : tensor<36xf32> {
  %0 = arith.constant dense<1.0> : tensor<36xf32>
  llm.yield %0 : tensor<36xf32>
}
llm.weight @layers.0.feed_forward.gate : tensor<70x36xf32> {
  %0 = arith.constant dense<1.0> : tensor<70x36xf32>
  llm.yield %0 : tensor<70x36xf32>
}
llm.weight @layers.0.feed_forward.up : tensor<70x36xf32> {
  %0 = arith.constant dense<1.0> : tensor<70x36xf32>
  llm.yield %0 : tensor<70x36xf32>
}
llm.weight @layers.0.feed_forward.down : tensor<36x70xf32> {
  %0 = arith.constant dense<1.0> : tensor<36x70xf32>
  llm.yield %0 : tensor<36x70xf32>
}
llm.weight @output.norm : tensor<36xf32> {
  %0 = arith.constant dense<1.0> : tensor<36xf32>
  llm.yield %0 : tensor<36xf32>
}
llm.weight @head : tensor<37x36xf32> {
  %0 = arith.constant dense<1.0> : tensor<37x36xf32>
  llm.yield %0 : tensor<37x36xf32>
}
func.func @step(%token: tensor<?xi32>, %batch: !llm.batch, %kv: !llm.kv<layers = 1, heads = 1, dim = 10, element = f32, page = 16, keys = token_dim>) -> (tensor<?x37xf32>, !llm.kv<layers = 1, heads = 1, dim = 10, element = f32, page = 16, keys = token_dim>) {
  %v2 = llm.get_weight @embedding : tensor<37x36xf32>
  %v1 = llm.embedding %token, %v2 : tensor<?xi32>, tensor<37x36xf32> -> tensor<?x36xf32>
  %v3 = llm.get_weight @rope.inverse_frequency : tensor<5xf32>
  %v4 = arith.constant 0 : index
  %v5 = llm.get_weight @layers.0.attention.norm : tensor<36xf32>
  %v6 = llm.rms_norm %v1, %v5 epsilon 1.0e-05 : tensor<?x36xf32>, tensor<36xf32>
  %v8 = llm.get_weight @layers.0.attention.q : tensor<30x36xf32>
  %v9 = llm.get_weight @layers.0.attention.q.bias : tensor<30xf32>
  %v7 = llm.linear %v6, %v8 bias %v9 : (tensor<?x36xf32>, tensor<30x36xf32>, tensor<30xf32>) -> tensor<?x30xf32>
  %v11 = llm.get_weight @layers.0.attention.k : tensor<10x36xf32>
  %v12 = llm.get_weight @layers.0.attention.k.bias : tensor<10xf32>
  %v10 = llm.linear %v6, %v11 bias %v12 : (tensor<?x36xf32>, tensor<10x36xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  %v14 = llm.get_weight @layers.0.attention.v : tensor<10x36xf32>
  %v15 = llm.get_weight @layers.0.attention.v.bias : tensor<10xf32>
  %v13 = llm.linear %v6, %v14 bias %v15 : (tensor<?x36xf32>, tensor<10x36xf32>, tensor<10xf32>) -> tensor<?x10xf32>
  %v16 = llm.get_weight @layers.0.attention.q.norm : tensor<10xf32>
  %v17 = llm.rms_norm %v7, %v16 epsilon 1.0e-05 : tensor<?x30xf32>, tensor<10xf32>
  %v18 = llm.get_weight @layers.0.attention.k.norm : tensor<10xf32>
  %v19 = llm.rms_norm %v10, %v18 epsilon 1.0e-05 : tensor<?x10xf32>, tensor<10xf32>
  %v20 = llm.rope %v17, %v3, %batch head_dim 10 attention_factor 1.0 : tensor<?x30xf32>, tensor<5xf32>
  %v21 = llm.rope %v19, %v3, %batch head_dim 10 attention_factor 1.0 : tensor<?x10xf32>, tensor<5xf32>
  %v22 = llm.kv_append %v21, %v13, %kv, %v4, %batch : tensor<?x10xf32>, tensor<?x10xf32>, !llm.kv<layers = 1, heads = 1, dim = 10, element = f32, page = 16, keys = token_dim>
  %v23 = llm.paged_attention %v20, %v22, %v4, %batch heads 3 scale 3.162278e-01 window 20 : tensor<?x30xf32>, !llm.kv<layers = 1, heads = 1, dim = 10, element = f32, page = 16, keys = token_dim>
  %v25 = llm.get_weight @layers.0.attention.output : tensor<36x30xf32>
  %v24 = llm.linear %v23, %v25 : (tensor<?x30xf32>, tensor<36x30xf32>) -> tensor<?x36xf32>
  %v26 = llm.add %v1, %v24 : tensor<?x36xf32>
  %v27 = llm.get_weight @layers.0.feed_forward.norm : tensor<36xf32>
  %v28 = llm.rms_norm %v26, %v27 epsilon 1.0e-05 : tensor<?x36xf32>, tensor<36xf32>
  %v30 = llm.get_weight @layers.0.feed_forward.gate : tensor<70x36xf32>
  %v29 = llm.linear %v28, %v30 : (tensor<?x36xf32>, tensor<70x36xf32>) -> tensor<?x70xf32>
  %v32 = llm.get_weight @layers.0.feed_forward.up : tensor<70x36xf32>
  %v31 = llm.linear %v28, %v32 : (tensor<?x36xf32>, tensor<70x36xf32>) -> tensor<?x70xf32>
  %v33 = llm.silu %v29 : tensor<?x70xf32>
  %v34 = llm.mul %v33, %v31 : tensor<?x70xf32>
  %v36 = llm.get_weight @layers.0.feed_forward.down : tensor<36x70xf32>
  %v35 = llm.linear %v34, %v36 : (tensor<?x70xf32>, tensor<36x70xf32>) -> tensor<?x36xf32>
  %v37 = llm.add %v26, %v35 : tensor<?x36xf32>
  %v38 = llm.gather_rows %v37, %batch : tensor<?x36xf32> -> tensor<?x36xf32>
  %v39 = llm.get_weight @output.norm : tensor<36xf32>
  %v40 = llm.rms_norm %v38, %v39 epsilon 1.0e-05 : tensor<?x36xf32>, tensor<36xf32>
  %v42 = llm.get_weight @head : tensor<37x36xf32>
  %v41 = llm.linear %v40, %v42 : (tensor<?x36xf32>, tensor<37x36xf32>) -> tensor<?x37xf32>
  return %v41, %v22 : tensor<?x37xf32>, !llm.kv<layers = 1, heads = 1, dim = 10, element = f32, page = 16, keys = token_dim>
}
