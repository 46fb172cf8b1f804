// RUN: adze-evaluate %s
// Expected values: the table's own rows; halves between neighbours of bf16 (step 2^-7 at 1) go to the even one.

func.func @takes_rows_in_order_of_tokens() {
  %token = arith.constant dense<[2, 0, 2]> : tensor<3xi32>
  %table = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, -6.0]]> : tensor<3x2xf32>
  %x = llm.embedding %token, %table : tensor<3xi32>, tensor<3x2xf32> -> tensor<3x2xf32>
  check.expect_eq %x, dense<[[5.0, -6.0], [1.0, 2.0], [5.0, -6.0]]> : tensor<3x2xf32>
  return
}

func.func @widens_a_table_without_loss() {
  %token = arith.constant dense<[0]> : tensor<1xi32>
  %f16 = arith.constant dense<[[0.333251953125, 65504.0]]> : tensor<1x2xf16>
  %bf16 = arith.constant dense<[[0.333984375, 1.0e30]]> : tensor<1x2xbf16>
  %x = llm.embedding %token, %f16 : tensor<1xi32>, tensor<1x2xf16> -> tensor<1x2xf32>
  %y = llm.embedding %token, %bf16 : tensor<1xi32>, tensor<1x2xbf16> -> tensor<1x2xf32>
  check.expect_eq %x, dense<[[0.333251953125, 65504.0]]> : tensor<1x2xf32>
  check.expect_eq %y, dense<[[0.333984375, 1.0002555517425873e30]]> : tensor<1x2xf32>
  return
}

func.func @rounds_to_a_narrower_result() {
  %token = arith.constant dense<[0]> : tensor<1xi32>
  %table = arith.constant dense<[[1.00390625, 1.01171875, 1.003906375]]> : tensor<1x3xf32>
  %x = llm.embedding %token, %table : tensor<1xi32>, tensor<1x3xf32> -> tensor<1x3xbf16>
  check.expect_eq %x, dense<[[1.0, 1.015625, 1.0078125]]> : tensor<1x3xbf16>
  return
}

func.func @no_tokens_give_no_rows() {
  %token = arith.constant dense<> : tensor<0xi32>
  %table = arith.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %x = llm.embedding %token, %table : tensor<0xi32>, tensor<1x2xf32> -> tensor<0x2xf32>
  check.expect_eq %x, dense<> : tensor<0x2xf32>
  return
}
