// RUN: adze-evaluate %s
// Expected values by hand.

func.func @is_the_product_with_the_transposed_weight() {
  %x = arith.constant dense<[[1.0, 2.0, 3.0], [-1.0, 0.5, 0.0]]> : tensor<2x3xf32>
  %w = arith.constant dense<[[1.0, 0.0, 0.0], [1.0, 1.0, 1.0], [0.0, -2.0, 4.0], [0.25, 0.0, 1.0]]> : tensor<4x3xf32>
  %y = llm.linear %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  check.expect_eq %y, dense<[[1.0, 6.0, 8.0, 3.25], [-1.0, -0.5, -1.0, -0.25]]> : tensor<2x4xf32>
  return
}

func.func @adds_the_bias_to_every_row() {
  %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xbf16>
  %w = arith.constant dense<[[1.0, 1.0], [1.0, -1.0]]> : tensor<2x2xf16>
  %b = arith.constant dense<[10.0, 0.5]> : tensor<2xf32>
  %y = llm.linear %x, %w bias %b : (tensor<2x2xbf16>, tensor<2x2xf16>, tensor<2xf32>) -> tensor<2x2xf32>
  check.expect_eq %y, dense<[[13.0, -0.5], [17.0, -0.5]]> : tensor<2x2xf32>
  return
}

func.func @sums_exactly() { // in f32 the 1 would be lost beside 1e8
  %x = arith.constant dense<[[1.0e8, 1.0, -1.0e8]]> : tensor<1x3xf32>
  %w = arith.constant dense<1.0> : tensor<1x3xf32>
  %y = llm.linear %x, %w : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x1xf32>
  check.expect_eq %y, dense<[[1.0]]> : tensor<1x1xf32>
  return
}

func.func @rounds_once() { // 257 + 2^-12 is above the middle of 256 and 258; by way of f32 it still is, by way of 257 not
  %x = arith.constant dense<[[257.0, 1.0]]> : tensor<1x2xf32>
  %w = arith.constant dense<[[1.0, 2.44140625e-4], [1.0, 0.0], [1.0, 2.0]]> : tensor<3x2xf32>
  %b = arith.constant dense<[1.0e-30, 0.0, 0.0]> : tensor<3xf32>
  %y = llm.linear %x, %w bias %b : (tensor<1x2xf32>, tensor<3x2xf32>, tensor<3xf32>) -> tensor<1x3xbf16>
  check.expect_eq %y, dense<[[258.0, 256.0, 260.0]]> : tensor<1x3xbf16>
  return
}

func.func @rounds_a_tie_by_what_f32_would_drop() { // 257 + 2^-40: f32 would see a tie and give 256
  %x = arith.constant dense<[[257.0, 1.0]]> : tensor<1x2xf32>
  %w = arith.constant dense<[[1.0, 9.094947017729282e-13]]> : tensor<1x2xf32>
  %y = llm.linear %x, %w : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x1xbf16>
  check.expect_eq %y, dense<[[258.0]]> : tensor<1x1xbf16>
  return
}

func.func @no_rows_give_no_rows() {
  %x = arith.constant dense<> : tensor<0x2xf32>
  %w = arith.constant dense<1.0> : tensor<3x2xf32>
  %y = llm.linear %x, %w : (tensor<0x2xf32>, tensor<3x2xf32>) -> tensor<0x3xf32>
  check.expect_eq %y, dense<> : tensor<0x3xf32>
  return
}

func.func @sum_over_nothing_is_the_bias() {
  %x = arith.constant dense<> : tensor<2x0xf32>
  %w = arith.constant dense<> : tensor<1x0xf32>
  %b = arith.constant dense<[3.0]> : tensor<1xf32>
  %y = llm.linear %x, %w : (tensor<2x0xf32>, tensor<1x0xf32>) -> tensor<2x1xf32>
  %z = llm.linear %x, %w bias %b : (tensor<2x0xf32>, tensor<1x0xf32>, tensor<1xf32>) -> tensor<2x1xf32>
  check.expect_eq %y, dense<0.0> : tensor<2x1xf32>
  check.expect_eq %z, dense<3.0> : tensor<2x1xf32>
  return
}

func.func @nan_and_infinity_travel() {
  %x = arith.constant dense<[[0x7FC00000, 0.0], [0x7F800000, 1.0]]> : tensor<2x2xf32>
  %w = arith.constant dense<[[1.0, 1.0]]> : tensor<1x2xf32>
  %y = llm.linear %x, %w : (tensor<2x2xf32>, tensor<1x2xf32>) -> tensor<2x1xf32>
  check.expect_eq %y, dense<[[0x7FC00000], [0x7F800000]]> : tensor<2x1xf32>
  return
}
