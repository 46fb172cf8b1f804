// RUN: not adze-evaluate %s 2>&1 | FileCheck %s
// What the evaluator refuses: indices out of range and extents that contradict each other, with the op's name.

!kv = !llm.kv<layers = 1, heads = 1, dim = 2, element = f32, page = 16, keys = token_dim>
llm.file @f path "a" size 100 hash ""

// CHECK-DAG: 'llm.embedding' op token 1 is 2, the table has 2 rows
func.func @token_outside_the_table() {
  %token = arith.constant dense<[1, 2]> : tensor<2xi32>
  %table = arith.constant dense<1.0> : tensor<2x2xf32>
  %x = llm.embedding %token, %table : tensor<2xi32>, tensor<2x2xf32> -> tensor<2x2xf32>
  check.expect_eq %x, dense<1.0> : tensor<2x2xf32>
  return
}

// CHECK-DAG: 'llm.source_tensor' op no source of stored tensors was given to the evaluator
llm.weight @stored : tensor<2x2xf32> {
  %0 = llm.source_tensor @f offset 0 encoding "f32" part "data" : tensor<2x2xf32>
  llm.yield %0 : tensor<2x2xf32>
}
func.func @weight_from_a_file_that_is_not_there() {
  %x = llm.get_weight @stored : tensor<2x2xf32>
  check.expect_eq %x, dense<1.0> : tensor<2x2xf32>
  return
}

// CHECK-DAG: 'llm.make_batch' op the batch is wrong: token 0 is of request 1
func.func @request_out_of_range() {
  %zero = arith.constant dense<[0]> : tensor<1xi32>
  %one = arith.constant dense<[1]> : tensor<1xi32>
  %slot = arith.constant dense<[0]> : tensor<1xi64>
  %start = arith.constant dense<[0, 1]> : tensor<2xi32>
  %row = arith.constant dense<[0]> : tensor<1xi32>
  %batch = llm.make_batch position %zero request %one kv_slot %slot query_start %start kv_length %one
      prompt_length %one page_start %start pages %zero output_row %row
      : tensor<1xi32>, tensor<1xi32>, tensor<1xi64>, tensor<2xi32>, tensor<1xi32>, tensor<1xi32>, tensor<2xi32>,
        tensor<1xi32>, tensor<1xi32>
  check.expect_eq %row, dense<0> : tensor<1xi32>
  return
}

// CHECK-DAG: 'llm.make_batch' op the batch is wrong: query_start and page_start run from 0
func.func @starts_fall() {
  %zero = arith.constant dense<[0]> : tensor<1xi32>
  %slot = arith.constant dense<[0]> : tensor<1xi64>
  %start = arith.constant dense<[1, 0]> : tensor<2xi32>
  %batch = llm.make_batch position %zero request %zero kv_slot %slot query_start %start kv_length %zero
      prompt_length %zero page_start %start pages %zero output_row %zero
      : tensor<1xi32>, tensor<1xi32>, tensor<1xi64>, tensor<2xi32>, tensor<1xi32>, tensor<1xi32>, tensor<2xi32>,
        tensor<1xi32>, tensor<1xi32>
  check.expect_eq %zero, dense<0> : tensor<1xi32>
  return
}

// CHECK-DAG: 'llm.make_batch' op the batch is wrong: output row 1 is none of the 1 tokens
func.func @output_row_is_no_token() {
  %zero = arith.constant dense<[0]> : tensor<1xi32>
  %one = arith.constant dense<[1]> : tensor<1xi32>
  %slot = arith.constant dense<[0]> : tensor<1xi64>
  %start = arith.constant dense<[0, 1]> : tensor<2xi32>
  %batch = llm.make_batch position %zero request %zero kv_slot %slot query_start %start kv_length %zero
      prompt_length %zero page_start %start pages %zero output_row %one
      : tensor<1xi32>, tensor<1xi32>, tensor<1xi64>, tensor<2xi32>, tensor<1xi32>, tensor<1xi32>, tensor<2xi32>,
        tensor<1xi32>, tensor<1xi32>
  check.expect_eq %zero, dense<0> : tensor<1xi32>
  return
}

// CHECK-DAG: 'llm.kv_append' op token 0 has slot 16, the cache has 16
func.func @slot_outside_the_cache() {
  %layer = arith.constant 0 : index
  %zero = arith.constant dense<[0]> : tensor<1xi32>
  %one = arith.constant dense<[1]> : tensor<1xi32>
  %slot = arith.constant dense<[16]> : tensor<1xi64>
  %start = arith.constant dense<[0, 1]> : tensor<2xi32>
  %batch = llm.make_batch position %zero request %zero kv_slot %slot query_start %start kv_length %one
      prompt_length %one page_start %start pages %zero output_row %zero
      : tensor<1xi32>, tensor<1xi32>, tensor<1xi64>, tensor<2xi32>, tensor<1xi32>, tensor<1xi32>, tensor<2xi32>,
        tensor<1xi32>, tensor<1xi32>
  %kv = check.empty_kv pages 1 : !kv
  %k = arith.constant dense<1.0> : tensor<1x2xf32>
  %new = llm.kv_append %k, %k, %kv, %layer, %batch : tensor<1x2xf32>, tensor<1x2xf32>, !kv
  check.expect_eq %zero, dense<0> : tensor<1xi32>
  return
}

// CHECK-DAG: 'llm.paged_attention' op request 0 has no page of the cache for position 0
func.func @page_outside_the_cache() {
  %layer = arith.constant 0 : index
  %zero = arith.constant dense<[0]> : tensor<1xi32>
  %one = arith.constant dense<[1]> : tensor<1xi32>
  %slot = arith.constant dense<[0]> : tensor<1xi64>
  %start = arith.constant dense<[0, 1]> : tensor<2xi32>
  %batch = llm.make_batch position %zero request %zero kv_slot %slot query_start %start kv_length %one
      prompt_length %one page_start %start pages %one output_row %zero
      : tensor<1xi32>, tensor<1xi32>, tensor<1xi64>, tensor<2xi32>, tensor<1xi32>, tensor<1xi32>, tensor<2xi32>,
        tensor<1xi32>, tensor<1xi32>
  %kv = check.empty_kv pages 1 : !kv
  %q = arith.constant dense<1.0> : tensor<1x2xf32>
  %o = llm.paged_attention %q, %kv, %layer, %batch heads 1 scale 1.0 window 0 : tensor<1x2xf32>, !kv
  check.expect_eq %zero, dense<0> : tensor<1xi32>
  return
}

// CHECK-DAG: 'llm.rope' op has 2 rows, the batch 1 tokens
func.func @rows_and_tokens_differ() {
  %zero = arith.constant dense<[0]> : tensor<1xi32>
  %one = arith.constant dense<[1]> : tensor<1xi32>
  %slot = arith.constant dense<[0]> : tensor<1xi64>
  %start = arith.constant dense<[0, 1]> : tensor<2xi32>
  %batch = llm.make_batch position %zero request %zero kv_slot %slot query_start %start kv_length %one
      prompt_length %one page_start %start pages %zero output_row %zero
      : tensor<1xi32>, tensor<1xi32>, tensor<1xi64>, tensor<2xi32>, tensor<1xi32>, tensor<1xi32>, tensor<2xi32>,
        tensor<1xi32>, tensor<1xi32>
  %x = arith.constant dense<1.0> : tensor<2x2xf32>
  %f = arith.constant dense<1.0> : tensor<1xf32>
  %y = llm.rope %x, %f, %batch head_dim 2 attention_factor 1.0 : tensor<2x2xf32>, tensor<1xf32>
  check.expect_eq %y, dense<1.0> : tensor<2x2xf32>
  return
}

// CHECK-DAG: 'arith.remf' op has no reference evaluation
func.func @op_without_meaning() {
  %x = arith.constant dense<1.0> : tensor<2xf32>
  %y = arith.remf %x, %x : tensor<2xf32>
  check.expect_eq %y, dense<0.0> : tensor<2xf32>
  return
}
