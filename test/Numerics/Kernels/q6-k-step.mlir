// Weights as in Q6_K: symmetric, groups of 16, outer scales for 256 columns.
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

llm.weight @embedding.codes : tensor<50x256xi8> {
  %0 = arith.constant dense<1> : tensor<50x256xi8>
  llm.yield %0 : tensor<50x256xi8>
}
llm.weight @embedding.scales : tensor<50x16xi8> {
  %0 = arith.constant dense<1> : tensor<50x16xi8>
  llm.yield %0 : tensor<50x16xi8>
}
llm.weight @embedding.outer : tensor<50x1xf16> {
  %0 = arith.constant dense<1.0> : tensor<50x1xf16>
  llm.yield %0 : tensor<50x1xf16>
}
llm.weight @rope.inverse_frequency : tensor<16xf32> {
  %0 = arith.constant dense<1.0> : tensor<16xf32>
  llm.yield %0 : tensor<16xf32>
}
llm.weight @layers.0.attention.norm : tensor<256xf32> {
  %0 = arith.constant dense<1.0> : tensor<256xf32>
  llm.yield %0 : tensor<256xf32>
}
llm.weight @layers.0.attention.q.codes : tensor<256x256xi8> {
  %0 = arith.constant dense<1> : tensor<256x256xi8>
  llm.yield %0 : tensor<256x256xi8>
}
llm.weight @layers.0.attention.q.scales : tensor<256x16xi8> {
  %0 = arith.constant dense<1> : tensor<256x16xi8>
  llm.yield %0 : tensor<256x16xi8>
}
llm.weight @layers.0.attention.q.outer : tensor<256x1xf16> {
  %0 = arith.constant dense<1.0> : tensor<256x1xf16>
  llm.yield %0 : tensor<256x1xf16>
}
llm.weight @layers.0.attention.k.codes : tensor<64x256xi8> {
  %0 = arith.constant dense<1> : tensor<64x256xi8>
  llm.yield %0 : tensor<64x256xi8>
}
llm.weight @layers.0.attention.k.scales : tensor<64x16xi8> {
  %0 = arith.constant dense<1> : tensor<64x16xi8>
  llm.yield %0 : tensor<64x16xi8>
}
llm.weight @layers.0.attention.k.outer : tensor<64x1xf16> {
  %0 = arith.constant dense<1.0> : tensor<64x1xf16>
  llm.yield %0 : tensor<64x1xf16>
}
llm.weight @layers.0.attention.v.codes : tensor<64x256xi8> {
  %0 = arith.constant dense<1> : tensor<64x256xi8>
  llm.yield %0 : tensor<64x256xi8>
}
llm.weight @layers.0.attention.v.scales : tensor<64x16xi8> {
  %0 = arith.constant dense<1> : tensor<64x16xi8>
  llm.yield %0 : tensor<64x16xi8>
}
llm.weight @layers.0.attention.v.outer : tensor<64x1xf16> {
  %0 = arith.constant dense<1.0> : tensor<64x1xf16>
  llm.yield %0 : tensor<64x1xf16>
}
llm.weight @layers.0.attention.output.codes : tensor<256x256xi8> {
  %0 = arith.constant dense<1> : tensor<256x256xi8>
  llm.yield %0 : tensor<256x256xi8>
}
llm.weight @layers.0.attention.output.scales : tensor<256x16xi8> {
  %0 = arith.constant dense<1> : tensor<256x16xi8>
  llm.yield %0 : tensor<256x16xi8>
}
llm.weight @layers.0.attention.output.outer : tensor<256x1xf16> {
  %0 = arith.constant dense<1.0> : tensor<256x1xf16>
  llm.yield %0 : tensor<256x1xf16>
}
llm.weight @layers.0.feed_forward.norm : tensor<256xf32> {
  %0 = arith.constant dense<1.0> : tensor<256xf32>
  llm.yield %0 : tensor<256xf32>
}
llm.weight @layers.0.feed_forward.gate.codes : tensor<256x256xi8> {
  %0 = arith.constant dense<1> : tensor<256x256xi8>
  llm.yield %0 : tensor<256x256xi8>
}
llm.weight @layers.0.feed_forward.gate.scales : tensor<256x16xi8> {
  %0 = arith.constant dense<1> : tensor<256x16xi8>
  llm.yield %0 : tensor<256x16xi8>
}
llm.weight @layers.0.feed_forward.gate.outer : tensor<256x1xf16> {
  %0 = arith.constant dense<1.0> : tensor<256x1xf16>
  llm.yield %0 : tensor<256x1xf16>
}
llm.weight @layers.0.feed_forward.up.codes : tensor<256x256xi8> {
  %0 = arith.constant dense<1> : tensor<256x256xi8>
  llm.yield %0 : tensor<256x256xi8>
}
llm.weight @layers.0.feed_forward.up.scales : tensor<256x16xi8> {
  %0 = arith.constant dense<1> : tensor<256x16xi8>
  llm.yield %0 : tensor<256x16xi8>
}
llm.weight @layers.0.feed_forward.up.outer : tensor<256x1xf16> {
  %0 = arith.constant dense<1.0> : tensor<256x1xf16>
  llm.yield %0 : tensor<256x1xf16>
}
llm.weight @layers.0.feed_forward.down.codes : tensor<256x256xi8> {
  %0 = arith.constant dense<1> : tensor<256x256xi8>
  llm.yield %0 : tensor<256x256xi8>
}
llm.weight @layers.0.feed_forward.down.scales : tensor<256x16xi8> {
  %0 = arith.constant dense<1> : tensor<256x16xi8>
  llm.yield %0 : tensor<256x16xi8>
}
llm.weight @layers.0.feed_forward.down.outer : tensor<256x1xf16> {
  %0 = arith.constant dense<1.0> : tensor<256x1xf16>
  llm.yield %0 : tensor<256x1xf16>
}
llm.weight @output.norm : tensor<256xf32> {
  %0 = arith.constant dense<1.0> : tensor<256xf32>
  llm.yield %0 : tensor<256xf32>
}
func.func @step(%token: tensor<?xi32>, %batch: !llm.batch, %kv: !llm.kv<layers = 1, heads = 2, dim = 32, element = f32, page = 16, keys = token_dim>) -> (tensor<?x50xf32>, !llm.kv<layers = 1, heads = 2, dim = 32, element = f32, page = 16, keys = token_dim>) {
  %v2 = llm.get_weight @embedding.codes : tensor<50x256xi8>
  %v3 = llm.get_weight @embedding.scales : tensor<50x16xi8>
  %v4 = llm.get_weight @embedding.outer : tensor<50x1xf16>
  %v1 = llm.quantized_embedding %token, %v2, %v3 outer %v4 scheme symmetric group 16 : (tensor<?xi32>, tensor<50x256xi8>, tensor<50x16xi8>, tensor<50x1xf16>) -> tensor<?x256xf32>
  %v5 = llm.get_weight @rope.inverse_frequency : tensor<16xf32>
  %v6 = arith.constant 0 : index
  %v7 = llm.get_weight @layers.0.attention.norm : tensor<256xf32>
  %v8 = llm.rms_norm %v1, %v7 epsilon 1.0e-05 : tensor<?x256xf32>, tensor<256xf32>
  %v10 = llm.get_weight @layers.0.attention.q.codes : tensor<256x256xi8>
  %v11 = llm.get_weight @layers.0.attention.q.scales : tensor<256x16xi8>
  %v12 = llm.get_weight @layers.0.attention.q.outer : tensor<256x1xf16>
  %v9 = llm.quantized_linear %v8, %v10, %v11 outer %v12 scheme symmetric group 16 : (tensor<?x256xf32>, tensor<256x256xi8>, tensor<256x16xi8>, tensor<256x1xf16>) -> tensor<?x256xf32>
  %v14 = llm.get_weight @layers.0.attention.k.codes : tensor<64x256xi8>
  %v15 = llm.get_weight @layers.0.attention.k.scales : tensor<64x16xi8>
  %v16 = llm.get_weight @layers.0.attention.k.outer : tensor<64x1xf16>
  %v13 = llm.quantized_linear %v8, %v14, %v15 outer %v16 scheme symmetric group 16 : (tensor<?x256xf32>, tensor<64x256xi8>, tensor<64x16xi8>, tensor<64x1xf16>) -> tensor<?x64xf32>
  %v18 = llm.get_weight @layers.0.attention.v.codes : tensor<64x256xi8>
  %v19 = llm.get_weight @layers.0.attention.v.scales : tensor<64x16xi8>
  %v20 = llm.get_weight @layers.0.attention.v.outer : tensor<64x1xf16>
  %v17 = llm.quantized_linear %v8, %v18, %v19 outer %v20 scheme symmetric group 16 : (tensor<?x256xf32>, tensor<64x256xi8>, tensor<64x16xi8>, tensor<64x1xf16>) -> tensor<?x64xf32>
  %v21 = llm.rope %v9, %v5, %batch head_dim 32 attention_factor 1.0 : tensor<?x256xf32>, tensor<16xf32>
  %v22 = llm.rope %v13, %v5, %batch head_dim 32 attention_factor 1.0 : tensor<?x64xf32>, tensor<16xf32>
  %v23 = llm.kv_append %v22, %v17, %kv, %v6, %batch : tensor<?x64xf32>, tensor<?x64xf32>, !llm.kv<layers = 1, heads = 2, dim = 32, element = f32, page = 16, keys = token_dim>
  %v24 = llm.paged_attention %v21, %v23, %v6, %batch heads 8 scale 1.767767e-01 window 0 : tensor<?x256xf32>, !llm.kv<layers = 1, heads = 2, dim = 32, element = f32, page = 16, keys = token_dim>
  %v26 = llm.get_weight @layers.0.attention.output.codes : tensor<256x256xi8>
  %v27 = llm.get_weight @layers.0.attention.output.scales : tensor<256x16xi8>
  %v28 = llm.get_weight @layers.0.attention.output.outer : tensor<256x1xf16>
  %v25 = llm.quantized_linear %v24, %v26, %v27 outer %v28 scheme symmetric group 16 : (tensor<?x256xf32>, tensor<256x256xi8>, tensor<256x16xi8>, tensor<256x1xf16>) -> tensor<?x256xf32>
  %v29 = llm.add %v1, %v25 : tensor<?x256xf32>
  %v30 = llm.get_weight @layers.0.feed_forward.norm : tensor<256xf32>
  %v31 = llm.rms_norm %v29, %v30 epsilon 1.0e-05 : tensor<?x256xf32>, tensor<256xf32>
  %v33 = llm.get_weight @layers.0.feed_forward.gate.codes : tensor<256x256xi8>
  %v34 = llm.get_weight @layers.0.feed_forward.gate.scales : tensor<256x16xi8>
  %v35 = llm.get_weight @layers.0.feed_forward.gate.outer : tensor<256x1xf16>
  %v32 = llm.quantized_linear %v31, %v33, %v34 outer %v35 scheme symmetric group 16 : (tensor<?x256xf32>, tensor<256x256xi8>, tensor<256x16xi8>, tensor<256x1xf16>) -> tensor<?x256xf32>
  %v37 = llm.get_weight @layers.0.feed_forward.up.codes : tensor<256x256xi8>
  %v38 = llm.get_weight @layers.0.feed_forward.up.scales : tensor<256x16xi8>
  %v39 = llm.get_weight @layers.0.feed_forward.up.outer : tensor<256x1xf16>
  %v36 = llm.quantized_linear %v31, %v37, %v38 outer %v39 scheme symmetric group 16 : (tensor<?x256xf32>, tensor<256x256xi8>, tensor<256x16xi8>, tensor<256x1xf16>) -> tensor<?x256xf32>
  %v40 = llm.silu %v32 : tensor<?x256xf32>
  %v41 = llm.mul %v40, %v36 : tensor<?x256xf32>
  %v43 = llm.get_weight @layers.0.feed_forward.down.codes : tensor<256x256xi8>
  %v44 = llm.get_weight @layers.0.feed_forward.down.scales : tensor<256x16xi8>
  %v45 = llm.get_weight @layers.0.feed_forward.down.outer : tensor<256x1xf16>
  %v42 = llm.quantized_linear %v41, %v43, %v44 outer %v45 scheme symmetric group 16 : (tensor<?x256xf32>, tensor<256x256xi8>, tensor<256x16xi8>, tensor<256x1xf16>) -> tensor<?x256xf32>
  %v46 = llm.add %v29, %v42 : tensor<?x256xf32>
  %v47 = llm.gather_rows %v46, %batch : tensor<?x256xf32> -> tensor<?x256xf32>
  %v48 = llm.get_weight @output.norm : tensor<256xf32>
  %v49 = llm.rms_norm %v47, %v48 epsilon 1.0e-05 : tensor<?x256xf32>, tensor<256xf32>
  %v51 = llm.get_weight @embedding.codes : tensor<50x256xi8>
  %v52 = llm.get_weight @embedding.scales : tensor<50x16xi8>
  %v53 = llm.get_weight @embedding.outer : tensor<50x1xf16>
  %v50 = llm.quantized_linear %v49, %v51, %v52 outer %v53 scheme symmetric group 16 : (tensor<?x256xf32>, tensor<50x256xi8>, tensor<50x16xi8>, tensor<50x1xf16>) -> tensor<?x50xf32>
  return %v50, %v23 : tensor<?x50xf32>, !llm.kv<layers = 1, heads = 2, dim = 32, element = f32, page = 16, keys = token_dim>
}
