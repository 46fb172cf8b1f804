// RUN: adze-opt %s | adze-opt | FileCheck %s

// CHECK-LABEL: @batch_of_two_requests
func.func @batch_of_two_requests(%t: tensor<5xi32>, %s: tensor<5xi64>, %start: tensor<3xi32>, %b: tensor<2xi32>,
                                 %pages: tensor<?xi32>) -> !llm.batch {
  // CHECK: llm.make_batch position %{{[^ ]*}} request %{{[^ ]*}} kv_slot %{{[^ ]*}} query_start %{{[^ ]*}} kv_length %{{[^ ]*}}
  // CHECK-SAME: prompt_length %{{[^ ]*}} page_start %{{[^ ]*}} pages %{{[^ ]*}} output_row %{{[^ ]*}} :
  %0 = llm.make_batch position %t request %t kv_slot %s query_start %start kv_length %b prompt_length %b
      page_start %start pages %pages output_row %b
      : tensor<5xi32>, tensor<5xi32>, tensor<5xi64>, tensor<3xi32>, tensor<2xi32>, tensor<2xi32>, tensor<3xi32>,
        tensor<?xi32>, tensor<2xi32>
  return %0 : !llm.batch
}

// CHECK-LABEL: @extents_may_be_dynamic
func.func @extents_may_be_dynamic(%t: tensor<?xi32>, %s: tensor<?xi64>) -> !llm.batch {
  // CHECK: llm.make_batch
  %0 = llm.make_batch position %t request %t kv_slot %s query_start %t kv_length %t prompt_length %t
      page_start %t pages %t output_row %t
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>,
        tensor<?xi32>, tensor<?xi32>
  return %0 : !llm.batch
}
