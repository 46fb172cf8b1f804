// RUN: adze-evaluate %s
// Expected values by hand where the scale is 1; the others are worked out with IEEE f32 arithmetic (numpy), step by step.

func.func @one_scale_for_the_row() { // largest 127: scale 1; -63.5, 2.5 and 3.5 are ties
  %x = arith.constant dense<[[127.0, -63.5, 2.5, 3.5], [-127.0, 0.4, -0.6, 126.5]]> : tensor<2x4xf32>
  %q, %s, %u = llm.quantize %x group 0 : tensor<2x4xf32> -> tensor<2x4xi8>, tensor<2x1xf32>, tensor<2x1xi32>
  check.expect_eq %q, dense<[[127, -64, 2, 4], [-127, 0, -1, 126]]> : tensor<2x4xi8>
  check.expect_eq %s, dense<1.0> : tensor<2x1xf32>
  check.expect_eq %u, dense<[[69], [-2]]> : tensor<2x1xi32>
  return
}

func.func @one_scale_for_each_group() { // scales 1 and 2
  %x = arith.constant dense<[[127.0, 1.0, -254.0, 2.0]]> : tensor<1x4xf32>
  %q, %s, %u = llm.quantize %x group 2 : tensor<1x4xf32> -> tensor<1x4xi8>, tensor<1x2xf32>, tensor<1x2xi32>
  check.expect_eq %q, dense<[[127, 1, -127, 1]]> : tensor<1x4xi8>
  check.expect_eq %s, dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  check.expect_eq %u, dense<[[128, -126]]> : tensor<1x2xi32>
  return
}

func.func @scale_and_reciprocal_are_rounded() {
  // 1/127 = 0.00787401572 with r = 127: 63.5 is a tie. 3.3/127 = 0.0259842519 with r = 38.484848.
  %x = arith.constant dense<[[1.0, 0.5, -0.25, 0.75], [3.3, 1.7, -2.9, 0.013]]> : tensor<2x4xf32>
  %q, %s, %u = llm.quantize %x group 0 : tensor<2x4xf32> -> tensor<2x4xi8>, tensor<2x1xf32>, tensor<2x1xi32>
  check.expect_eq %q, dense<[[127, 64, -32, 95], [127, 65, -112, 1]]> : tensor<2x4xi8>
  check.expect_eq %s, dense<[[0.00787401572], [0.0259842519]]> : tensor<2x1xf32>
  check.expect_eq %u, dense<[[254], [81]]> : tensor<2x1xi32>
  return
}

func.func @zeros_have_scale_zero() {
  %x = arith.constant dense<[[0.0, -0.0, 0.0, 0.0], [0.0, 0.0, 127.0, 0.0]]> : tensor<2x4xf32>
  %q, %s, %u = llm.quantize %x group 2 : tensor<2x4xf32> -> tensor<2x4xi8>, tensor<2x2xf32>, tensor<2x2xi32>
  check.expect_eq %q, dense<[[0, 0, 0, 0], [0, 0, 127, 0]]> : tensor<2x4xi8>
  check.expect_eq %s, dense<[[0.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32>
  check.expect_eq %u, dense<[[0, 0], [0, 127]]> : tensor<2x2xi32>
  return
}

func.func @scales_below_the_normal_numbers_are_zero() {
  // 2^-126 = 1.17549435e-38 is the smallest scale that stays: 127 times it is 1.49287783e-36.
  %x = arith.constant dense<[[1.4928782e-36], [1.4e-36]]> : tensor<2x1xf32>
  %q, %s, %u = llm.quantize %x group 0 : tensor<2x1xf32> -> tensor<2x1xi8>, tensor<2x1xf32>, tensor<2x1xi32>
  check.expect_eq %q, dense<[[127], [0]]> : tensor<2x1xi8>
  check.expect_eq %u, dense<[[127], [0]]> : tensor<2x1xi32>
  return
}

func.func @widens_narrow_inputs_first() {
  %x = arith.constant dense<[[127.0, -64.5]]> : tensor<1x2xbf16>
  %q, %s, %u = llm.quantize %x group 0 : tensor<1x2xbf16> -> tensor<1x2xi8>, tensor<1x1xf32>, tensor<1x1xi32>
  check.expect_eq %q, dense<[[127, -64]]> : tensor<1x2xi8>
  check.expect_eq %u, dense<[[63]]> : tensor<1x1xi32>
  return
}

func.func @no_rows_give_no_rows() {
  %x = arith.constant dense<> : tensor<0x4xf32>
  %q, %s, %u = llm.quantize %x group 2 : tensor<0x4xf32> -> tensor<0x4xi8>, tensor<0x2xf32>, tensor<0x2xi32>
  check.expect_eq %q, dense<> : tensor<0x4xi8>
  check.expect_eq %s, dense<> : tensor<0x2xf32>
  check.expect_eq %u, dense<> : tensor<0x2xi32>
  return
}
