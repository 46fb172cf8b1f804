// Attention in runs of 64 positions. After a prompt: one token, whose runs are partial results that a second kernel joins, by
// fours and one by one; several tokens, which a block folds run by run; and both sides of a prompt's end in one chunk.
// Each token has the bits that it has in a step of its own.
//
// RUN: kernel-check %s --numerics=none --target=sm_80 --rows=16 --split=64 --each-alone --batch=1:330:5,3:150:20,4:130:128,0:0:0,1:64:64,1:65:64
// RUN: kernel-check %s --numerics=none --rows=16 --split=64 --each-alone --batch=1:330:5,3:150:20,4:130:128,0:0:0,1:64:64,1:65:64
//
// In pages of 64 tokens, of which one is a run.
// RUN: sed 's/page = 16/page = 64/g' %s > %t.64.mlir
// RUN: kernel-check %t.64.mlir --numerics=none --target=sm_90a --rows=16 --split=64 --each-alone --batch=1:200:5,2:70:64

func.func @heads_8_2_of_32_window_0(%q: tensor<?x256xbf16>, %k: tensor<?x64xbf16>, %v: tensor<?x64xbf16>, %batch: !llm.batch, %kv: !llm.kv<layers = 2, heads = 2, dim = 32, element = bf16, page = 16, keys = token_dim>) -> (tensor<?x256xbf16>, !llm.kv<layers = 2, heads = 2, dim = 32, element = bf16, page = 16, keys = token_dim>) {
  %l = arith.constant 1 : index
  %k1 = llm.kv_append %k, %v, %kv, %l, %batch : tensor<?x64xbf16>, tensor<?x64xbf16>, !llm.kv<layers = 2, heads = 2, dim = 32, element = bf16, page = 16, keys = token_dim>
  %o = llm.paged_attention %q, %k1, %l, %batch heads 8 scale 1.767767e-01 window 0 : tensor<?x256xbf16>, !llm.kv<layers = 2, heads = 2, dim = 32, element = bf16, page = 16, keys = token_dim>
  return %o, %k1 : tensor<?x256xbf16>, !llm.kv<layers = 2, heads = 2, dim = 32, element = bf16, page = 16, keys = token_dim>
}

func.func @heads_3_1_of_48_window_100(%q: tensor<?x144xbf16>, %k: tensor<?x48xbf16>, %v: tensor<?x48xbf16>, %batch: !llm.batch, %kv: !llm.kv<layers = 2, heads = 1, dim = 48, element = bf16, page = 16, keys = token_dim>) -> (tensor<?x144xbf16>, !llm.kv<layers = 2, heads = 1, dim = 48, element = bf16, page = 16, keys = token_dim>) {
  %l = arith.constant 1 : index
  %k1 = llm.kv_append %k, %v, %kv, %l, %batch : tensor<?x48xbf16>, tensor<?x48xbf16>, !llm.kv<layers = 2, heads = 1, dim = 48, element = bf16, page = 16, keys = token_dim>
  %o = llm.paged_attention %q, %k1, %l, %batch heads 3 scale 1.443376e-01 window 100 : tensor<?x144xbf16>, !llm.kv<layers = 2, heads = 1, dim = 48, element = bf16, page = 16, keys = token_dim>
  return %o, %k1 : tensor<?x144xbf16>, !llm.kv<layers = 2, heads = 1, dim = 48, element = bf16, page = 16, keys = token_dim>
}

func.func @heads_9_1_of_16_window_0(%q: tensor<?x144xbf16>, %k: tensor<?x16xbf16>, %v: tensor<?x16xbf16>, %batch: !llm.batch, %kv: !llm.kv<layers = 2, heads = 1, dim = 16, element = bf16, page = 16, keys = token_dim>) -> (tensor<?x144xbf16>, !llm.kv<layers = 2, heads = 1, dim = 16, element = bf16, page = 16, keys = token_dim>) {
  %l = arith.constant 1 : index
  %k1 = llm.kv_append %k, %v, %kv, %l, %batch : tensor<?x16xbf16>, tensor<?x16xbf16>, !llm.kv<layers = 2, heads = 1, dim = 16, element = bf16, page = 16, keys = token_dim>
  %o = llm.paged_attention %q, %k1, %l, %batch heads 9 scale 2.500000e-01 window 0 : tensor<?x144xbf16>, !llm.kv<layers = 2, heads = 1, dim = 16, element = bf16, page = 16, keys = token_dim>
  return %o, %k1 : tensor<?x144xbf16>, !llm.kv<layers = 2, heads = 1, dim = 16, element = bf16, page = 16, keys = token_dim>
}
