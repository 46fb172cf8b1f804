// RUN: adze-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{layers, heads and dim of !llm.kv must be positive}}
func.func private @f(!llm.kv<layers = 0, heads = 3, dim = 64, element = f32, page = 64, keys = token_dim>)

// -----

// expected-error @below {{a page of !llm.kv holds 16, 32 or 64 tokens, found 48}}
func.func private @f(!llm.kv<layers = 1, heads = 3, dim = 64, element = f32, page = 48, keys = token_dim>)

// -----

// expected-error @below {{the element of !llm.kv must be f32, f16 or bf16, found 'i8'}}
func.func private @f(!llm.kv<layers = 1, heads = 3, dim = 64, element = i8, page = 64, keys = token_dim>)

// -----

// expected-error @below {{extents of a block are powers of two up to 2^20, found 3}}
func.func private @f(tensor<8x8xf32, #llm.packed<[3, 1], "r1">>)

// -----

// expected-error @below {{the map lacks the word 'c1'}}
func.func private @f(tensor<8x8xf32, #llm.packed<[2, 2], "r1">>)

// -----

// expected-error @below {{word 'r1' of the map is twice there or no step inside the block}}
func.func private @f(tensor<8x8xf32, #llm.packed<[2, 2], "r1 r1">>)

// -----

// expected-error @below {{word 'c2' of the map is twice there or no step inside the block}}
func.func private @f(tensor<8x8xf32, #llm.packed<[2, 2], "r1 c1 c2">>)

// -----

// expected-error @below {{the block has 2 extents, the tensor 1}}
func.func private @f(tensor<8xf32, #llm.packed<[2, 2], "r1 c1">>)

// -----

// expected-error @below {{a packed tensor has a static shape}}
func.func private @f(tensor<?x8xf32, #llm.packed<[2, 2], "r1 c1">>)

// -----

// expected-error @below {{layers, heads and dim of !llm.kv are at most 4096, found 4097}}
func.func private @too_many_layers(!llm.kv<layers = 4097, heads = 1, dim = 16, element = f32, page = 16, keys = token_dim>)

// -----

func.func @extents_are_bounded(%x: tensor<?x2147483649xf32>) {
  // expected-error @below {{has a tensor of type 'tensor<?x2147483649xf32>'; extents up to 2^31 and 2^40 elements in all are accepted}}
  %0 = llm.silu %x : tensor<?x2147483649xf32>
  return
}

// -----

func.func @elements_are_bounded(%x: tensor<2097152x1048576xf32>) {
  // expected-error @below {{extents up to 2^31 and 2^40 elements in all are accepted}}
  %0 = llm.silu %x : tensor<2097152x1048576xf32>
  return
}
