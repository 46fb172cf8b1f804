// Attention by matrix instructions, thread by thread on the model of each GPU: heads that fill the rows of an instruction
// with two tokens or four, that leave padding, that are one alone or more than one instruction holds; widths that are powers
// of two and not; windows. Chunks with a history across tiles and pages, blocks with tokens of several requests, a request
// without any, single tokens, histories of nothing and of one position. (Widths of 128 and 256: attention-wide.mlir.)
//
// RUN: kernel-check %s --numerics=none --target=sm_80 --batch=5:66:9,0:0:0,2:130:130,1:64:64 --batch=1:70:3,1:129:1 --batch=1:1:1,2:3:1,1:2:2,16:17:17
//
// The same rows on a CPU, at each of its levels.
// RUN: kernel-check %s --numerics=none --rows=16 --batch=5:66:9,0:0:0,2:130:130,1:64:64

func.func @heads_8_2_of_32_window_0(%q: tensor<?x256xbf16>, %k: tensor<?x64xbf16>, %v: tensor<?x64xbf16>, %batch: !llm.batch, %kv: !llm.kv<layers = 2, heads = 2, dim = 32, element = bf16, page = 16, keys = token_dim>) -> (tensor<?x256xbf16>, !llm.kv<layers = 2, heads = 2, dim = 32, element = bf16, page = 16, keys = token_dim>) {
  %l = arith.constant 1 : index
  %k1 = llm.kv_append %k, %v, %kv, %l, %batch : tensor<?x64xbf16>, tensor<?x64xbf16>, !llm.kv<layers = 2, heads = 2, dim = 32, element = bf16, page = 16, keys = token_dim>
  %o = llm.paged_attention %q, %k1, %l, %batch heads 8 scale 1.767767e-01 window 0 : tensor<?x256xbf16>, !llm.kv<layers = 2, heads = 2, dim = 32, element = bf16, page = 16, keys = token_dim>
  return %o, %k1 : tensor<?x256xbf16>, !llm.kv<layers = 2, heads = 2, dim = 32, element = bf16, page = 16, keys = token_dim>
}

func.func @heads_3_1_of_96_window_17(%q: tensor<?x288xbf16>, %k: tensor<?x96xbf16>, %v: tensor<?x96xbf16>, %batch: !llm.batch, %kv: !llm.kv<layers = 2, heads = 1, dim = 96, element = bf16, page = 16, keys = token_dim>) -> (tensor<?x288xbf16>, !llm.kv<layers = 2, heads = 1, dim = 96, element = bf16, page = 16, keys = token_dim>) {
  %l = arith.constant 1 : index
  %k1 = llm.kv_append %k, %v, %kv, %l, %batch : tensor<?x96xbf16>, tensor<?x96xbf16>, !llm.kv<layers = 2, heads = 1, dim = 96, element = bf16, page = 16, keys = token_dim>
  %o = llm.paged_attention %q, %k1, %l, %batch heads 3 scale 1.020621e-01 window 17 : tensor<?x288xbf16>, !llm.kv<layers = 2, heads = 1, dim = 96, element = bf16, page = 16, keys = token_dim>
  return %o, %k1 : tensor<?x288xbf16>, !llm.kv<layers = 2, heads = 1, dim = 96, element = bf16, page = 16, keys = token_dim>
}

func.func @heads_20_1_of_16_window_0(%q: tensor<?x320xbf16>, %k: tensor<?x16xbf16>, %v: tensor<?x16xbf16>, %batch: !llm.batch, %kv: !llm.kv<layers = 2, heads = 1, dim = 16, element = bf16, page = 16, keys = token_dim>) -> (tensor<?x320xbf16>, !llm.kv<layers = 2, heads = 1, dim = 16, element = bf16, page = 16, keys = token_dim>) {
  %l = arith.constant 1 : index
  %k1 = llm.kv_append %k, %v, %kv, %l, %batch : tensor<?x16xbf16>, tensor<?x16xbf16>, !llm.kv<layers = 2, heads = 1, dim = 16, element = bf16, page = 16, keys = token_dim>
  %o = llm.paged_attention %q, %k1, %l, %batch heads 20 scale 2.500000e-01 window 0 : tensor<?x320xbf16>, !llm.kv<layers = 2, heads = 1, dim = 16, element = bf16, page = 16, keys = token_dim>
  return %o, %k1 : tensor<?x320xbf16>, !llm.kv<layers = 2, heads = 1, dim = 16, element = bf16, page = 16, keys = token_dim>
}

func.func @heads_2_2_of_64_window_65(%q: tensor<?x128xbf16>, %k: tensor<?x128xbf16>, %v: tensor<?x128xbf16>, %batch: !llm.batch, %kv: !llm.kv<layers = 2, heads = 2, dim = 64, element = bf16, page = 16, keys = token_dim>) -> (tensor<?x128xbf16>, !llm.kv<layers = 2, heads = 2, dim = 64, element = bf16, page = 16, keys = token_dim>) {
  %l = arith.constant 1 : index
  %k1 = llm.kv_append %k, %v, %kv, %l, %batch : tensor<?x128xbf16>, tensor<?x128xbf16>, !llm.kv<layers = 2, heads = 2, dim = 64, element = bf16, page = 16, keys = token_dim>
  %o = llm.paged_attention %q, %k1, %l, %batch heads 2 scale 1.250000e-01 window 65 : tensor<?x128xbf16>, !llm.kv<layers = 2, heads = 2, dim = 64, element = bf16, page = 16, keys = token_dim>
  return %o, %k1 : tensor<?x128xbf16>, !llm.kv<layers = 2, heads = 2, dim = 64, element = bf16, page = 16, keys = token_dim>
}

func.func @heads_7_1_of_80_window_0(%q: tensor<?x560xbf16>, %k: tensor<?x80xbf16>, %v: tensor<?x80xbf16>, %batch: !llm.batch, %kv: !llm.kv<layers = 2, heads = 1, dim = 80, element = bf16, page = 16, keys = token_dim>) -> (tensor<?x560xbf16>, !llm.kv<layers = 2, heads = 1, dim = 80, element = bf16, page = 16, keys = token_dim>) {
  %l = arith.constant 1 : index
  %k1 = llm.kv_append %k, %v, %kv, %l, %batch : tensor<?x80xbf16>, tensor<?x80xbf16>, !llm.kv<layers = 2, heads = 1, dim = 80, element = bf16, page = 16, keys = token_dim>
  %o = llm.paged_attention %q, %k1, %l, %batch heads 7 scale 1.118034e-01 window 0 : tensor<?x560xbf16>, !llm.kv<layers = 2, heads = 1, dim = 80, element = bf16, page = 16, keys = token_dim>
  return %o, %k1 : tensor<?x560xbf16>, !llm.kv<layers = 2, heads = 1, dim = 80, element = bf16, page = 16, keys = token_dim>
}
