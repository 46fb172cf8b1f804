// Kernels of rows for each GPU, thread by thread on its model: norms of one chunk and of several, of odd widths, groups
// quantized, elementwise work, columns and rows that are copied, embeddings, best tokens, rotations and the cache.
//
// RUN: kernel-check %s --numerics=none --target=sm_80
// RUN: kernel-check %s --numerics=none --target=sm_89 --batch=1:1:1
// RUN: kernel-check %s --numerics=none --target=sm_90a --rules=none

llm.weight @row : tensor<203xf32> {
  %0 = arith.constant dense<1.0> : tensor<203xf32>
  llm.yield %0 : tensor<203xf32>
}
llm.weight @wide : tensor<2112xf32> {
  %0 = arith.constant dense<1.0> : tensor<2112xf32>
  llm.yield %0 : tensor<2112xf32>
}
llm.weight @frequency_40 : tensor<40xf32> {
  %0 = arith.constant dense<1.0> : tensor<40xf32>
  llm.yield %0 : tensor<40xf32>
}
llm.weight @frequency_48 : tensor<48xf32> {
  %0 = arith.constant dense<1.0> : tensor<48xf32>
  llm.yield %0 : tensor<48xf32>
}
llm.weight @frequency_56 : tensor<56xf32> {
  %0 = arith.constant dense<1.0> : tensor<56xf32>
  llm.yield %0 : tensor<56xf32>
}
llm.weight @table : tensor<50x96xbf16> {
  %0 = arith.constant dense<1.0> : tensor<50x96xbf16>
  llm.yield %0 : tensor<50x96xbf16>
}

func.func @norms_rows_of_an_odd_width(%x: tensor<?x203xf32>) -> tensor<?x203xf32> {
  %w = llm.get_weight @row : tensor<203xf32>
  %y = llm.rms_norm %x, %w epsilon 1.0e-05 : tensor<?x203xf32>, tensor<203xf32>
  return %y : tensor<?x203xf32>
}

func.func @norms_rows_of_several_chunks(%x: tensor<?x2112xbf16>) -> tensor<?x2112xbf16> {
  %w = llm.get_weight @wide : tensor<2112xf32>
  %y = llm.rms_norm %x, %w epsilon 1.0e-05 : tensor<?x2112xbf16>, tensor<2112xf32>
  return %y : tensor<?x2112xbf16>
}

func.func @quantizes_rows_whole(%x: tensor<?x203xf32>) -> (tensor<?x203xi8>, tensor<?x1xf32>, tensor<?x1xi32>) {
  %q, %s, %u = llm.quantize %x group 0 : tensor<?x203xf32> -> tensor<?x203xi8>, tensor<?x1xf32>, tensor<?x1xi32>
  return %q, %s, %u : tensor<?x203xi8>, tensor<?x1xf32>, tensor<?x1xi32>
}

func.func @quantizes_groups_of_bf16(%x: tensor<?x96xbf16>) -> (tensor<?x96xi8>, tensor<?x3xf32>, tensor<?x3xi32>) {
  %q, %s, %u = llm.quantize %x group 32 : tensor<?x96xbf16> -> tensor<?x96xi8>, tensor<?x3xf32>, tensor<?x3xi32>
  return %q, %s, %u : tensor<?x96xi8>, tensor<?x3xf32>, tensor<?x3xi32>
}

func.func @activates_and_adds(%x: tensor<?x70xbf16>, %y: tensor<?x70xbf16>) -> tensor<?x70xbf16> {
  %a = llm.silu %x : tensor<?x70xbf16>
  %b = llm.mul %a, %y : tensor<?x70xbf16>
  %c = llm.add %b, %x : tensor<?x70xbf16>
  return %c : tensor<?x70xbf16>
}

func.func @copies_columns_and_rows(%x: tensor<?x96xbf16>, %batch: !llm.batch) -> (tensor<?x33xbf16>, tensor<?x96xbf16>) {
  %s = llm.slice_columns %x offset 31 size 33 : tensor<?x96xbf16> -> tensor<?x33xbf16>
  %g = llm.gather_rows %x, %batch : tensor<?x96xbf16> -> tensor<?x96xbf16>
  return %s, %g : tensor<?x33xbf16>, tensor<?x96xbf16>
}

func.func @takes_rows_of_a_table(%token: tensor<?xi32>) -> tensor<?x96xf32> {
  %t = llm.get_weight @table : tensor<50x96xbf16>
  %y = llm.embedding %token, %t : tensor<?xi32>, tensor<50x96xbf16> -> tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}

// A vocabulary of two stretches and a piece, of which the last ids are padding.
func.func @chooses_the_best_token(%x: tensor<?x17000xf32>) -> tensor<?x1xi32> {
  %y = llm.best_token %x legal 16999 : tensor<?x17000xf32> -> tensor<?x1xi32>
  return %y : tensor<?x1xi32>
}

// Half a head of 80, 96 or 112 is no power of two: it is cut into some.
func.func @rotates_and_appends_heads_of_80(%q: tensor<?x160xf32>, %k: tensor<?x80xf32>, %v: tensor<?x80xf32>, %batch: !llm.batch, %kv: !llm.kv<layers = 1, heads = 1, dim = 80, element = f32, page = 16, keys = token_dim>) -> (tensor<?x160xf32>, !llm.kv<layers = 1, heads = 1, dim = 80, element = f32, page = 16, keys = token_dim>) {
  %l = arith.constant 0 : index
  %f = llm.get_weight @frequency_40 : tensor<40xf32>
  %qr = llm.rope %q, %f, %batch head_dim 80 attention_factor 1.0 : tensor<?x160xf32>, tensor<40xf32>
  %kr = llm.rope %k, %f, %batch head_dim 80 attention_factor 1.0 : tensor<?x80xf32>, tensor<40xf32>
  %k1 = llm.kv_append %kr, %v, %kv, %l, %batch : tensor<?x80xf32>, tensor<?x80xf32>, !llm.kv<layers = 1, heads = 1, dim = 80, element = f32, page = 16, keys = token_dim>
  return %qr, %k1 : tensor<?x160xf32>, !llm.kv<layers = 1, heads = 1, dim = 80, element = f32, page = 16, keys = token_dim>
}

func.func @rotates_and_appends_heads_of_96(%q: tensor<?x192xbf16>, %k: tensor<?x96xbf16>, %v: tensor<?x96xbf16>, %batch: !llm.batch, %kv: !llm.kv<layers = 1, heads = 1, dim = 96, element = bf16, page = 16, keys = token_dim>) -> (tensor<?x192xbf16>, !llm.kv<layers = 1, heads = 1, dim = 96, element = bf16, page = 16, keys = token_dim>) {
  %l = arith.constant 0 : index
  %f = llm.get_weight @frequency_48 : tensor<48xf32>
  %qr = llm.rope %q, %f, %batch head_dim 96 attention_factor 1.0 : tensor<?x192xbf16>, tensor<48xf32>
  %kr = llm.rope %k, %f, %batch head_dim 96 attention_factor 1.0 : tensor<?x96xbf16>, tensor<48xf32>
  %k1 = llm.kv_append %kr, %v, %kv, %l, %batch : tensor<?x96xbf16>, tensor<?x96xbf16>, !llm.kv<layers = 1, heads = 1, dim = 96, element = bf16, page = 16, keys = token_dim>
  return %qr, %k1 : tensor<?x192xbf16>, !llm.kv<layers = 1, heads = 1, dim = 96, element = bf16, page = 16, keys = token_dim>
}

func.func @rotates_and_appends_heads_of_112(%q: tensor<?x224xf32>, %k: tensor<?x112xf32>, %v: tensor<?x112xf32>, %batch: !llm.batch, %kv: !llm.kv<layers = 1, heads = 1, dim = 112, element = f32, page = 16, keys = token_dim>) -> (tensor<?x224xf32>, !llm.kv<layers = 1, heads = 1, dim = 112, element = f32, page = 16, keys = token_dim>) {
  %l = arith.constant 0 : index
  %f = llm.get_weight @frequency_56 : tensor<56xf32>
  %qr = llm.rope %q, %f, %batch head_dim 112 attention_factor 1.0 : tensor<?x224xf32>, tensor<56xf32>
  %kr = llm.rope %k, %f, %batch head_dim 112 attention_factor 1.0 : tensor<?x112xf32>, tensor<56xf32>
  %k1 = llm.kv_append %kr, %v, %kv, %l, %batch : tensor<?x112xf32>, tensor<?x112xf32>, !llm.kv<layers = 1, heads = 1, dim = 112, element = f32, page = 16, keys = token_dim>
  return %qr, %k1 : tensor<?x224xf32>, !llm.kv<layers = 1, heads = 1, dim = 112, element = f32, page = 16, keys = token_dim>
}
