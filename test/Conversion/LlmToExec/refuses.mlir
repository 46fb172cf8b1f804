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
