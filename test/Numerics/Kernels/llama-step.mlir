// A Llama step with float weights, of sizes that are no multiple of any tile. Each kernel and the whole step agree with
// the reference; fused and unfused kernels, and pages of 16 and 64 tokens, give the same bits.
//
// RUN: kernel-check %s --numerics=f32 --dump=%t.f32.16
// RUN: kernel-check %s --numerics=f32 --page=64 --dump=%t.f32.64
// RUN: cmp %t.f32.16 %t.f32.64
// RUN: kernel-check %s --numerics=f32 --rules=none --dump=%t.f32.none
// RUN: cmp %t.f32.16 %t.f32.none
// RUN: kernel-check %s --numerics=bf16 --tolerance=2e-5 --dump=%t.bf16.16
// RUN: kernel-check %s --numerics=bf16 --tolerance=2e-5 --page=64 --dump=%t.bf16.64
// RUN: cmp %t.bf16.16 %t.bf16.64
//
// B38: a request without any key stands in the batch and changes nothing.
// RUN: kernel-check %s --numerics=f32 --batch=1:1:1,0:0:0,2:2:2

llm.weight @embedding : tensor<50x40xf32> {
  %0 = arith.constant dense<1.0> : tensor<50x40xf32>
  llm.yield %0 : tensor<50x40xf32>
}
llm.weight @rope.inverse_frequency : tensor<8xf32> {
  %0 = arith.constant dense<1.0> : tensor<8xf32>
  llm.yield %0 : tensor<8xf32>
}
llm.weight @layers.0.attention.norm : tensor<40xf32> {
  %0 = arith.constant dense<1.0> : tensor<40xf32>
  llm.yield %0 : tensor<40xf32>
}
llm.weight @layers.0.attention.q : tensor<48x40xf32> {
  %0 = arith.constant dense<1.0> : tensor<48x40xf32>
  llm.yield %0 : tensor<48x40xf32>
}
llm.weight @layers.0.attention.k : tensor<16x40xf32> {
  %0 = arith.constant dense<1.0> : tensor<16x40xf32>
  llm.yield %0 : tensor<16x40xf32>
}
llm.weight @layers.0.attention.v : tensor<16x40xf32> {
  %0 = arith.constant dense<1.0> : tensor<16x40xf32>
  llm.yield %0 : tensor<16x40xf32>
}
llm.weight @layers.0.attention.output : tensor<40x48xf32> {
  %0 = arith.constant dense<1.0> : tensor<40x48xf32>
  llm.yield %0 : tensor<40x48xf32>
}
llm.weight @layers.0.feed_forward.norm : tensor<40xf32> {
  %0 = arith.constant dense<1.0> : tensor<40xf32>
  llm.yield %0 : tensor<40xf32>
}
llm.weight @layers.0.feed_forward.gate : tensor<48x40xf32> {
  %0 = arith.constant dense<1.0> : tensor<48x40xf32>
  llm.yield %0 : tensor<48x40xf32>
}
llm.weight @layers.0.feed_forward.up : tensor<48x40xf32> {
  %0 = arith.constant dense<1.0> : tensor<48x40xf32>
  llm.yield %0 : tensor<48x40xf32>
}
llm.weight @layers.0.feed_forward.down : tensor<40x48xf32> {
  %0 = arith.constant dense<1.0> : tensor<40x48xf32>
  llm.yield %0 : tensor<40x48xf32>
}
llm.weight @layers.1.attention.norm : tensor<40xf32> {
  %0 = arith.constant dense<1.0> : tensor<40xf32>
  llm.yield %0 : tensor<40xf32>
}
llm.weight @layers.1.attention.q : tensor<48x40xf32> {
  %0 = arith.constant dense<1.0> : tensor<48x40xf32>
  llm.yield %0 : tensor<48x40xf32>
}
llm.weight @layers.1.attention.k : tensor<16x40xf32> {
  %0 = arith.constant dense<1.0> : tensor<16x40xf32>
  llm.yield %0 : tensor<16x40xf32>
}
llm.weight @layers.1.attention.v : tensor<16x40xf32> {
  %0 = arith.constant dense<1.0> : tensor<16x40xf32>
  llm.yield %0 : tensor<16x40xf32>
}
llm.weight @layers.1.attention.output : tensor<40x48xf32> {
  %0 = arith.constant dense<1.0> : tensor<40x48xf32>
  llm.yield %0 : tensor<40x48xf32>
}
llm.weight @layers.1.feed_forward.norm : tensor<40xf32> {
  %0 = arith.constant dense<1.0> : tensor<40xf32>
  llm.yield %0 : tensor<40xf32>
}
llm.weight @layers.1.feed_forward.gate : tensor<48x40xf32> {
  %0 = arith.constant dense<1.0> : tensor<48x40xf32>
  llm.yield %0 : tensor<48x40xf32>
}
llm.weight @layers.1.feed_forward.up : tensor<48x40xf32> {
  %0 = arith.constant dense<1.0> : tensor<48x40xf32>
  llm.yield %0 : tensor<48x40xf32>
}
llm.weight @layers.1.feed_forward.down : tensor<40x48xf32> {
  %0 = arith.constant dense<1.0> : tensor<40x48xf32>
  llm.yield %0 : tensor<40x48xf32>
}
llm.weight @output.norm : tensor<40xf32> {
  %0 = arith.constant dense<1.0> : tensor<40xf32>
  llm.yield %0 : tensor<40xf32>
}
func.func @step(%token: tensor<?xi32>, %batch: !llm.batch, %kv: !llm.kv<layers = 2, heads = 1, dim = 16, element = f32, page = 16, keys = token_dim>) -> (tensor<?x50xf32>, !llm.kv<layers = 2, heads = 1, dim = 16, element = f32, page = 16, keys = token_dim>) {
  %v2 = llm.get_weight @embedding : tensor<50x40xf32>
  %v1 = llm.embedding %token, %v2 : tensor<?xi32>, tensor<50x40xf32> -> tensor<?x40xf32>
  %v3 = llm.get_weight @rope.inverse_frequency : tensor<8xf32>
  %v4 = arith.constant 0 : index
  %v5 = llm.get_weight @layers.0.attention.norm : tensor<40xf32>
  %v6 = llm.rms_norm %v1, %v5 epsilon 1.0e-05 : tensor<?x40xf32>, tensor<40xf32>
  %v8 = llm.get_weight @layers.0.attention.q : tensor<48x40xf32>
  %v7 = llm.linear %v6, %v8 : (tensor<?x40xf32>, tensor<48x40xf32>) -> tensor<?x48xf32>
  %v10 = llm.get_weight @layers.0.attention.k : tensor<16x40xf32>
  %v9 = llm.linear %v6, %v10 : (tensor<?x40xf32>, tensor<16x40xf32>) -> tensor<?x16xf32>
  %v12 = llm.get_weight @layers.0.attention.v : tensor<16x40xf32>
  %v11 = llm.linear %v6, %v12 : (tensor<?x40xf32>, tensor<16x40xf32>) -> tensor<?x16xf32>
  %v13 = llm.rope %v7, %v3, %batch head_dim 16 attention_factor 1.0 : tensor<?x48xf32>, tensor<8xf32>
  %v14 = llm.rope %v9, %v3, %batch head_dim 16 attention_factor 1.0 : tensor<?x16xf32>, tensor<8xf32>
  %v15 = llm.kv_append %v14, %v11, %kv, %v4, %batch : tensor<?x16xf32>, tensor<?x16xf32>, !llm.kv<layers = 2, heads = 1, dim = 16, element = f32, page = 16, keys = token_dim>
  %v16 = llm.paged_attention %v13, %v15, %v4, %batch heads 3 scale 2.500000e-01 window 0 : tensor<?x48xf32>, !llm.kv<layers = 2, heads = 1, dim = 16, element = f32, page = 16, keys = token_dim>
  %v18 = llm.get_weight @layers.0.attention.output : tensor<40x48xf32>
  %v17 = llm.linear %v16, %v18 : (tensor<?x48xf32>, tensor<40x48xf32>) -> tensor<?x40xf32>
  %v19 = llm.add %v1, %v17 : tensor<?x40xf32>
  %v20 = llm.get_weight @layers.0.feed_forward.norm : tensor<40xf32>
  %v21 = llm.rms_norm %v19, %v20 epsilon 1.0e-05 : tensor<?x40xf32>, tensor<40xf32>
  %v23 = llm.get_weight @layers.0.feed_forward.gate : tensor<48x40xf32>
  %v22 = llm.linear %v21, %v23 : (tensor<?x40xf32>, tensor<48x40xf32>) -> tensor<?x48xf32>
  %v25 = llm.get_weight @layers.0.feed_forward.up : tensor<48x40xf32>
  %v24 = llm.linear %v21, %v25 : (tensor<?x40xf32>, tensor<48x40xf32>) -> tensor<?x48xf32>
  %v26 = llm.silu %v22 : tensor<?x48xf32>
  %v27 = llm.mul %v26, %v24 : tensor<?x48xf32>
  %v29 = llm.get_weight @layers.0.feed_forward.down : tensor<40x48xf32>
  %v28 = llm.linear %v27, %v29 : (tensor<?x48xf32>, tensor<40x48xf32>) -> tensor<?x40xf32>
  %v30 = llm.add %v19, %v28 : tensor<?x40xf32>
  %v31 = arith.constant 1 : index
  %v32 = llm.get_weight @layers.1.attention.norm : tensor<40xf32>
  %v33 = llm.rms_norm %v30, %v32 epsilon 1.0e-05 : tensor<?x40xf32>, tensor<40xf32>
  %v35 = llm.get_weight @layers.1.attention.q : tensor<48x40xf32>
  %v34 = llm.linear %v33, %v35 : (tensor<?x40xf32>, tensor<48x40xf32>) -> tensor<?x48xf32>
  %v37 = llm.get_weight @layers.1.attention.k : tensor<16x40xf32>
  %v36 = llm.linear %v33, %v37 : (tensor<?x40xf32>, tensor<16x40xf32>) -> tensor<?x16xf32>
  %v39 = llm.get_weight @layers.1.attention.v : tensor<16x40xf32>
  %v38 = llm.linear %v33, %v39 : (tensor<?x40xf32>, tensor<16x40xf32>) -> tensor<?x16xf32>
  %v40 = llm.rope %v34, %v3, %batch head_dim 16 attention_factor 1.0 : tensor<?x48xf32>, tensor<8xf32>
  %v41 = llm.rope %v36, %v3, %batch head_dim 16 attention_factor 1.0 : tensor<?x16xf32>, tensor<8xf32>
  %v42 = llm.kv_append %v41, %v38, %v15, %v31, %batch : tensor<?x16xf32>, tensor<?x16xf32>, !llm.kv<layers = 2, heads = 1, dim = 16, element = f32, page = 16, keys = token_dim>
  %v43 = llm.paged_attention %v40, %v42, %v31, %batch heads 3 scale 2.500000e-01 window 0 : tensor<?x48xf32>, !llm.kv<layers = 2, heads = 1, dim = 16, element = f32, page = 16, keys = token_dim>
  %v45 = llm.get_weight @layers.1.attention.output : tensor<40x48xf32>
  %v44 = llm.linear %v43, %v45 : (tensor<?x48xf32>, tensor<40x48xf32>) -> tensor<?x40xf32>
  %v46 = llm.add %v30, %v44 : tensor<?x40xf32>
  %v47 = llm.get_weight @layers.1.feed_forward.norm : tensor<40xf32>
  %v48 = llm.rms_norm %v46, %v47 epsilon 1.0e-05 : tensor<?x40xf32>, tensor<40xf32>
  %v50 = llm.get_weight @layers.1.feed_forward.gate : tensor<48x40xf32>
  %v49 = llm.linear %v48, %v50 : (tensor<?x40xf32>, tensor<48x40xf32>) -> tensor<?x48xf32>
  %v52 = llm.get_weight @layers.1.feed_forward.up : tensor<48x40xf32>
  %v51 = llm.linear %v48, %v52 : (tensor<?x40xf32>, tensor<48x40xf32>) -> tensor<?x48xf32>
  %v53 = llm.silu %v49 : tensor<?x48xf32>
  %v54 = llm.mul %v53, %v51 : tensor<?x48xf32>
  %v56 = llm.get_weight @layers.1.feed_forward.down : tensor<40x48xf32>
  %v55 = llm.linear %v54, %v56 : (tensor<?x48xf32>, tensor<40x48xf32>) -> tensor<?x40xf32>
  %v57 = llm.add %v46, %v55 : tensor<?x40xf32>
  %v58 = llm.gather_rows %v57, %batch : tensor<?x40xf32> -> tensor<?x40xf32>
  %v59 = llm.get_weight @output.norm : tensor<40xf32>
  %v60 = llm.rms_norm %v58, %v59 epsilon 1.0e-05 : tensor<?x40xf32>, tensor<40xf32>
  %v62 = llm.get_weight @embedding : tensor<50x40xf32>
  %v61 = llm.linear %v60, %v62 : (tensor<?x40xf32>, tensor<50x40xf32>) -> tensor<?x50xf32>
  return %v61, %v42 : tensor<?x50xf32>, !llm.kv<layers = 2, heads = 1, dim = 16, element = f32, page = 16, keys = token_dim>
}
