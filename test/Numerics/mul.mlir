// RUN: adze-evaluate %s
// Expected values by hand.

func.func @multiplies_each_element() {
  %x = arith.constant dense<[[1.5, -2.0], [0.0, 1.0e20]]> : tensor<2x2xf32>
  %y = arith.constant dense<[[2.0, 0.25], [5.0, 1.0e20]]> : tensor<2x2xf32>
  %z = llm.mul %x, %y : tensor<2x2xf32>
  check.expect_eq %z, dense<[[3.0, -0.5], [0.0, 0x7F800000]]> : tensor<2x2xf32>
  return
}

func.func @rounds_to_bf16() { // (1 + 2^-7)^2 = 1 + 2^-6 + 2^-14
  %x = arith.constant dense<[[1.0078125]]> : tensor<1x1xbf16>
  %z = llm.mul %x, %x : tensor<1x1xbf16>
  check.expect_eq %z, dense<[[1.015625]]> : tensor<1x1xbf16>
  return
}

func.func @no_rows_give_no_rows() {
  %x = arith.constant dense<> : tensor<0x2xf32>
  %z = llm.mul %x, %x : tensor<0x2xf32>
  check.expect_eq %z, dense<> : tensor<0x2xf32>
  return
}
