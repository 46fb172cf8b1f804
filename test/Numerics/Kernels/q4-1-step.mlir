// Weights as in Q4_1: affine, groups of 32.
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
// RUN: kernel-check %s --numerics=bf16 --tolerance=2e-5 --dump=%t.bf16.16
// RUN: kernel-check %s --numerics=bf16 --tolerance=2e-5 --page=64 --dump=%t.bf16.64
// RUN: cmp %t.bf16.16 %t.bf16.64

llm.weight @embedding.codes : tensor<50x64xi4> {
  %0 = arith.constant dense<1> : tensor<50x64xi4>
  llm.yield %0 : tensor<50x64xi4>
}
llm.weight @embedding.scales : tensor<50x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<50x2xf16>
  llm.yield %0 : tensor<50x2xf16>
}
llm.weight @embedding.offsets : tensor<50x2xf16> {
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
llm.weight @layers.0.attention.q.offsets : tensor<64x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<64x2xf16>
  llm.yield %0 : tensor<64x2xf16>
}
llm.weight @layers.0.attention.k.codes : tensor<32x64xi4> {
  %0 = arith.constant dense<1> : tensor<32x64xi4>
  llm.yield %0 : tensor<32x64xi4>
}
llm.weight @layers.0.attention.k.scales : tensor<32x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<32x2xf16>
  llm.yield %0 : tensor<32x2xf16>
}
llm.weight @layers.0.attention.k.offsets : tensor<32x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<32x2xf16>
  llm.yield %0 : tensor<32x2xf16>
}
llm.weight @layers.0.attention.v.codes : tensor<32x64xi4> {
  %0 = arith.constant dense<1> : tensor<32x64xi4>
  llm.yield %0 : tensor<32x64xi4>
}
llm.weight @layers.0.attention.v.scales : tensor<32x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<32x2xf16>
  llm.yield %0 : tensor<32x2xf16>
}
llm.weight @layers.0.attention.v.offsets : tensor<32x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<32x2xf16>
  llm.yield %0 : tensor<32x2xf16>
}
llm.weight @layers.0.attention.output.codes : tensor<64x64xi4> {
  %0 = arith.constant dense<1> : tensor<64x64xi4>
  llm.yield %0 : tensor<64x64xi4>
}
llm.weight @layers.0.attention.output.scales : tensor<64x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<64x2xf16>
  llm.yield %0 : tensor<64x2xf16>
}
llm.weight @layers.0.attention.output.offsets : tensor<64x2xf16> {
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
llm.weight @layers.0.feed_forward.gate.offsets : tensor<96x2xf16> {
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
llm.weight @layers.0.feed_forward.up.offsets : tensor<96x2xf16> {
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
llm.weight @layers.0.feed_forward.down.offsets : tensor<64x3xf16> {
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
  %v4 = llm.get_weight @embedding.offsets : tensor<50x2xf16>
  %v1 = llm.quantized_embedding %token, %v2, %v3 offsets %v4 scheme affine group 32 : (tensor<?xi32>, tensor<50x64xi4>, tensor<50x2xf16>, tensor<50x2xf16>) -> tensor<?x64xf32>
  %v5 = llm.get_weight @rope.inverse_frequency : tensor<8xf32>
  %v6 = arith.constant 0 : index
  %v7 = llm.get_weight @layers.0.attention.norm : tensor<64xf32>
  %v8 = llm.rms_norm %v1, %v7 epsilon 1.0e-05 : tensor<?x64xf32>, tensor<64xf32>
  %v10 = llm.get_weight @layers.0.attention.q.codes : tensor<64x64xi4>
  %v11 = llm.get_weight @layers.0.attention.q.scales : tensor<64x2xf16>
  %v12 = llm.get_weight @layers.0.attention.q.offsets : tensor<64x2xf16>
  %v9 = llm.quantized_linear %v8, %v10, %v11 offsets %v12 scheme affine group 32 : (tensor<?x64xf32>, tensor<64x64xi4>, tensor<64x2xf16>, tensor<64x2xf16>) -> tensor<?x64xf32>
  %v14 = llm.get_weight @layers.0.attention.k.codes : tensor<32x64xi4>
  %v15 = llm.get_weight @layers.0.attention.k.scales : tensor<32x2xf16>
  %v16 = llm.get_weight @layers.0.attention.k.offsets : tensor<32x2xf16>
  %v13 = llm.quantized_linear %v8, %v14, %v15 offsets %v16 scheme affine group 32 : (tensor<?x64xf32>, tensor<32x64xi4>, tensor<32x2xf16>, tensor<32x2xf16>) -> tensor<?x32xf32>
  %v18 = llm.get_weight @layers.0.attention.v.codes : tensor<32x64xi4>
  %v19 = llm.get_weight @layers.0.attention.v.scales : tensor<32x2xf16>
  %v20 = llm.get_weight @layers.0.attention.v.offsets : tensor<32x2xf16>
  %v17 = llm.quantized_linear %v8, %v18, %v19 offsets %v20 scheme affine group 32 : (tensor<?x64xf32>, tensor<32x64xi4>, tensor<32x2xf16>, tensor<32x2xf16>) -> tensor<?x32xf32>
  %v21 = llm.rope %v9, %v5, %batch head_dim 16 attention_factor 1.0 : tensor<?x64xf32>, tensor<8xf32>
  %v22 = llm.rope %v13, %v5, %batch head_dim 16 attention_factor 1.0 : tensor<?x32xf32>, tensor<8xf32>
  %v23 = llm.kv_append %v22, %v17, %kv, %v6, %batch : tensor<?x32xf32>, tensor<?x32xf32>, !llm.kv<layers = 1, heads = 2, dim = 16, element = f32, page = 16, keys = token_dim>
  %v24 = llm.paged_attention %v21, %v23, %v6, %batch heads 4 scale 2.500000e-01 window 0 : tensor<?x64xf32>, !llm.kv<layers = 1, heads = 2, dim = 16, element = f32, page = 16, keys = token_dim>
  %v26 = llm.get_weight @layers.0.attention.output.codes : tensor<64x64xi4>
  %v27 = llm.get_weight @layers.0.attention.output.scales : tensor<64x2xf16>
  %v28 = llm.get_weight @layers.0.attention.output.offsets : tensor<64x2xf16>
  %v25 = llm.quantized_linear %v24, %v26, %v27 offsets %v28 scheme affine group 32 : (tensor<?x64xf32>, tensor<64x64xi4>, tensor<64x2xf16>, tensor<64x2xf16>) -> tensor<?x64xf32>
  %v29 = llm.add %v1, %v25 : tensor<?x64xf32>
  %v30 = llm.get_weight @layers.0.feed_forward.norm : tensor<64xf32>
  %v31 = llm.rms_norm %v29, %v30 epsilon 1.0e-05 : tensor<?x64xf32>, tensor<64xf32>
  %v33 = llm.get_weight @layers.0.feed_forward.gate.codes : tensor<96x64xi4>
  %v34 = llm.get_weight @layers.0.feed_forward.gate.scales : tensor<96x2xf16>
  %v35 = llm.get_weight @layers.0.feed_forward.gate.offsets : tensor<96x2xf16>
  %v32 = llm.quantized_linear %v31, %v33, %v34 offsets %v35 scheme affine group 32 : (tensor<?x64xf32>, tensor<96x64xi4>, tensor<96x2xf16>, tensor<96x2xf16>) -> tensor<?x96xf32>
  %v37 = llm.get_weight @layers.0.feed_forward.up.codes : tensor<96x64xi4>
  %v38 = llm.get_weight @layers.0.feed_forward.up.scales : tensor<96x2xf16>
  %v39 = llm.get_weight @layers.0.feed_forward.up.offsets : tensor<96x2xf16>
  %v36 = llm.quantized_linear %v31, %v37, %v38 offsets %v39 scheme affine group 32 : (tensor<?x64xf32>, tensor<96x64xi4>, tensor<96x2xf16>, tensor<96x2xf16>) -> tensor<?x96xf32>
  %v40 = llm.silu %v32 : tensor<?x96xf32>
  %v41 = llm.mul %v40, %v36 : tensor<?x96xf32>
  %v43 = llm.get_weight @layers.0.feed_forward.down.codes : tensor<64x96xi4>
  %v44 = llm.get_weight @layers.0.feed_forward.down.scales : tensor<64x3xf16>
  %v45 = llm.get_weight @layers.0.feed_forward.down.offsets : tensor<64x3xf16>
  %v42 = llm.quantized_linear %v41, %v43, %v44 offsets %v45 scheme affine group 32 : (tensor<?x96xf32>, tensor<64x96xi4>, tensor<64x3xf16>, tensor<64x3xf16>) -> tensor<?x64xf32>
  %v46 = llm.add %v29, %v42 : tensor<?x64xf32>
  %v47 = llm.gather_rows %v46, %batch : tensor<?x64xf32> -> tensor<?x64xf32>
  %v48 = llm.get_weight @output.norm : tensor<64xf32>
  %v49 = llm.rms_norm %v47, %v48 epsilon 1.0e-05 : tensor<?x64xf32>, tensor<64xf32>
  %v51 = llm.get_weight @embedding.codes : tensor<50x64xi4>
  %v52 = llm.get_weight @embedding.scales : tensor<50x2xf16>
  %v53 = llm.get_weight @embedding.offsets : tensor<50x2xf16>
  %v50 = llm.quantized_linear %v49, %v51, %v52 offsets %v53 scheme affine group 32 : (tensor<?x64xf32>, tensor<50x64xi4>, tensor<50x2xf16>, tensor<50x2xf16>) -> tensor<?x50xf32>
  return %v50, %v23 : tensor<?x50xf32>, !llm.kv<layers = 1, heads = 2, dim = 16, element = f32, page = 16, keys = token_dim>
}
