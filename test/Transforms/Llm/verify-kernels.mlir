// RUN: adze-opt %s --llm-verify-kernels --split-input-file --verify-diagnostics

func.func @names_an_op_outside(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-error @below {{stands outside a kernel at the end of phase llm}}
  %y = llm.silu %x : tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

func.func @asks_for_a_family(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-error @below {{has no family; llm-form-kernels sets it}}
  %y = llm.kernel (%x as %a : tensor<?x64xf32>) -> (tensor<?x64xf32>) {
    %0 = llm.silu %a : tensor<?x64xf32>
    llm.yield %0 : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

func.func @asks_for_rows(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-error @below {{needs the attribute rows}}
  %y = llm.kernel family "elementwise" (%x as %a : tensor<?x64xf32>) -> (tensor<?x64xf32>) {
    %0 = llm.silu %a : tensor<?x64xf32>
    llm.yield %0 : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

func.func @states_the_operand_order(%x: tensor<?x64xf32>, %batch: !llm.batch) -> tensor<?x64xf32> {
  // expected-error @below {{has operand 1 of type 'tensor<?x64xf32>' out of order; the order is activations, weights, batch, cache, layer}}
  %y = llm.kernel family "gather_rows" (%batch as %b, %x as %a : !llm.batch, tensor<?x64xf32>) -> (tensor<?x64xf32>)
      attributes {rows = "R"} {
    %0 = llm.gather_rows %a, %b : tensor<?x64xf32> -> tensor<?x64xf32>
    llm.yield %0 : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

!kv = !llm.kv<layers = 1, heads = 1, dim = 16, element = f32, page = 16, keys = dim_token>
func.func @refuses_a_reader_of_an_old_cache(%k: tensor<?x16xf32>, %batch: !llm.batch, %kv: !kv) -> (!kv, !kv) {
  %l = arith.constant 0 : index
  // expected-note @below {{written here}}
  %a = llm.kernel family "rope_append" (%k as %x, %batch as %b, %kv as %c, %l as %i : tensor<?x16xf32>, !llm.batch, !kv, index)
      -> (!kv) attributes {rows = "T"} {
    %0 = llm.kv_append %x, %x, %c, %i, %b : tensor<?x16xf32>, tensor<?x16xf32>, !kv
    llm.yield %0 : !kv
  }
  // expected-error @below {{reads a cache that an earlier kernel has written in place}}
  %d = llm.kernel family "rope_append" (%k as %x, %batch as %b, %kv as %c, %l as %i : tensor<?x16xf32>, !llm.batch, !kv, index)
      -> (!kv) attributes {rows = "T"} {
    %0 = llm.kv_append %x, %x, %c, %i, %b : tensor<?x16xf32>, tensor<?x16xf32>, !kv
    llm.yield %0 : !kv
  }
  return %a, %d : !kv, !kv
}
