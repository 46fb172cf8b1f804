// RUN: adze-evaluate %s
// Expected values by hand from the table of #llm.scheme.

func.func @zero_point_is_eight() { // s * (q - 8), s = 0.5 and 2
  %token = arith.constant dense<[0]> : tensor<1xi32>
  %codes = arith.constant dense<[[0, 15, 8, 9]]> : tensor<1x4xi4>
  %scales = arith.constant dense<[[0.5, 2.0]]> : tensor<1x2xf16>
  %x = llm.quantized_embedding %token, %codes, %scales scheme zero_point group 2
      : (tensor<1xi32>, tensor<1x4xi4>, tensor<1x2xf16>) -> tensor<1x4xf32>
  check.expect_eq %x, dense<[[-4.0, 3.5, 0.0, 2.0]]> : tensor<1x4xf32>
  return
}

func.func @affine_reads_codes_unsigned() { // s * q + o; 15 * 0.0999755859375 = 1.4996337890625
  %token = arith.constant dense<[0]> : tensor<1xi32>
  %codes = arith.constant dense<[[0, 15, 15, 1]]> : tensor<1x4xi4>
  %scales = arith.constant dense<[[0.5, 0.0999755859375]]> : tensor<1x2xf16>
  %offsets = arith.constant dense<[[-1.0, 2048.0]]> : tensor<1x2xf16>
  %x = llm.quantized_embedding %token, %codes, %scales offsets %offsets scheme affine group 2
      : (tensor<1xi32>, tensor<1x4xi4>, tensor<1x2xf16>, tensor<1x2xf16>) -> tensor<1x4xf32>
  // 2049.4996337890625 and 2048.0999755859375 lie half way between two f32 numbers; the even ones are expected.
  check.expect_eq %x, dense<[[-1.0, 6.5, 2049.49951171875, 2048.10009765625]]> : tensor<1x4xf32>
  return
}

func.func @symmetric_reads_codes_signed() {
  %token = arith.constant dense<[1, 0]> : tensor<2xi32>
  %codes = arith.constant dense<[[-8, 7], [1, -1]]> : tensor<2x2xi4>
  %bytes = arith.constant dense<[[-128, 127], [1, -1]]> : tensor<2x2xi8>
  %scales = arith.constant dense<[[0.25], [3.0]]> : tensor<2x1xf16>
  %x = llm.quantized_embedding %token, %codes, %scales scheme symmetric group 2
      : (tensor<2xi32>, tensor<2x2xi4>, tensor<2x1xf16>) -> tensor<2x2xf32>
  %y = llm.quantized_embedding %token, %bytes, %scales scheme symmetric group 2
      : (tensor<2xi32>, tensor<2x2xi8>, tensor<2x1xf16>) -> tensor<2x2xf32>
  check.expect_eq %x, dense<[[3.0, -3.0], [-2.0, 1.75]]> : tensor<2x2xf32>
  check.expect_eq %y, dense<[[3.0, -3.0], [-32.0, 31.75]]> : tensor<2x2xf32>
  return
}

func.func @two_levels_multiply_the_scales() { // outer * scale * code = 0.25 * scale * -3
  %token = arith.constant dense<[0]> : tensor<1xi32>
  %codes = arith.constant dense<-3> : tensor<1x512xi8>
  %scales = arith.constant dense<[[1, -2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 127,
                                   -128, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]]> : tensor<1x32xi8>
  %outer = arith.constant dense<[[0.25, 2.0]]> : tensor<1x2xf16>
  %x = llm.quantized_embedding %token, %codes, %scales outer %outer scheme symmetric group 16
      : (tensor<1xi32>, tensor<1x512xi8>, tensor<1x32xi8>, tensor<1x2xf16>) -> tensor<1x512xf32>
  %first = llm.slice_columns %x offset 15 size 2 : tensor<1x512xf32> -> tensor<1x2xf32>
  %border = llm.slice_columns %x offset 255 size 2 : tensor<1x512xf32> -> tensor<1x2xf32>
  %last = llm.slice_columns %x offset 511 size 1 : tensor<1x512xf32> -> tensor<1x1xf32>
  check.expect_eq %first, dense<[[-0.75, 1.5]]> : tensor<1x2xf32>
  check.expect_eq %border, dense<[[-95.25, 768.0]]> : tensor<1x2xf32>
  check.expect_eq %last, dense<[[-96.0]]> : tensor<1x1xf32>
  return
}

func.func @no_tokens_give_no_rows() {
  %token = arith.constant dense<> : tensor<0xi32>
  %codes = arith.constant dense<1> : tensor<2x2xi8>
  %scales = arith.constant dense<1.0> : tensor<2x1xf16>
  %x = llm.quantized_embedding %token, %codes, %scales scheme symmetric group 2
      : (tensor<0xi32>, tensor<2x2xi8>, tensor<2x1xf16>) -> tensor<0x2xf32>
  check.expect_eq %x, dense<> : tensor<0x2xf32>
  return
}
