// Weights as in Q8_0: symmetric, groups of 32.
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

llm.weight @embedding.codes : tensor<50x64xi8> {
  %0 = arith.constant dense<1> : tensor<50x64xi8>
  llm.yield %0 : tensor<50x64xi8>
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
llm.weight @layers.0.attention.q.codes : tensor<64x64xi8> {
  %0 = arith.constant dense<1> : tensor<64x64xi8>
  llm.yield %0 : tensor<64x64xi8>
}
llm.weight @layers.0.attention.q.scales : tensor<64x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<64x2xf16>
  llm.yield %0 : tensor<64x2xf16>
}
llm.weight @layers.0.attention.k.codes : tensor<16x64xi8> {
  %0 = arith.constant dense<1> : tensor<16x64xi8>
  llm.yield %0 : tensor<16x64xi8>
}
llm.weight @layers.0.attention.k.scales : tensor<16x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<16x2xf16>
  llm.yield %0 : tensor<16x2xf16>
}
llm.weight @layers.0.attention.v.codes : tensor<16x64xi8> {
  %0 = arith.constant dense<1> : tensor<16x64xi8>
  llm.yield %0 : tensor<16x64xi8>
}
llm.weight @layers.0.attention.v.scales : tensor<16x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<16x2xf16>
  llm.yield %0 : tensor<16x2xf16>
}
llm.weight @layers.0.attention.output.codes : tensor<64x64xi8> {
  %0 = arith.constant dense<1> : tensor<64x64xi8>
  llm.yield %0 : tensor<64x64xi8>
}
llm.weight @layers.0.attention.output.scales : tensor<64x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<64x2xf16>
  llm.yield %0 : tensor<64x2xf16>
}
llm.weight @layers.0.feed_forward.norm : tensor<64xf32> {
  %0 = arith.constant dense<1.0> : tensor<64xf32>
  llm.yield %0 : tensor<64xf32>
}
llm.weight @layers.0.feed_forward.gate.codes : tensor<96x64xi8> {
  %0 = arith.constant dense<1> : tensor<96x64xi8>
  llm.yield %0 : tensor<96x64xi8>
}
llm.weight @layers.0.feed_forward.gate.scales : tensor<96x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<96x2xf16>
  llm.yield %0 : tensor<96x2xf16>
}
llm.weight @layers.0.feed_forward.up.codes : tensor<96x64xi8> {
  %0 = arith.constant dense<1> : tensor<96x64xi8>
  llm.yield %0 : tensor<96x64xi8>
}
llm.weight @layers.0.feed_forward.up.scales : tensor<96x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<96x2xf16>
  llm.yield %0 : tensor<96x2xf16>
}
llm.weight @layers.0.feed_forward.down.codes : tensor<64x96xi8> {
  %0 = arith.constant dense<1> : tensor<64x96xi8>
  llm.yield %0 : tensor<64x96xi8>
}
llm.weight @layers.0.feed_forward.down.scales : tensor<64x3xf16> {
  %0 = arith.constant dense<1.0> : tensor<64x3xf16>
  llm.yield %0 : tensor<64x3xf16>
}
llm.weight @output.norm : tensor<64xf32> {
  %0 = arith.constant dense<1.0> : tensor<64xf32>
  llm.yield %0 : tensor<64xf32>
}
func.func @step(%token: tensor<?xi32>, %batch: !llm.batch, %kv: !llm.kv<layers = 1, heads = 1, dim = 16, element = f32, page = 16, keys = token_dim>) -> (tensor<?x50xf32>, !llm.kv<layers = 1, heads = 1, dim = 16, element = f32, page = 16, keys = token_dim>) {
  %v2 = llm.get_weight @embedding.codes : tensor<50x64xi8>
  %v3 = llm.get_weight @embedding.scales : tensor<50x2xf16>
  %v1 = llm.quantized_embedding %token, %v2, %v3 scheme symmetric group 32 : (tensor<?xi32>, tensor<50x64xi8>, tensor<50x2xf16>) -> tensor<?x64xf32>
  %v4 = llm.get_weight @rope.inverse_frequency : tensor<8xf32>
  %v5 = arith.constant 0 : index
  %v6 = llm.get_weight @layers.0.attention.norm : tensor<64xf32>
  %v7 = llm.rms_norm %v1, %v6 epsilon 1.0e-05 : tensor<?x64xf32>, tensor<64xf32>
  %v9 = llm.get_weight @layers.0.attention.q.codes : tensor<64x64xi8>
  %v10 = llm.get_weight @layers.0.attention.q.scales : tensor<64x2xf16>
  %v8 = llm.quantized_linear %v7, %v9, %v10 scheme symmetric group 32 : (tensor<?x64xf32>, tensor<64x64xi8>, tensor<64x2xf16>) -> tensor<?x64xf32>
  %v12 = llm.get_weight @layers.0.attention.k.codes : tensor<16x64xi8>
  %v13 = llm.get_weight @layers.0.attention.k.scales : tensor<16x2xf16>
  %v11 = llm.quantized_linear %v7, %v12, %v13 scheme symmetric group 32 : (tensor<?x64xf32>, tensor<16x64xi8>, tensor<16x2xf16>) -> tensor<?x16xf32>
  %v15 = llm.get_weight @layers.0.attention.v.codes : tensor<16x64xi8>
  %v16 = llm.get_weight @layers.0.attention.v.scales : tensor<16x2xf16>
  %v14 = llm.quantized_linear %v7, %v15, %v16 scheme symmetric group 32 : (tensor<?x64xf32>, tensor<16x64xi8>, tensor<16x2xf16>) -> tensor<?x16xf32>
  %v17 = llm.rope %v8, %v4, %batch head_dim 16 attention_factor 1.0 : tensor<?x64xf32>, tensor<8xf32>
  %v18 = llm.rope %v11, %v4, %batch head_dim 16 attention_factor 1.0 : tensor<?x16xf32>, tensor<8xf32>
  %v19 = llm.kv_append %v18, %v14, %kv, %v5, %batch : tensor<?x16xf32>, tensor<?x16xf32>, !llm.kv<layers = 1, heads = 1, dim = 16, element = f32, page = 16, keys = token_dim>
  %v20 = llm.paged_attention %v17, %v19, %v5, %batch heads 4 scale 2.500000e-01 window 0 : tensor<?x64xf32>, !llm.kv<layers = 1, heads = 1, dim = 16, element = f32, page = 16, keys = token_dim>
  %v22 = llm.get_weight @layers.0.attention.output.codes : tensor<64x64xi8>
  %v23 = llm.get_weight @layers.0.attention.output.scales : tensor<64x2xf16>
  %v21 = llm.quantized_linear %v20, %v22, %v23 scheme symmetric group 32 : (tensor<?x64xf32>, tensor<64x64xi8>, tensor<64x2xf16>) -> tensor<?x64xf32>
  %v24 = llm.add %v1, %v21 : tensor<?x64xf32>
  %v25 = llm.get_weight @layers.0.feed_forward.norm : tensor<64xf32>
  %v26 = llm.rms_norm %v24, %v25 epsilon 1.0e-05 : tensor<?x64xf32>, tensor<64xf32>
  %v28 = llm.get_weight @layers.0.feed_forward.gate.codes : tensor<96x64xi8>
  %v29 = llm.get_weight @layers.0.feed_forward.gate.scales : tensor<96x2xf16>
  %v27 = llm.quantized_linear %v26, %v28, %v29 scheme symmetric group 32 : (tensor<?x64xf32>, tensor<96x64xi8>, tensor<96x2xf16>) -> tensor<?x96xf32>
  %v31 = llm.get_weight @layers.0.feed_forward.up.codes : tensor<96x64xi8>
  %v32 = llm.get_weight @layers.0.feed_forward.up.scales : tensor<96x2xf16>
  %v30 = llm.quantized_linear %v26, %v31, %v32 scheme symmetric group 32 : (tensor<?x64xf32>, tensor<96x64xi8>, tensor<96x2xf16>) -> tensor<?x96xf32>
  %v33 = llm.silu %v27 : tensor<?x96xf32>
  %v34 = llm.mul %v33, %v30 : tensor<?x96xf32>
  %v36 = llm.get_weight @layers.0.feed_forward.down.codes : tensor<64x96xi8>
  %v37 = llm.get_weight @layers.0.feed_forward.down.scales : tensor<64x3xf16>
  %v35 = llm.quantized_linear %v34, %v36, %v37 scheme symmetric group 32 : (tensor<?x96xf32>, tensor<64x96xi8>, tensor<64x3xf16>) -> tensor<?x64xf32>
  %v38 = llm.add %v24, %v35 : tensor<?x64xf32>
  %v39 = llm.gather_rows %v38, %batch : tensor<?x64xf32> -> tensor<?x64xf32>
  %v40 = llm.get_weight @output.norm : tensor<64xf32>
  %v41 = llm.rms_norm %v39, %v40 epsilon 1.0e-05 : tensor<?x64xf32>, tensor<64xf32>
  %v43 = llm.get_weight @embedding.codes : tensor<50x64xi8>
  %v44 = llm.get_weight @embedding.scales : tensor<50x2xf16>
  %v42 = llm.quantized_linear %v41, %v43, %v44 scheme symmetric group 32 : (tensor<?x64xf32>, tensor<50x64xi8>, tensor<50x2xf16>) -> tensor<?x50xf32>
  return %v42, %v19 : tensor<?x50xf32>, !llm.kv<layers = 1, heads = 1, dim = 16, element = f32, page = 16, keys = token_dim>
}
