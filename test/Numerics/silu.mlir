// RUN: adze-evaluate %s
// Expected values: x / (1 + exp(-x)) to ten digits.

func.func @between_the_limits() {
  %x = arith.constant dense<[[0.0, 1.0, -1.0, 2.0, 0.5, -20.0]]> : tensor<1x6xf32>
  %y = llm.silu %x : tensor<1x6xf32>
  check.expect_almost_eq %y, dense<[[0.0, 0.7310585786, -0.2689414214, 1.761594156, 0.3112296657, -4.122307e-8]]> : tensor<1x6xf32> within 6.0e-8
  return
}

func.func @at_the_limits() {
  %x = arith.constant dense<[[1000.0, -1000.0, 0x7F800000, 0xFF800000, 0x7FC00000]]> : tensor<1x5xf32>
  %y = llm.silu %x : tensor<1x5xf32>
  check.expect_eq %y, dense<[[1000.0, 0.0, 0x7F800000, 0.0, 0x7FC00000]]> : tensor<1x5xf32>
  return
}

func.func @rounds_to_bf16() { // 0.73105858 in steps of 2^-8: 187/256
  %x = arith.constant dense<[[1.0]]> : tensor<1x1xbf16>
  %y = llm.silu %x : tensor<1x1xbf16>
  check.expect_eq %y, dense<[[0.73046875]]> : tensor<1x1xbf16>
  return
}

func.func @no_rows_give_no_rows() {
  %x = arith.constant dense<> : tensor<0x2xf32>
  %y = llm.silu %x : tensor<0x2xf32>
  check.expect_eq %y, dense<> : tensor<0x2xf32>
  return
}
