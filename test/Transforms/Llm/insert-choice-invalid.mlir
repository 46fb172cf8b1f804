// RUN: adze-opt %s --split-input-file --llm-insert-choice=target=sm_80 --verify-diagnostics

// expected-error @below {{the module's attribute 'llm.model' says legal_tokens = 105 : i64; 1 to 104, the columns of the logits, are accepted}}
module @refuses_more_legal_tokens_than_columns attributes {llm.model = {legal_tokens = 105}} {
  func.func @step(%x: tensor<?x104xf32>) -> tensor<?x104xf32> {
    return %x : tensor<?x104xf32>
  }
}

// -----

// expected-error @below {{says legal_tokens = "all"; 1 to 104}}
module @refuses_a_number_that_is_none attributes {llm.model = {legal_tokens = "all"}} {
  func.func @step(%x: tensor<?x104xf32>) -> tensor<?x104xf32> {
    return %x : tensor<?x104xf32>
  }
}
