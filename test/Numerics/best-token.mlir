// RUN: adze-evaluate %s

func.func @takes_the_largest_and_of_equal_ones_the_lowest() {
  %x = arith.constant dense<[[1.0, 3.0, 2.0, 3.0], [-1.0, -2.0, -1.0, -3.0], [0.0, 0.0, 0.0, 1.0]]> : tensor<3x4xf32>
  %y = llm.best_token %x legal 4 : tensor<3x4xf32> -> tensor<3x1xi32>
  check.expect_eq %y, dense<[[1], [0], [3]]> : tensor<3x1xi32>
  return
}

func.func @zeros_of_both_signs_are_equal() {
  %x = arith.constant dense<[[-0.0, 0.0, -1.0], [-1.0, 0.0, -0.0]]> : tensor<2x3xf32>
  %y = llm.best_token %x legal 3 : tensor<2x3xf32> -> tensor<2x1xi32>
  check.expect_eq %y, dense<[[0], [1]]> : tensor<2x1xi32>
  return
}

func.func @padding_is_not_looked_at() {
  // 0x7F800000, 0xFF800000: infinities; 0x7FC00000: NaN.
  %x = arith.constant dense<[[1.0, 2.0, 9.0], [1.0, 0.0, 0x7F800000], [0.0, 1.0, 0x7FC00000]]> : tensor<3x3xf32>
  %y = llm.best_token %x legal 2 : tensor<3x3xf32> -> tensor<3x1xi32>
  check.expect_eq %y, dense<[[1], [0], [1]]> : tensor<3x1xi32>
  return
}

func.func @a_number_that_is_not_finite_leaves_no_token() {
  %x = arith.constant dense<[[1.0, 0x7F800000], [0xFF800000, 1.0], [0x7FC00000, 1.0], [3.4e38, -3.4e38]]> : tensor<4x2xf32>
  %y = llm.best_token %x legal 2 : tensor<4x2xf32> -> tensor<4x1xi32>
  check.expect_eq %y, dense<[[-1], [-1], [-1], [0]]> : tensor<4x1xi32>
  return
}

func.func @no_rows_give_no_rows() {
  %x = arith.constant dense<> : tensor<0x4xf32>
  %y = llm.best_token %x legal 4 : tensor<0x4xf32> -> tensor<0x1xi32>
  check.expect_eq %y, dense<> : tensor<0x1xi32>
  return
}
