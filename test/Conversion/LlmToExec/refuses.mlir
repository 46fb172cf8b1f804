// RUN: adze-opt %s --split-input-file --convert-llm-to-exec --verify-diagnostics

// expected-error @below {{holds no function @step}}
module @refuses_a_module_without_a_step {
}

// -----

module @refuses_an_op_in_no_group {
  func.func @step(%token: tensor<?xi32>, %x: tensor<?xi32>) -> tensor<?xi32> {
    // expected-error @below {{stands in no group: llm-form-kernels puts every op into an llm.kernel}}
    %y = arith.addi %token, %x : tensor<?xi32>
    return %y : tensor<?xi32>
  }
}

// -----

module @refuses_a_group_without_a_kernel {
  func.func @step(%token: tensor<?xi32>) -> tensor<?xi32> {
    // expected-error @below {{has no kernel: convert-llm-to-tile names one for every group}}
    %y = llm.kernel (%token as %t : tensor<?xi32>) -> (tensor<?xi32>) {
      llm.yield %t : tensor<?xi32>
    }
    return %y : tensor<?xi32>
  }
}

// -----

module @refuses_an_argument_that_no_caller_gives {
  // expected-error @below {{argument 0 of the step has type}}
  func.func @step(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
    return %x : tensor<?x4xf32>
  }
}

// -----

module @refuses_a_step_without_a_body {
  // expected-error @below {{is no straight line of groups: a step has one block}}
  func.func private @step(tensor<?xi32>) -> tensor<?x4xf32>
}

// -----

module @refuses_a_result_that_is_no_activation {
  func.func private @k()
  func.func @step(%token: tensor<?xi32>) -> tensor<?xi32> {
    %l = arith.constant 0 : index
    // expected-error @below {{result 0 has type 'index'; a cache and activations are accepted}}
    %y = llm.kernel (%l as %t : index) -> (index) attributes {kernel = @k} {
      llm.yield %t : index
    }
    return %token : tensor<?xi32>
  }
}

// -----

!kv = !llm.kv<layers = 1, heads = 1, dim = 4, element = bf16, page = 16, keys = token_dim>
module @refuses_runs_without_a_kernel_for_them {
  func.func private @embed()
  func.func private @attend()
  func.func @step(%token: tensor<?xi32>, %batch: !llm.batch, %kv: !kv) -> tensor<?x8xbf16> {
    %layer = arith.constant 0 : index
    %x = llm.kernel family "embedding" (%token as %t : tensor<?xi32>) -> (tensor<?x8xbf16>) attributes {kernel = @embed, rows = "T"} {
      %c = arith.constant dense<0.0> : tensor<6x8xbf16>
      %y = llm.embedding %t, %c : tensor<?xi32>, tensor<6x8xbf16> -> tensor<?x8xbf16>
      llm.yield %y : tensor<?x8xbf16>
    }
    // expected-error @below {{folds attention in runs and names no kernel for them in `partials`: convert-llm-to-tile does}}
    %y = llm.kernel family "paged_attention" (%x as %q, %kv as %c, %layer as %l, %batch as %b
        : tensor<?x8xbf16>, !kv, index, !llm.batch) -> (tensor<?x8xbf16>)
        attributes {kernel = @attend, rows = "T", matrix_rows = 16 : i64, kv_split = 256 : i64} {
      %o = llm.paged_attention %q, %c, %l, %b heads 2 scale 0.5 window 0 : tensor<?x8xbf16>, !kv
      llm.yield %o : tensor<?x8xbf16>
    }
    return %y : tensor<?x8xbf16>
  }
}
