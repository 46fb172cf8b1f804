// RUN: adze-evaluate %s
// Weight expressions; expected values by hand.

llm.weight @permuted : tensor<8x1xi4> { // two heads of four rows: 0 2 1 3 of each
  %0 = arith.constant dense<[[0], [1], [2], [3], [4], [5], [6], [7]]> : tensor<8x1xi4>
  %1 = llm.permute_rows %0 heads 2 : tensor<8x1xi4>
  llm.yield %1 : tensor<8x1xi4>
}
func.func @permute_rows_moves_pairs_apart() {
  %w = llm.get_weight @permuted : tensor<8x1xi4>
  check.expect_eq %w, dense<[[0], [2], [1], [3], [4], [6], [5], [7]]> : tensor<8x1xi4>
  return
}

llm.weight @one_head_of_six : tensor<6x2xf32> {
  %0 = arith.constant dense<[[0.0, 0.5], [1.0, 1.5], [2.0, 2.5], [3.0, 3.5], [4.0, 4.5], [5.0, 5.5]]> : tensor<6x2xf32>
  %1 = llm.permute_rows %0 heads 1 : tensor<6x2xf32>
  llm.yield %1 : tensor<6x2xf32>
}
func.func @permute_rows_keeps_rows_whole() {
  %w = llm.get_weight @one_head_of_six : tensor<6x2xf32>
  check.expect_eq %w, dense<[[0.0, 0.5], [2.0, 2.5], [4.0, 4.5], [1.0, 1.5], [3.0, 3.5], [5.0, 5.5]]> : tensor<6x2xf32>
  return
}

llm.weight @stacked : tensor<5x2xf16> {
  %0 = arith.constant dense<[[1.0, 2.0]]> : tensor<1x2xf16>
  %1 = arith.constant dense<[[3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<3x2xf16>
  %2 = llm.slice_rows %1 offset 1 size 1 : tensor<3x2xf16> -> tensor<1x2xf16>
  %3 = llm.concat_rows %0, %1, %2 : tensor<1x2xf16>, tensor<3x2xf16>, tensor<1x2xf16> -> tensor<5x2xf16>
  llm.yield %3 : tensor<5x2xf16>
}
func.func @concat_rows_and_slice_rows() {
  %w = llm.get_weight @stacked : tensor<5x2xf16>
  check.expect_eq %w, dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0], [5.0, 6.0]]> : tensor<5x2xf16>
  return
}

// f16: 65520 is the first number that rounds to infinity; 2^-25 is half of the smallest number and goes to 0,
// 3 * 2^-25 lies between one and two of it and goes to two.
llm.weight @as_f16 : tensor<1x6xf16> {
  %0 = arith.constant dense<[[0.333333343, 65519.0, 65520.0, 2.9802322387695313e-8, 8.940696716308594e-8, -1.0e-30]]> : tensor<1x6xf32>
  %1 = llm.convert %0 : tensor<1x6xf32> -> tensor<1x6xf16>
  llm.yield %1 : tensor<1x6xf16>
}
func.func @convert_rounds_to_nearest_even() {
  %w = llm.get_weight @as_f16 : tensor<1x6xf16>
  check.expect_eq %w, dense<[[0.333251953125, 65504.0, 0x7C00, 0.0, 1.1920928955078125e-7, 0.0]]> : tensor<1x6xf16>
  return
}

// f16 to bf16: 8 of 11 bits stay. 1 + 2^-8 and 1 + 3 * 2^-8 are ties.
llm.weight @as_bf16 : tensor<1x4xbf16> {
  %0 = arith.constant dense<[[1.00390625, 1.01171875, 65504.0, 0x7E00]]> : tensor<1x4xf16>
  %1 = llm.convert %0 : tensor<1x4xf16> -> tensor<1x4xbf16>
  llm.yield %1 : tensor<1x4xbf16>
}
func.func @convert_to_bf16() {
  %w = llm.get_weight @as_bf16 : tensor<1x4xbf16>
  check.expect_eq %w, dense<[[1.0, 1.015625, 65536.0, 0x7FC0]]> : tensor<1x4xbf16>
  return
}

llm.weight @packed : tensor<2x2xf32, #llm.packed<[2, 2], "r1 c1">> {
  %0 = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %1 = llm.repack %0 : tensor<2x2xf32> -> tensor<2x2xf32, #llm.packed<[2, 2], "r1 c1">>
  llm.yield %1 : tensor<2x2xf32, #llm.packed<[2, 2], "r1 c1">>
}
func.func @repack_keeps_the_numbers() { // row 0 of the weight is (1, 2), whatever its order in memory
  %w = llm.get_weight @packed : tensor<2x2xf32, #llm.packed<[2, 2], "r1 c1">>
  %x = arith.constant dense<[[1.0, 10.0]]> : tensor<1x2xf32>
  %y = llm.linear %x, %w : (tensor<1x2xf32>, tensor<2x2xf32, #llm.packed<[2, 2], "r1 c1">>) -> tensor<1x2xf32>
  check.expect_eq %y, dense<[[21.0, 43.0]]> : tensor<1x2xf32>
  return
}
