// Attention by matrix instructions for wide heads, in pages of 64 tokens: of 128, as most models have them, and of 256, whose
// values are folded in parts. Copies of keys and values go two tiles ahead, one, or none where a block has no room for them.
//
// RUN: kernel-check %s --numerics=none --target=sm_90a --batch=4:66:9,1:64:64,9:201:201
// RUN: kernel-check %s --numerics=none --target=sm_89 --batch=4:66:9,1:64:64

func.func @heads_8_2_of_128_window_0(%q: tensor<?x1024xbf16>, %k: tensor<?x256xbf16>, %v: tensor<?x256xbf16>, %batch: !llm.batch, %kv: !llm.kv<layers = 2, heads = 2, dim = 128, element = bf16, page = 64, keys = token_dim>) -> (tensor<?x1024xbf16>, !llm.kv<layers = 2, heads = 2, dim = 128, element = bf16, page = 64, keys = token_dim>) {
  %l = arith.constant 1 : index
  %k1 = llm.kv_append %k, %v, %kv, %l, %batch : tensor<?x256xbf16>, tensor<?x256xbf16>, !llm.kv<layers = 2, heads = 2, dim = 128, element = bf16, page = 64, keys = token_dim>
  %o = llm.paged_attention %q, %k1, %l, %batch heads 8 scale 8.838835e-02 window 0 : tensor<?x1024xbf16>, !llm.kv<layers = 2, heads = 2, dim = 128, element = bf16, page = 64, keys = token_dim>
  return %o, %k1 : tensor<?x1024xbf16>, !llm.kv<layers = 2, heads = 2, dim = 128, element = bf16, page = 64, keys = token_dim>
}

func.func @heads_8_1_of_256_window_0(%q: tensor<?x2048xbf16>, %k: tensor<?x256xbf16>, %v: tensor<?x256xbf16>, %batch: !llm.batch, %kv: !llm.kv<layers = 2, heads = 1, dim = 256, element = bf16, page = 64, keys = token_dim>) -> (tensor<?x2048xbf16>, !llm.kv<layers = 2, heads = 1, dim = 256, element = bf16, page = 64, keys = token_dim>) {
  %l = arith.constant 1 : index
  %k1 = llm.kv_append %k, %v, %kv, %l, %batch : tensor<?x256xbf16>, tensor<?x256xbf16>, !llm.kv<layers = 2, heads = 1, dim = 256, element = bf16, page = 64, keys = token_dim>
  %o = llm.paged_attention %q, %k1, %l, %batch heads 8 scale 6.250000e-02 window 0 : tensor<?x2048xbf16>, !llm.kv<layers = 2, heads = 1, dim = 256, element = bf16, page = 64, keys = token_dim>
  return %o, %k1 : tensor<?x2048xbf16>, !llm.kv<layers = 2, heads = 1, dim = 256, element = bf16, page = 64, keys = token_dim>
}
