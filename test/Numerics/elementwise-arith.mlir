// RUN: adze-evaluate %s
// The arith and math ops that stand beside llm ops; expected values by hand.

func.func @floats_round_once() {
  %a = arith.constant dense<[1.0, 256.0, -0.0, 3.0]> : tensor<4xbf16>
  %b = arith.constant dense<[3.0, 1.0, 0.0, 1.0]> : tensor<4xbf16>
  %sum = arith.addf %a, %b : tensor<4xbf16>
  %difference = arith.subf %a, %b : tensor<4xbf16>
  %product = arith.mulf %a, %b : tensor<4xbf16>
  %quotient = arith.divf %a, %b : tensor<4xbf16>
  %maximum = arith.maximumf %a, %b : tensor<4xbf16>
  %minimum = arith.minimumf %a, %b : tensor<4xbf16>
  check.expect_eq %sum, dense<[4.0, 256.0, 0.0, 4.0]> : tensor<4xbf16>
  check.expect_eq %difference, dense<[-2.0, 255.0, 0.0, 2.0]> : tensor<4xbf16>
  check.expect_eq %product, dense<[3.0, 256.0, 0.0, 3.0]> : tensor<4xbf16>
  check.expect_eq %quotient, dense<[0.333984375, 256.0, 0x7FC0, 3.0]> : tensor<4xbf16>
  check.expect_eq %maximum, dense<[3.0, 256.0, 0.0, 3.0]> : tensor<4xbf16>
  check.expect_eq %minimum, dense<[1.0, 1.0, 0.0, 1.0]> : tensor<4xbf16>
  return
}

func.func @integers_wrap() {
  %a = arith.constant dense<[127, -128, 5]> : tensor<3xi8>
  %b = arith.constant dense<[1, -1, 3]> : tensor<3xi8>
  %sum = arith.addi %a, %b : tensor<3xi8>
  %product = arith.muli %a, %b : tensor<3xi8>
  %wide = arith.extsi %a : tensor<3xi8> to tensor<3xi32>
  %unsigned = arith.extui %a : tensor<3xi8> to tensor<3xi32>
  check.expect_eq %sum, dense<[-128, 127, 8]> : tensor<3xi8>
  check.expect_eq %product, dense<[127, -128, 15]> : tensor<3xi8>
  check.expect_eq %wide, dense<[127, -128, 5]> : tensor<3xi32>
  check.expect_eq %unsigned, dense<[127, 128, 5]> : tensor<3xi32>
  return
}

func.func @numbers_change_kind() {
  %a = arith.constant dense<[-3, 7]> : tensor<2xi4>
  %f = arith.sitofp %a : tensor<2xi4> to tensor<2xf32>
  %u = arith.uitofp %a : tensor<2xi4> to tensor<2xf32>
  %half = arith.constant dense<[0.5, -1.5]> : tensor<2xf32>
  %sum = arith.addf %f, %half : tensor<2xf32>
  %i = arith.fptosi %sum : tensor<2xf32> to tensor<2xi32>
  check.expect_eq %f, dense<[-3.0, 7.0]> : tensor<2xf32>
  check.expect_eq %u, dense<[13.0, 7.0]> : tensor<2xf32>
  check.expect_eq %i, dense<[-2, 5]> : tensor<2xi32>
  return
}

func.func @choices() {
  %a = arith.constant dense<[1.0, 0x7FC00000, 3.0]> : tensor<3xf32>
  %b = arith.constant dense<2.0> : tensor<3xf32>
  %less = arith.cmpf olt, %a, %b : tensor<3xf32>
  %not_more = arith.cmpf ule, %a, %b : tensor<3xf32>
  %chosen = arith.select %less, %a, %b : tensor<3xi1>, tensor<3xf32>
  check.expect_eq %less, dense<[true, false, false]> : tensor<3xi1>
  check.expect_eq %not_more, dense<[true, true, false]> : tensor<3xi1>
  check.expect_eq %chosen, dense<[1.0, 2.0, 2.0]> : tensor<3xf32>
  return
}

func.func @functions() {
  %x = arith.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %exp = math.exp %x : tensor<2xf32>
  %tanh = math.tanh %x : tensor<2xf32>
  %four = arith.constant dense<[4.0, 0.25]> : tensor<2xf32>
  %rsqrt = math.rsqrt %four : tensor<2xf32>
  %ties = arith.constant dense<[2.5, -3.5]> : tensor<2xf32>
  %even = math.roundeven %ties : tensor<2xf32>
  %size = math.absf %ties : tensor<2xf32>
  check.expect_almost_eq %exp, dense<[1.0, 2.7182818285]> : tensor<2xf32> within 1.0e-7
  check.expect_almost_eq %tanh, dense<[0.0, 0.761594156]> : tensor<2xf32> within 1.0e-7
  check.expect_eq %rsqrt, dense<[0.5, 2.0]> : tensor<2xf32>
  check.expect_eq %even, dense<[2.0, -4.0]> : tensor<2xf32>
  check.expect_eq %size, dense<[2.5, 3.5]> : tensor<2xf32>
  return
}

// (1 + 2^-23) * 5 + 2^-23 = 5 + 1.5 * 2^-21: a tie, which two roundings would miss.
func.func @fma_rounds_once() {
  %a = arith.constant dense<1.00000011920928955078125> : tensor<1xf32>
  %b = arith.constant dense<5.0> : tensor<1xf32>
  %c = arith.constant dense<1.1920928955078125e-7> : tensor<1xf32>
  %r = math.fma %a, %b, %c : tensor<1xf32>
  check.expect_eq %r, dense<5.00000095367431640625> : tensor<1xf32>
  return
}
