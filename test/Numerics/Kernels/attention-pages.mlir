// As attention-shapes.mlir, and pages of 16 and of 64 tokens give the same bits.
//
// RUN: kernel-check %s --batch=1:1:1,5:66:9,2:130:130,9:64:64 --dump=%t.16
// RUN: kernel-check %s --batch=1:1:1,5:66:9,2:130:130,9:64:64 --page=64 --dump=%t.64
// RUN: cmp %t.16 %t.64
// RUN: kernel-check %s --batch=1:1:1,5:66:9,2:130:130,9:64:64 --numerics=bf16 --tolerance=2e-5

func.func @heads_3_1_of_80_window_0(%q: tensor<?x240xf32>, %k: tensor<?x80xf32>, %v: tensor<?x80xf32>, %batch: !llm.batch, %kv: !llm.kv<layers = 2, heads = 1, dim = 80, element = f32, page = 16, keys = token_dim>) -> (tensor<?x240xf32>, !llm.kv<layers = 2, heads = 1, dim = 80, element = f32, page = 16, keys = token_dim>) {
  %l = arith.constant 1 : index
  %k1 = llm.kv_append %k, %v, %kv, %l, %batch : tensor<?x80xf32>, tensor<?x80xf32>, !llm.kv<layers = 2, heads = 1, dim = 80, element = f32, page = 16, keys = token_dim>
  %o = llm.paged_attention %q, %k1, %l, %batch heads 3 scale 1.118034e-01 window 0 : tensor<?x240xf32>, !llm.kv<layers = 2, heads = 1, dim = 80, element = f32, page = 16, keys = token_dim>
  return %o, %k1 : tensor<?x240xf32>, !llm.kv<layers = 2, heads = 1, dim = 80, element = f32, page = 16, keys = token_dim>
}

func.func @heads_7_1_of_96_window_17(%q: tensor<?x672xf32>, %k: tensor<?x96xf32>, %v: tensor<?x96xf32>, %batch: !llm.batch, %kv: !llm.kv<layers = 2, heads = 1, dim = 96, element = f32, page = 16, keys = token_dim>) -> (tensor<?x672xf32>, !llm.kv<layers = 2, heads = 1, dim = 96, element = f32, page = 16, keys = token_dim>) {
  %l = arith.constant 1 : index
  %k1 = llm.kv_append %k, %v, %kv, %l, %batch : tensor<?x96xf32>, tensor<?x96xf32>, !llm.kv<layers = 2, heads = 1, dim = 96, element = f32, page = 16, keys = token_dim>
  %o = llm.paged_attention %q, %k1, %l, %batch heads 7 scale 1.020621e-01 window 17 : tensor<?x672xf32>, !llm.kv<layers = 2, heads = 1, dim = 96, element = f32, page = 16, keys = token_dim>
  return %o, %k1 : tensor<?x672xf32>, !llm.kv<layers = 2, heads = 1, dim = 96, element = f32, page = 16, keys = token_dim>
}
