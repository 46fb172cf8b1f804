// RUN: adze-evaluate %s
// Expected values by hand.

func.func @adds_each_element() {
  %x = arith.constant dense<[[1.5, -2.0], [16777216.0, 0x7F800000]]> : tensor<2x2xf32>
  %y = arith.constant dense<[[2.0, 0.25], [1.0, 1.0]]> : tensor<2x2xf32>
  %z = llm.add %x, %y : tensor<2x2xf32>
  check.expect_eq %z, dense<[[3.5, -1.75], [16777216.0, 0x7F800000]]> : tensor<2x2xf32>
  return
}

func.func @rounds_ties_to_even() { // 257 and 259 lie between neighbours of bf16
  %x = arith.constant dense<[[256.0, 258.0]]> : tensor<1x2xbf16>
  %y = arith.constant dense<1.0> : tensor<1x2xbf16>
  %z = llm.add %x, %y : tensor<1x2xbf16>
  check.expect_eq %z, dense<[[256.0, 260.0]]> : tensor<1x2xbf16>
  return
}

func.func @no_rows_give_no_rows() {
  %x = arith.constant dense<> : tensor<0x2xf32>
  %z = llm.add %x, %x : tensor<0x2xf32>
  check.expect_eq %z, dense<> : tensor<0x2xf32>
  return
}
