// RUN: adze-opt %s --split-input-file --verify-diagnostics

!kv = !llm.kv<layers = 2, heads = 1, dim = 32, element = f32, page = 64, keys = token_dim>
func.func @key_is_narrow(%k: tensor<?x16xf32>, %kv: !kv, %layer: index, %batch: !llm.batch) {
  // expected-error @below {{c1: key and value have the cache's 32 columns and the same rows}}
  %0 = llm.kv_append %k, %k, %kv, %layer, %batch : tensor<?x16xf32>, tensor<?x16xf32>, !kv
  return
}

// -----

!kv = !llm.kv<layers = 2, heads = 1, dim = 32, element = bf16, page = 64, keys = token_dim>
func.func @key_is_wider_than_the_cache(%k: tensor<?x32xf32>, %kv: !kv, %layer: index, %batch: !llm.batch) {
  // expected-error @below {{c2: key and value have the cache's element type 'bf16'}}
  %0 = llm.kv_append %k, %k, %kv, %layer, %batch : tensor<?x32xf32>, tensor<?x32xf32>, !kv
  return
}

// -----

!kv = !llm.kv<layers = 2, heads = 1, dim = 32, element = f32, page = 64, keys = token_dim>
func.func @append_to_a_layer_too_many(%k: tensor<?x32xf32>, %kv: !kv, %batch: !llm.batch) {
  %layer = arith.constant 2 : index
  // expected-error @below {{c3: the layer is below the cache's 2 layers, found 2}}
  %0 = llm.kv_append %k, %k, %kv, %layer, %batch : tensor<?x32xf32>, tensor<?x32xf32>, !kv
  return
}

// -----

!kv = !llm.kv<layers = 2, heads = 2, dim = 32, element = f32, page = 64, keys = token_dim>
func.func @heads_do_not_divide(%q: tensor<?x96xf32>, %kv: !kv, %layer: index, %batch: !llm.batch) {
  // expected-error @below {{c1: heads are a multiple of the cache's 2 and at most 65536, found 3}}
  %0 = llm.paged_attention %q, %kv, %layer, %batch heads 3 scale 1.0 window 0 : tensor<?x96xf32>, !kv
  return
}

// -----

!kv = !llm.kv<layers = 2, heads = 1, dim = 32, element = f32, page = 64, keys = token_dim>
func.func @query_is_narrow(%q: tensor<?x64xf32>, %kv: !kv, %layer: index, %batch: !llm.batch) {
  // expected-error @below {{c2: the query has 96 columns, found 'tensor<?x64xf32>'}}
  %0 = llm.paged_attention %q, %kv, %layer, %batch heads 3 scale 1.0 window 0 : tensor<?x64xf32>, !kv
  return
}

// -----

!kv = !llm.kv<layers = 2, heads = 1, dim = 32, element = f32, page = 64, keys = token_dim>
func.func @window_is_negative(%q: tensor<?x32xf32>, %kv: !kv, %layer: index, %batch: !llm.batch) {
  // expected-error @below {{c3: the window is not negative, found -1}}
  %0 = llm.paged_attention %q, %kv, %layer, %batch heads 1 scale 1.0 window -1 : tensor<?x32xf32>, !kv
  return
}

// -----

!kv = !llm.kv<layers = 2, heads = 1, dim = 32, element = f32, page = 64, keys = token_dim>
func.func @scale_is_infinite(%q: tensor<?x32xf32>, %kv: !kv, %layer: index, %batch: !llm.batch) {
  // expected-error @below {{c4: the scale is finite}}
  %0 = llm.paged_attention %q, %kv, %layer, %batch heads 1 scale 0x7F800000 window 0 : tensor<?x32xf32>, !kv
  return
}

// -----

!kv = !llm.kv<layers = 2, heads = 1, dim = 32, element = f32, page = 64, keys = token_dim>
func.func @attention_in_a_layer_too_many(%q: tensor<?x32xf32>, %kv: !kv, %batch: !llm.batch) {
  %layer = arith.constant 7 : index
  // expected-error @below {{c5: the layer is below the cache's 2 layers, found 7}}
  %0 = llm.paged_attention %q, %kv, %layer, %batch heads 1 scale 1.0 window 0 : tensor<?x32xf32>, !kv
  return
}
