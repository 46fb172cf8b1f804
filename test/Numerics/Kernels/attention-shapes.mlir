// Any ratio of heads and any even width of a head, with and without a window: first tokens, a lone token, rows at and
// across the border of a tile of 64 positions, rows far into the cache.
//
// RUN: kernel-check %s --batch=1:1:1,5:66:9,2:130:130,9:64:64

func.func @heads_10_2_of_160_window_0(%q: tensor<?x1600xf32>, %k: tensor<?x320xf32>, %v: tensor<?x320xf32>, %batch: !llm.batch, %kv: !llm.kv<layers = 2, heads = 2, dim = 160, element = f32, page = 16, keys = token_dim>) -> (tensor<?x1600xf32>, !llm.kv<layers = 2, heads = 2, dim = 160, element = f32, page = 16, keys = token_dim>) {
  %l = arith.constant 1 : index
  %k1 = llm.kv_append %k, %v, %kv, %l, %batch : tensor<?x320xf32>, tensor<?x320xf32>, !llm.kv<layers = 2, heads = 2, dim = 160, element = f32, page = 16, keys = token_dim>
  %o = llm.paged_attention %q, %k1, %l, %batch heads 10 scale 7.905694e-02 window 0 : tensor<?x1600xf32>, !llm.kv<layers = 2, heads = 2, dim = 160, element = f32, page = 16, keys = token_dim>
  return %o, %k1 : tensor<?x1600xf32>, !llm.kv<layers = 2, heads = 2, dim = 160, element = f32, page = 16, keys = token_dim>
}

func.func @heads_12_2_of_192_window_64(%q: tensor<?x2304xf32>, %k: tensor<?x384xf32>, %v: tensor<?x384xf32>, %batch: !llm.batch, %kv: !llm.kv<layers = 2, heads = 2, dim = 192, element = f32, page = 16, keys = token_dim>) -> (tensor<?x2304xf32>, !llm.kv<layers = 2, heads = 2, dim = 192, element = f32, page = 16, keys = token_dim>) {
  %l = arith.constant 1 : index
  %k1 = llm.kv_append %k, %v, %kv, %l, %batch : tensor<?x384xf32>, tensor<?x384xf32>, !llm.kv<layers = 2, heads = 2, dim = 192, element = f32, page = 16, keys = token_dim>
  %o = llm.paged_attention %q, %k1, %l, %batch heads 12 scale 7.216878e-02 window 64 : tensor<?x2304xf32>, !llm.kv<layers = 2, heads = 2, dim = 192, element = f32, page = 16, keys = token_dim>
  return %o, %k1 : tensor<?x2304xf32>, !llm.kv<layers = 2, heads = 2, dim = 192, element = f32, page = 16, keys = token_dim>
}

func.func @heads_64_4_of_256_window_0(%q: tensor<?x16384xf32>, %k: tensor<?x1024xf32>, %v: tensor<?x1024xf32>, %batch: !llm.batch, %kv: !llm.kv<layers = 2, heads = 4, dim = 256, element = f32, page = 16, keys = token_dim>) -> (tensor<?x16384xf32>, !llm.kv<layers = 2, heads = 4, dim = 256, element = f32, page = 16, keys = token_dim>) {
  %l = arith.constant 1 : index
  %k1 = llm.kv_append %k, %v, %kv, %l, %batch : tensor<?x1024xf32>, tensor<?x1024xf32>, !llm.kv<layers = 2, heads = 4, dim = 256, element = f32, page = 16, keys = token_dim>
  %o = llm.paged_attention %q, %k1, %l, %batch heads 64 scale 6.250000e-02 window 0 : tensor<?x16384xf32>, !llm.kv<layers = 2, heads = 4, dim = 256, element = f32, page = 16, keys = token_dim>
  return %o, %k1 : tensor<?x16384xf32>, !llm.kv<layers = 2, heads = 4, dim = 256, element = f32, page = 16, keys = token_dim>
}

func.func @heads_2_2_of_6_window_1(%q: tensor<?x12xf32>, %k: tensor<?x12xf32>, %v: tensor<?x12xf32>, %batch: !llm.batch, %kv: !llm.kv<layers = 2, heads = 2, dim = 6, element = f32, page = 16, keys = token_dim>) -> (tensor<?x12xf32>, !llm.kv<layers = 2, heads = 2, dim = 6, element = f32, page = 16, keys = token_dim>) {
  %l = arith.constant 1 : index
  %k1 = llm.kv_append %k, %v, %kv, %l, %batch : tensor<?x12xf32>, tensor<?x12xf32>, !llm.kv<layers = 2, heads = 2, dim = 6, element = f32, page = 16, keys = token_dim>
  %o = llm.paged_attention %q, %k1, %l, %batch heads 2 scale 4.082483e-01 window 1 : tensor<?x12xf32>, !llm.kv<layers = 2, heads = 2, dim = 6, element = f32, page = 16, keys = token_dim>
  return %o, %k1 : tensor<?x12xf32>, !llm.kv<layers = 2, heads = 2, dim = 6, element = f32, page = 16, keys = token_dim>
}
