// RUN: adze-evaluate %s
// Expected values by hand. Powers of two as scales make every f32 step exact; the last functions are about the rounding.

func.func @zero_point_of_floats() { // w = 0.5 * (q - 8), 2 * (q - 8) = -4, 3.5 | 0, 2
  %x = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 0.0, 1.0]]> : tensor<2x4xf32>
  %codes = arith.constant dense<[[0, 15, 8, 9]]> : tensor<1x4xi4>
  %scales = arith.constant dense<[[0.5, 2.0]]> : tensor<1x2xf16>
  %y = llm.quantized_linear %x, %codes, %scales scheme zero_point group 2
      : (tensor<2x4xf32>, tensor<1x4xi4>, tensor<1x2xf16>) -> tensor<2x1xf32>
  check.expect_eq %y, dense<[[11.0], [2.0]]> : tensor<2x1xf32>
  return
}

func.func @affine_of_floats_with_bias() { // w = q - 1 | 2 q + 3: -1, 14 | 5, 7
  %x = arith.constant dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32>
  %codes = arith.constant dense<[[0, 15, 1, 2]]> : tensor<1x4xi4>
  %scales = arith.constant dense<[[1.0, 2.0]]> : tensor<1x2xf16>
  %offsets = arith.constant dense<[[-1.0, 3.0]]> : tensor<1x2xf16>
  %bias = arith.constant dense<[100.0]> : tensor<1xf32>
  %y = llm.quantized_linear %x, %codes, %scales offsets %offsets bias %bias scheme affine group 2
      : (tensor<1x4xf32>, tensor<1x4xi4>, tensor<1x2xf16>, tensor<1x2xf16>, tensor<1xf32>) -> tensor<1x1xf32>
  check.expect_eq %y, dense<[[170.0]]> : tensor<1x1xf32>
  return
}

func.func @two_levels_of_floats() { // 16 * 0.5 * (1 + 2 + .. + 16) = 1088 in row 0; row 1: 16 * -32 * (-128 + 127)
  %x = arith.constant dense<1.0> : tensor<1x256xf32>
  %ones = arith.constant dense<1> : tensor<1x256xi8>
  %lowest = arith.constant dense<-32> : tensor<1x256xi8>
  %scales = arith.constant dense<[[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]]> : tensor<1x16xi8>
  %extremes = arith.constant dense<[[-128, 127, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]> : tensor<1x16xi8>
  %half = arith.constant dense<0.5> : tensor<1x1xf16>
  %one = arith.constant dense<1.0> : tensor<1x1xf16>
  %y = llm.quantized_linear %x, %ones, %scales outer %half scheme symmetric group 16
      : (tensor<1x256xf32>, tensor<1x256xi8>, tensor<1x16xi8>, tensor<1x1xf16>) -> tensor<1x1xf32>
  %z = llm.quantized_linear %x, %lowest, %extremes outer %one scheme symmetric group 16
      : (tensor<1x256xf32>, tensor<1x256xi8>, tensor<1x16xi8>, tensor<1x1xf16>) -> tensor<1x1xf32>
  check.expect_eq %y, dense<[[1088.0]]> : tensor<1x1xf32>
  check.expect_eq %z, dense<[[512.0]]> : tensor<1x1xf32>
  return
}

func.func @symmetric_of_codes() { // 0.5 * 2 * (3 - 2) + 4 * 0.25 * 127 * (126 - 127)
  %x = arith.constant dense<[[1, 2, -127, 127]]> : tensor<1x4xi8>
  %xs = arith.constant dense<[[2.0, 0.25]]> : tensor<1x2xf32>
  %xu = arith.constant dense<[[3, 0]]> : tensor<1x2xi32>
  %codes = arith.constant dense<[[3, -1, 127, 126]]> : tensor<1x4xi8>
  %scales = arith.constant dense<[[0.5, 4.0]]> : tensor<1x2xf16>
  %y = llm.quantized_linear %x scaled %xs sum %xu, %codes, %scales scheme symmetric group 2
      : (tensor<1x4xi8>, tensor<1x2xf32>, tensor<1x2xi32>, tensor<1x4xi8>, tensor<1x2xf16>) -> tensor<1x1xf32>
  check.expect_eq %y, dense<[[-126.0]]> : tensor<1x1xf32>
  return
}

func.func @zero_point_of_codes() { // x = 2, 4 | -1, 3 (scales 2 and 1); w = -4, 3.5 | 0, 2: -8 + 14 + 0 + 6
  %x = arith.constant dense<[[1, 2, -1, 3]]> : tensor<1x4xi8>
  %xs = arith.constant dense<[[2.0, 1.0]]> : tensor<1x2xf32>
  %xu = arith.constant dense<[[3, 2]]> : tensor<1x2xi32>
  %codes = arith.constant dense<[[0, 15, 8, 9]]> : tensor<1x4xi4>
  %scales = arith.constant dense<[[0.5, 2.0]]> : tensor<1x2xf16>
  %y = llm.quantized_linear %x scaled %xs sum %xu, %codes, %scales scheme zero_point group 2
      : (tensor<1x4xi8>, tensor<1x2xf32>, tensor<1x2xi32>, tensor<1x4xi4>, tensor<1x2xf16>) -> tensor<1x1xf32>
  check.expect_eq %y, dense<[[12.0]]> : tensor<1x1xf32>
  return
}

func.func @affine_of_codes_with_bias() { // x = 2, 4 | -1, 3; w = q - 1 | 2 q + 3 = -1, 14 | 5, 7: -2 + 56 - 5 + 21 + 0.5
  %x = arith.constant dense<[[1, 2, -1, 3]]> : tensor<1x4xi8>
  %xs = arith.constant dense<[[2.0, 1.0]]> : tensor<1x2xf32>
  %xu = arith.constant dense<[[3, 2]]> : tensor<1x2xi32>
  %codes = arith.constant dense<[[0, 15, 1, 2]]> : tensor<1x4xi4>
  %scales = arith.constant dense<[[1.0, 2.0]]> : tensor<1x2xf16>
  %offsets = arith.constant dense<[[-1.0, 3.0]]> : tensor<1x2xf16>
  %bias = arith.constant dense<[0.5]> : tensor<1xf32>
  %y = llm.quantized_linear %x scaled %xs sum %xu, %codes, %scales offsets %offsets bias %bias scheme affine group 2
      : (tensor<1x4xi8>, tensor<1x2xf32>, tensor<1x2xi32>, tensor<1x4xi4>, tensor<1x2xf16>, tensor<1x2xf16>,
         tensor<1xf32>) -> tensor<1x1xf32>
  check.expect_eq %y, dense<[[70.5]]> : tensor<1x1xf32>
  return
}

func.func @two_levels_of_codes_in_larger_groups_of_the_input() {
  // Each group of 16 adds 0.5 * scale * sa * 16; scales are 1 .. 16, sa is 1 for the first 32 columns, 0 for the others
  // but the last 32, where it is 2: 8 * (1 + 2) + 16 * (15 + 16) = 24 + 496.
  %x = arith.constant dense<1> : tensor<1x256xi8>
  %xs = arith.constant dense<[[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0]]> : tensor<1x8xf32>
  %xu = arith.constant dense<32> : tensor<1x8xi32>
  %codes = arith.constant dense<1> : tensor<1x256xi8>
  %scales = arith.constant dense<[[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]]> : tensor<1x16xi8>
  %outer = arith.constant dense<0.5> : tensor<1x1xf16>
  %y = llm.quantized_linear %x scaled %xs sum %xu, %codes, %scales outer %outer scheme symmetric group 16
      : (tensor<1x256xi8>, tensor<1x8xf32>, tensor<1x8xi32>, tensor<1x256xi8>, tensor<1x16xi8>, tensor<1x1xf16>)
      -> tensor<1x1xf32>
  check.expect_eq %y, dense<[[520.0]]> : tensor<1x1xf32>
  return
}

func.func @one_scale_for_the_whole_row() {
  %x = arith.constant dense<[[1, 2, 3, 4], [1, 0, 0, 0]]> : tensor<2x4xi8>
  %xs = arith.constant dense<[[0.5], [8.0]]> : tensor<2x1xf32>
  %xu = arith.constant dense<[[10], [1]]> : tensor<2x1xi32>
  %codes = arith.constant dense<[[1, 1, 1, 1]]> : tensor<1x4xi8>
  %scales = arith.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %y = llm.quantized_linear %x scaled %xs sum %xu, %codes, %scales scheme symmetric group 2
      : (tensor<2x4xi8>, tensor<2x1xf32>, tensor<2x1xi32>, tensor<1x4xi8>, tensor<1x2xf32>) -> tensor<2x1xf32>
  check.expect_eq %y, dense<[[8.5], [8.0]]> : tensor<2x1xf32>
  return
}

func.func @adds_each_group_with_one_rounding() {
  // Group 0 leaves acc = 2^-23. Group 1 adds (1 + 2^-23) * 5: exactly 5 + 1.5 * 2^-21, half way, so the even neighbour
  // 5 + 2 * 2^-21. A product rounded by itself would give 5 + 2^-21 and stay there.
  %x = arith.constant dense<[[1, 0, 5, 0]]> : tensor<1x4xi8>
  %xs = arith.constant dense<1.0> : tensor<1x2xf32>
  %xu = arith.constant dense<[[1, 5]]> : tensor<1x2xi32>
  %codes = arith.constant dense<1> : tensor<1x4xi8>
  %scales = arith.constant dense<[[1.1920928955078125e-7, 1.00000011920928955078125]]> : tensor<1x2xf32>
  %y = llm.quantized_linear %x scaled %xs sum %xu, %codes, %scales scheme symmetric group 2
      : (tensor<1x4xi8>, tensor<1x2xf32>, tensor<1x2xi32>, tensor<1x4xi8>, tensor<1x2xf32>) -> tensor<1x1xf32>
  check.expect_eq %y, dense<[[5.00000095367431640625]]> : tensor<1x1xf32>
  return
}

func.func @adds_groups_in_ascending_order() { // (2^24 + 1) + 1 = 2^24 in f32 steps, whatever an exact sum says
  %x = arith.constant dense<[[1, 1, 1]]> : tensor<1x3xi8>
  %xs = arith.constant dense<1.0> : tensor<1x3xf32>
  %xu = arith.constant dense<1> : tensor<1x3xi32>
  %codes = arith.constant dense<1> : tensor<1x3xi8>
  %scales = arith.constant dense<[[16777216.0, 1.0, 1.0]]> : tensor<1x3xf32>
  %y = llm.quantized_linear %x scaled %xs sum %xu, %codes, %scales scheme symmetric group 1
      : (tensor<1x3xi8>, tensor<1x3xf32>, tensor<1x3xi32>, tensor<1x3xi8>, tensor<1x3xf32>) -> tensor<1x1xf32>
  check.expect_eq %y, dense<[[16777216.0]]> : tensor<1x1xf32>
  return
}

func.func @no_rows_give_no_rows() {
  %x = arith.constant dense<> : tensor<0x2xf32>
  %codes = arith.constant dense<1> : tensor<3x2xi8>
  %scales = arith.constant dense<1.0> : tensor<3x1xf16>
  %y = llm.quantized_linear %x, %codes, %scales scheme symmetric group 2
      : (tensor<0x2xf32>, tensor<3x2xi8>, tensor<3x1xf16>) -> tensor<0x3xf32>
  check.expect_eq %y, dense<> : tensor<0x3xf32>
  return
}
