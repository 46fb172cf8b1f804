// RUN: adze-opt %s --convert-llm-to-tile --split-input-file --verify-diagnostics

// Groups that no rule makes and that a person may write. Each is refused by the op that cannot be built.

func.func @a_norm_in_the_kernel_of_a_product(%x: tensor<?x64xf32>, %w: tensor<64x64xf32>, %n: tensor<64xf32>) -> tensor<?x64xf32> {
  %y = llm.kernel family "linear" (%x as %a, %w as %b, %n as %c : tensor<?x64xf32>, tensor<64x64xf32>, tensor<64xf32>)
      -> (tensor<?x64xf32>) attributes {rows = "T"} {
    // expected-error @below {{a kernel of this family has no builder for it; give it a kernel of its own}}
    %0 = llm.rms_norm %a, %c epsilon 1.0e-05 : tensor<?x64xf32>, tensor<64xf32>
    %1 = llm.linear %0, %b : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    llm.yield %1 : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

func.func @gathered_rows_in_the_kernel_of_a_product(%x: tensor<?x64xf32>, %w: tensor<64x64xf32>, %t: !llm.batch) -> tensor<?x64xf32> {
  %y = llm.kernel family "linear" (%x as %a, %w as %b, %t as %c : tensor<?x64xf32>, tensor<64x64xf32>, !llm.batch)
      -> (tensor<?x64xf32>) attributes {rows = "R"} {
    // expected-error @below {{a kernel of this family has no builder for it}}
    %0 = llm.gather_rows %a, %c : tensor<?x64xf32> -> tensor<?x64xf32>
    %1 = llm.linear %0, %b : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    llm.yield %1 : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

func.func @a_weight_that_the_kernel_makes(%w: tensor<64x64xf32>, %x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %y = llm.kernel family "linear" (%x as %a, %w as %b : tensor<?x64xf32>, tensor<64x64xf32>) -> (tensor<?x64xf32>)
      attributes {rows = "T"} {
    %0 = llm.silu %b : tensor<64x64xf32>
    // expected-error @below {{it reads a weight, a table or tokens that the same kernel makes}}
    %1 = llm.linear %a, %0 : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    llm.yield %1 : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

func.func @groups_of_a_size_that_fills_the_registers(%x: tensor<?x2048xf32>, %c: tensor<8x2048xi8>, %s: tensor<8x1xf16>) -> tensor<?x8xf32> {
  %y = llm.kernel family "linear" (%x as %a, %c as %b, %s as %d : tensor<?x2048xf32>, tensor<8x2048xi8>, tensor<8x1xf16>)
      -> (tensor<?x8xf32>) attributes {rows = "T"} {
    // expected-error @below {{groups of 2048 columns; up to 1024 are accepted}}
    %0 = llm.quantized_linear %a, %b, %d scheme symmetric group 2048
        : (tensor<?x2048xf32>, tensor<8x2048xi8>, tensor<8x1xf16>) -> tensor<?x8xf32>
    llm.yield %0 : tensor<?x8xf32>
  }
  return %y : tensor<?x8xf32>
}

// -----

func.func @groups_of_two_sizes(%x: tensor<?x64xf32>) -> (tensor<?x64xi8>, tensor<?x64xi8>) {
  %y:2 = llm.kernel family "quantize" (%x as %a : tensor<?x64xf32>) -> (tensor<?x64xi8>, tensor<?x64xi8>)
      attributes {rows = "T"} {
    %q, %s, %u = llm.quantize %a group 32 : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xi32>
    // expected-error @below {{groups of 16 and of 32 columns in one kernel}}
    %r, %t, %v = llm.quantize %a group 16 : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x4xf32>, tensor<?x4xi32>
    llm.yield %q, %r : tensor<?x64xi8>, tensor<?x64xi8>
  }
  return %y#0, %y#1 : tensor<?x64xi8>, tensor<?x64xi8>
}

// -----

func.func @results_of_two_widths(%x: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x32xf32>) {
  // expected-error @below {{results of 64 and of 32 columns in one kernel}}
  %y:2 = llm.kernel family "elementwise" (%x as %a : tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x32xf32>)
      attributes {rows = "T"} {
    %0 = llm.silu %a : tensor<?x64xf32>
    %1 = llm.slice_columns %a offset 0 size 32 : tensor<?x64xf32> -> tensor<?x32xf32>
    llm.yield %0, %1 : tensor<?x64xf32>, tensor<?x32xf32>
  }
  return %y#0, %y#1 : tensor<?x64xf32>, tensor<?x32xf32>
}

// -----

func.func @columns_of_what_the_kernel_makes(%x: tensor<?x64xf32>) -> tensor<?x32xf32> {
  %y = llm.kernel family "elementwise" (%x as %a : tensor<?x64xf32>) -> (tensor<?x32xf32>) attributes {rows = "T"} {
    %0 = llm.silu %a : tensor<?x64xf32>
    // expected-error @below {{its input is made by the same kernel}}
    %1 = llm.slice_columns %0 offset 8 size 32 : tensor<?x64xf32> -> tensor<?x32xf32>
    llm.yield %1 : tensor<?x32xf32>
  }
  return %y : tensor<?x32xf32>
}

// -----

!kv = !llm.kv<layers = 1, heads = 1, dim = 16, element = f32, page = 16, keys = dim_token>
func.func @heads_of_two_widths(%k: tensor<?x16xf32>, %f: tensor<4xf32>, %b: !llm.batch, %kv: !kv, %l: index) -> !kv {
  %y = llm.kernel family "rope_append" (%k as %a, %f as %g, %b as %c, %kv as %d, %l as %e
      : tensor<?x16xf32>, tensor<4xf32>, !llm.batch, !kv, index) -> (!kv) attributes {rows = "T"} {
    %0 = llm.rope %a, %g, %c head_dim 8 attention_factor 1.0 : tensor<?x16xf32>, tensor<4xf32>
    // expected-error @below {{heads of 16 and of 8 columns in one kernel}}
    %1 = llm.kv_append %0, %a, %d, %e, %c : tensor<?x16xf32>, tensor<?x16xf32>, !kv
    llm.yield %1 : !kv
  }
  return %y : !kv
}

// -----

!kv = !llm.kv<layers = 1, heads = 1, dim = 16, element = f32, page = 16, keys = dim_token>
func.func @a_cache_that_is_handed_on(%k: tensor<?x16xf32>, %b: !llm.batch, %kv: !kv, %l: index) -> !kv {
  // expected-error @below {{a cache that it gives is one that it appends to}}
  %y = llm.kernel family "rope_append" (%k as %a, %b as %c, %kv as %d, %l as %e : tensor<?x16xf32>, !llm.batch, !kv, index)
      -> (!kv) attributes {rows = "T"} {
    %1 = llm.kv_append %a, %a, %d, %e, %c : tensor<?x16xf32>, tensor<?x16xf32>, !kv
    llm.yield %d : !kv
  }
  return %y : !kv
}

// -----

func.func @a_vector_as_a_result(%x: tensor<?xi32>) -> tensor<?xi32> {
  // expected-error @below {{results are activations with a static number of columns, found 'tensor<?xi32>'}}
  %y = llm.kernel family "elementwise" (%x as %a : tensor<?xi32>) -> (tensor<?xi32>) attributes {rows = "T"} {
    llm.yield %a : tensor<?xi32>
  }
  return %y : tensor<?xi32>
}

// -----

func.func @a_cast_of_a_vector(%x: tensor<64xf32>) -> tensor<64xbf16> {
  %y = llm.kernel family "elementwise" (%x as %a : tensor<64xf32>) -> (tensor<64xbf16>) attributes {rows = "T"} {
    // expected-error @below {{an activation has rows and a static number of columns, found 'tensor<64xbf16>'}}
    %0 = arith.truncf %a : tensor<64xf32> to tensor<64xbf16>
    llm.yield %0 : tensor<64xbf16>
  }
  return %y : tensor<64xbf16>
}

// -----

func.func @a_scale_that_the_kernel_reads(%x: tensor<?x64xf32>) -> tensor<?x2xf32> {
  %y = llm.kernel family "quantize" (%x as %a : tensor<?x64xf32>) -> (tensor<?x2xf32>) attributes {rows = "T"} {
    %q, %s, %u = llm.quantize %a group 32 : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xi32>
    // expected-error @below {{it reads the scale or sum of a quantization of the same kernel}}
    %0 = llm.silu %s : tensor<?x2xf32>
    llm.yield %0 : tensor<?x2xf32>
  }
  return %y : tensor<?x2xf32>
}

// -----

!kv = !llm.kv<layers = 1, heads = 1, dim = 256, element = f32, page = 16, keys = dim_token>
func.func @more_query_heads_than_a_tile_holds(%q: tensor<?x65792xf32>, %b: !llm.batch, %kv: !kv, %l: index) -> tensor<?x65792xf32> {
  %y = llm.kernel family "paged_attention" (%q as %a, %b as %c, %kv as %d, %l as %e
      : tensor<?x65792xf32>, !llm.batch, !kv, index) -> (tensor<?x65792xf32>) attributes {rows = "T"} {
    // expected-error @below {{257 query heads of 256 columns read one head of the cache; up to 256 are accepted}}
    %0 = llm.paged_attention %a, %d, %e, %c heads 257 scale 1.0 window 0 : tensor<?x65792xf32>, !kv
    llm.yield %0 : tensor<?x65792xf32>
  }
  return %y : tensor<?x65792xf32>
}

// -----

func.func @logits_that_the_kernel_makes(%x: tensor<?x64xf32>) -> tensor<?x1xi32> {
  %y = llm.kernel family "best_token" (%x as %a : tensor<?x64xf32>) -> (tensor<?x1xi32>) attributes {rows = "T"} {
    %0 = llm.silu %a : tensor<?x64xf32>
    // expected-error @below {{its logits are made by the same kernel}}
    %1 = llm.best_token %0 legal 64 : tensor<?x64xf32> -> tensor<?x1xi32>
    llm.yield %1 : tensor<?x1xi32>
  }
  return %y : tensor<?x1xi32>
}

// -----

func.func @a_choice_in_the_kernel_of_a_product(%x: tensor<?x64xf32>, %w: tensor<64x64xf32>) -> (tensor<?x64xf32>, tensor<?x1xi32>) {
  %y:2 = llm.kernel family "linear" (%x as %a, %w as %b : tensor<?x64xf32>, tensor<64x64xf32>)
      -> (tensor<?x64xf32>, tensor<?x1xi32>) attributes {rows = "T"} {
    %0 = llm.linear %a, %b : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    // expected-error @below {{a kernel of this family has no builder for it; give it a kernel of its own}}
    %1 = llm.best_token %a legal 64 : tensor<?x64xf32> -> tensor<?x1xi32>
    llm.yield %0, %1 : tensor<?x64xf32>, tensor<?x1xi32>
  }
  return %y#0, %y#1 : tensor<?x64xf32>, tensor<?x1xi32>
}

// -----

func.func @a_stretch_that_fills_the_registers(%x: tensor<?x16384xf32>) -> tensor<?x1xi32> {
  // expected-error @below {{sizes up to 8192 are accepted}}
  %y = llm.kernel family "best_token" (%x as %a : tensor<?x16384xf32>) -> (tensor<?x1xi32>) attributes {rows = "T",
      schedule = #llm.schedule<tokens = 1, columns = 16384, depth = 16384, sums = invariant>} {
    %0 = llm.best_token %a legal 64 : tensor<?x16384xf32> -> tensor<?x1xi32>
    llm.yield %0 : tensor<?x1xi32>
  }
  return %y : tensor<?x1xi32>
}
