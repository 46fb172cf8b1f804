// RUN: adze-evaluate %s
// Expected values: x / sqrt(mean of squares + epsilon) by hand; sqrt(12.5) = 3.5355339059.

func.func @divides_by_the_root_of_the_mean_square() {
  %x = arith.constant dense<[[3.0, 4.0], [-30.0, 40.0]]> : tensor<2x2xf32>
  %w = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = llm.rms_norm %x, %w epsilon 0.0 : tensor<2x2xf32>, tensor<2xf32>
  check.expect_almost_eq %y, dense<[[0.84852813742, 2.2627416998], [-0.84852813742, 2.2627416998]]> : tensor<2x2xf32> within 1.0e-7
  return
}

func.func @normalises_each_head_by_itself() { // heads 3, 4 | 6, 8 | 0, 0
  %x = arith.constant dense<[[3.0, 4.0, 6.0, 8.0, 0.0, 0.0]]> : tensor<1x6xf32>
  %w = arith.constant dense<[1.0, 1.0]> : tensor<2xbf16>
  %y = llm.rms_norm %x, %w epsilon 1.0e-30 : tensor<1x6xf32>, tensor<2xbf16>
  check.expect_almost_eq %y, dense<[[0.84852813742, 1.13137084990, 0.84852813742, 1.13137084990, 0.0, 0.0]]> : tensor<1x6xf32> within 1.0e-7
  return
}

func.func @epsilon_bounds_small_rows() { // mean square 1, epsilon 3: x / 2
  %x = arith.constant dense<[[1.0, -1.0]]> : tensor<1x2xf32>
  %w = arith.constant dense<[1.0, 1.0]> : tensor<2xf32>
  %y = llm.rms_norm %x, %w epsilon 3.0 : tensor<1x2xf32>, tensor<2xf32>
  check.expect_eq %y, dense<[[0.5, -0.5]]> : tensor<1x2xf32>
  return
}

func.func @heads_of_eighty() { // equal numbers become the weight
  %x = arith.constant dense<-2.0> : tensor<2x160xf32>
  %w = arith.constant dense<3.0> : tensor<80xf32>
  %y = llm.rms_norm %x, %w epsilon 0.0 : tensor<2x160xf32>, tensor<80xf32>
  check.expect_eq %y, dense<-3.0> : tensor<2x160xf32>
  return
}

func.func @rounds_to_the_type_of_the_input() { // 0.8485 and 1.1314 between steps of 2^-8 and 2^-7
  %x = arith.constant dense<[[3.0, 4.0]]> : tensor<1x2xbf16>
  %w = arith.constant dense<[1.0, 1.0]> : tensor<2xf32>
  %y = llm.rms_norm %x, %w epsilon 0.0 : tensor<1x2xbf16>, tensor<2xf32>
  check.expect_eq %y, dense<[[0.84765625, 1.1328125]]> : tensor<1x2xbf16>
  return
}

func.func @large_numbers_do_not_overflow() { // their squares would, in f32
  %x = arith.constant dense<[[1.0e30, -1.0e30]]> : tensor<1x2xf32>
  %w = arith.constant dense<[1.0, 1.0]> : tensor<2xf32>
  %y = llm.rms_norm %x, %w epsilon 1.0e-5 : tensor<1x2xf32>, tensor<2xf32>
  check.expect_almost_eq %y, dense<[[1.0, -1.0]]> : tensor<1x2xf32> within 1.0e-7
  return
}

func.func @no_rows_give_no_rows() {
  %x = arith.constant dense<> : tensor<0x2xf32>
  %w = arith.constant dense<[1.0, 1.0]> : tensor<2xf32>
  %y = llm.rms_norm %x, %w epsilon 1.0e-5 : tensor<0x2xf32>, tensor<2xf32>
  check.expect_eq %y, dense<> : tensor<0x2xf32>
  return
}
