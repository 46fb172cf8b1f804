// RUN: adze-opt %s --split-input-file --verify-diagnostics

func.func @tokens_differ(%t: tensor<5xi32>, %s: tensor<4xi64>, %d: tensor<?xi32>) {
  // expected-error @below {{c1: position, request and kv_slot have one extent}}
  %0 = llm.make_batch position %t request %t kv_slot %s query_start %d kv_length %d prompt_length %d
      page_start %d pages %d output_row %d
      : tensor<5xi32>, tensor<5xi32>, tensor<4xi64>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>,
        tensor<?xi32>, tensor<?xi32>
  return
}

// -----

func.func @starts_are_as_many_as_requests(%s: tensor<4xi64>, %b: tensor<2xi32>, %d: tensor<?xi32>) {
  // expected-error @below {{c2: kv_length and prompt_length have one extent, query_start and page_start one more}}
  %0 = llm.make_batch position %d request %d kv_slot %s query_start %b kv_length %b prompt_length %b
      page_start %d pages %d output_row %d
      : tensor<?xi32>, tensor<?xi32>, tensor<4xi64>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<?xi32>,
        tensor<?xi32>, tensor<?xi32>
  return
}
