// Weights as in Q4_0: zero point 8, groups of 32; biases.
//
// RUN: kernel-check %s --numerics=f32 --dump=%t.f32.16
// RUN: kernel-check %s --numerics=f32 --page=64 --dump=%t.f32.64
// RUN: cmp %t.f32.16 %t.f32.64
// RUN: kernel-check %s --numerics=f32 --rules=none --dump=%t.f32.none
// RUN: cmp %t.f32.16 %t.f32.none
// RUN: kernel-check %s --numerics=a8 --tolerance=2e-5 --dump=%t.a8.16
// RUN: kernel-check %s --numerics=a8 --tolerance=2e-5 --page=64 --dump=%t.a8.64
// RUN: cmp %t.a8.16 %t.a8.64
// RUN: kernel-check %s --numerics=a8 --tolerance=2e-5 --rules=none --dump=%t.a8.none
// RUN: cmp %t.a8.16 %t.a8.none

llm.weight @embedding.codes : tensor<50x64xi4> {
  %0 = arith.constant dense<1> : tensor<50x64xi4>
  llm.yield %0 : tensor<50x64xi4>
}
llm.weight @embedding.scales : tensor<50x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<50x2xf16>
  llm.yield %0 : tensor<50x2xf16>
}
llm.weight @rope.inverse_frequency : tensor<8xf32> {
  %0 = arith.constant dense<1.0> : tensor<8xf32>
  llm.yield %0 : tensor<8xf32>
}
llm.weight @layers.0.attention.norm : tensor<64xf32> {
  %0 = arith.constant dense<1.0> : tensor<64xf32>
  llm.yield %0 : tensor<64xf32>
}
llm.weight @layers.0.attention.q.codes : tensor<64x64xi4> {
  %0 = arith.constant dense<1> : tensor<64x64xi4>
  llm.yield %0 : tensor<64x64xi4>
}
llm.weight @layers.0.attention.q.scales : tensor<64x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<64x2xf16>
  llm.yield %0 : tensor<64x2xf16>
}
llm.weight @layers.0.attention.q.bias : tensor<64xf32> {
  %0 = arith.constant dense<1.0> : tensor<64xf32>
  llm.yield %0 : tensor<64xf32>
}
llm.weight @layers.0.attention.k.codes : tensor<32x64xi4> {
  %0 = arith.constant dense<1> : tensor<32x64xi4>
  llm.yield %0 : tensor<32x64xi4>
}
llm.weight @layers.0.attention.k.scales : tensor<32x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<32x2xf16>
  llm.yield %0 : tensor<32x2xf16>
}
llm.weight @layers.0.attention.k.bias : tensor<32xf32> {
  %0 = arith.constant dense<1.0> : tensor<32xf32>
  llm.yield %0 : tensor<32xf32>
}
llm.weight @layers.0.attention.v.codes : tensor<32x64xi4> {
  %0 = arith.constant dense<1> : tensor<32x64xi4>
  llm.yield %0 : tensor<32x64xi4>
}
llm.weight @layers.0.attention.v.scales : tensor<32x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<32x2xf16>
  llm.yield %0 : tensor<32x2xf16>
}
llm.weight @layers.0.attention.v.bias : tensor<32xf32> {
  %0 = arith.constant dense<1.0> : tensor<32xf32>
  llm.yield %0 : tensor<32xf32>
}
llm.weight @layers.0.attention.output.codes : tensor<64x64xi4> {
  %0 = arith.constant dense<1> : tensor<64x64xi4>
  llm.yield %0 : tensor<64x64xi4>
}
llm.weight @layers.0.attention.output.scales : tensor<64x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<64x2xf16>
  llm.yield %0 : tensor<64x2xf16>
}
llm.weight @layers.0.feed_forward.norm : tensor<64xf32> {
  %0 = arith.constant dense<1.0> : tensor<64xf32>
  llm.yield %0 : tensor<64xf32>
}
llm.weight @layers.0.feed_forward.gate.codes : tensor<96x64xi4> {
  %0 = arith.constant dense<1> : tensor<96x64xi4>
  llm.yield %0 : tensor<96x64xi4>
}
llm.weight @layers.0.feed_forward.gate.scales : tensor<96x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<96x2xf16>
  llm.yield %0 : tensor<96x2xf16>
}
llm.weight @layers.0.feed_forward.up.codes : tensor<96x64xi4> {
  %0 = arith.constant dense<1> : tensor<96x64xi4>
  llm.yield %0 : tensor<96x64xi4>
}
llm.weight @layers.0.feed_forward.up.scales : tensor<96x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<96x2xf16>
  llm.yield %0 : tensor<96x2xf16>
}
llm.weight @layers.0.feed_forward.down.codes : tensor<64x96xi4> {
  %0 = arith.constant dense<1> : tensor<64x96xi4>
  llm.yield %0 : tensor<64x96xi4>
}
llm.weight @layers.0.feed_forward.down.scales : tensor<64x3xf16> {
  %0 = arith.constant dense<1.0> : tensor<64x3xf16>
  llm.yield %0 : tensor<64x3xf16>
}
llm.weight @output.norm : tensor<64xf32> {
  %0 = arith.constant dense<1.0> : tensor<64xf32>
  llm.yield %0 : tensor<64xf32>
}
func.func @step(%token: tensor<?xi32>, %batch: !llm.batch, %kv: !llm.kv<layers = 1, heads = 2, dim = 16, element = f32, page = 16, keys = token_dim>) -> (tensor<?x50xf32>, !llm.kv<layers = 1, heads = 2, dim = 16, element = f32, page = 16, keys = token_dim>) {
  %v2 = llm.get_weight @embedding.codes : tensor<50x64xi4>
  %v3 = llm.get_weight @embedding.scales : tensor<50x2xf16>
  %v1 = llm.quantized_embedding %token, %v2, %v3 scheme zero_point group 32 : (tensor<?xi32>, tensor<50x64xi4>, tensor<50x2xf16>) -> tensor<?x64xf32>
  %v4 = llm.get_weight @rope.inverse_frequency : tensor<8xf32>
  %v5 = arith.constant 0 : index
  %v6 = llm.get_weight @layers.0.attention.norm : tensor<64xf32>
  %v7 = llm.rms_norm %v1, %v6 epsilon 1.0e-05 : tensor<?x64xf32>, tensor<64xf32>
  %v9 = llm.get_weight @layers.0.attention.q.codes : tensor<64x64xi4>
  %v10 = llm.get_weight @layers.0.attention.q.scales : tensor<64x2xf16>
  %v11 = llm.get_weight @layers.0.attention.q.bias : tensor<64xf32>
  %v8 = llm.quantized_linear %v7, %v9, %v10 bias %v11 scheme zero_point group 32 : (tensor<?x64xf32>, tensor<64x64xi4>, tensor<64x2xf16>, tensor<64xf32>) -> tensor<?x64xf32>
  %v13 = llm.get_weight @layers.0.attention.k.codes : tensor<32x64xi4>
  %v14 = llm.get_weight @layers.0.attention.k.scales : tensor<32x2xf16>
  %v15 = llm.get_weight @layers.0.attention.k.bias : tensor<32xf32>
  %v12 = llm.quantized_linear %v7, %v13, %v14 bias %v15 scheme zero_point group 32 : (tensor<?x64xf32>, tensor<32x64xi4>, tensor<32x2xf16>, tensor<32xf32>) -> tensor<?x32xf32>
  %v17 = llm.get_weight @layers.0.attention.v.codes : tensor<32x64xi4>
  %v18 = llm.get_weight @layers.0.attention.v.scales : tensor<32x2xf16>
  %v19 = llm.get_weight @layers.0.attention.v.bias : tensor<32xf32>
  %v16 = llm.quantized_linear %v7, %v17, %v18 bias %v19 scheme zero_point group 32 : (tensor<?x64xf32>, tensor<32x64xi4>, tensor<32x2xf16>, tensor<32xf32>) -> tensor<?x32xf32>
  %v20 = llm.rope %v8, %v4, %batch head_dim 16 attention_factor 1.0 : tensor<?x64xf32>, tensor<8xf32>
  %v21 = llm.rope %v12, %v4, %batch head_dim 16 attention_factor 1.0 : tensor<?x32xf32>, tensor<8xf32>
  %v22 = llm.kv_append %v21, %v16, %kv, %v5, %batch : tensor<?x32xf32>, tensor<?x32xf32>, !llm.kv<layers = 1, heads = 2, dim = 16, element = f32, page = 16, keys = token_dim>
  %v23 = llm.paged_attention %v20, %v22, %v5, %batch heads 4 scale 2.500000e-01 window 0 : tensor<?x64xf32>, !llm.kv<layers = 1, heads = 2, dim = 16, element = f32, page = 16, keys = token_dim>
  %v25 = llm.get_weight @layers.0.attention.output.codes : tensor<64x64xi4>
  %v26 = llm.get_weight @layers.0.attention.output.scales : tensor<64x2xf16>
  %v24 = llm.quantized_linear %v23, %v25, %v26 scheme zero_point group 32 : (tensor<?x64xf32>, tensor<64x64xi4>, tensor<64x2xf16>) -> tensor<?x64xf32>
  %v27 = llm.add %v1, %v24 : tensor<?x64xf32>
  %v28 = llm.get_weight @layers.0.feed_forward.norm : tensor<64xf32>
  %v29 = llm.rms_norm %v27, %v28 epsilon 1.0e-05 : tensor<?x64xf32>, tensor<64xf32>
  %v31 = llm.get_weight @layers.0.feed_forward.gate.codes : tensor<96x64xi4>
  %v32 = llm.get_weight @layers.0.feed_forward.gate.scales : tensor<96x2xf16>
  %v30 = llm.quantized_linear %v29, %v31, %v32 scheme zero_point group 32 : (tensor<?x64xf32>, tensor<96x64xi4>, tensor<96x2xf16>) -> tensor<?x96xf32>
  %v34 = llm.get_weight @layers.0.feed_forward.up.codes : tensor<96x64xi4>
  %v35 = llm.get_weight @layers.0.feed_forward.up.scales : tensor<96x2xf16>
  %v33 = llm.quantized_linear %v29, %v34, %v35 scheme zero_point group 32 : (tensor<?x64xf32>, tensor<96x64xi4>, tensor<96x2xf16>) -> tensor<?x96xf32>
  %v36 = llm.silu %v30 : tensor<?x96xf32>
  %v37 = llm.mul %v36, %v33 : tensor<?x96xf32>
  %v39 = llm.get_weight @layers.0.feed_forward.down.codes : tensor<64x96xi4>
  %v40 = llm.get_weight @layers.0.feed_forward.down.scales : tensor<64x3xf16>
  %v38 = llm.quantized_linear %v37, %v39, %v40 scheme zero_point group 32 : (tensor<?x96xf32>, tensor<64x96xi4>, tensor<64x3xf16>) -> tensor<?x64xf32>
  %v41 = llm.add %v27, %v38 : tensor<?x64xf32>
  %v42 = llm.gather_rows %v41, %batch : tensor<?x64xf32> -> tensor<?x64xf32>
  %v43 = llm.get_weight @output.norm : tensor<64xf32>
  %v44 = llm.rms_norm %v42, %v43 epsilon 1.0e-05 : tensor<?x64xf32>, tensor<64xf32>
  %v46 = llm.get_weight @embedding.codes : tensor<50x64xi4>
  %v47 = llm.get_weight @embedding.scales : tensor<50x2xf16>
  %v45 = llm.quantized_linear %v44, %v46, %v47 scheme zero_point group 32 : (tensor<?x64xf32>, tensor<50x64xi4>, tensor<50x2xf16>) -> tensor<?x50xf32>
  return %v45, %v22 : tensor<?x50xf32>, !llm.kv<layers = 1, heads = 2, dim = 16, element = f32, page = 16, keys = token_dim>
}
