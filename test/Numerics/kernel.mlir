// RUN: adze-evaluate %s
// A group computes what its ops compute, one rounding each; expected values by hand.

func.func @group_with_two_results() { // residual 3 + 1, 4 + 0; norm of (4, 4) is (1, 1)
  %x = arith.constant dense<[[3.0, 4.0]]> : tensor<1x2xf32>
  %r = arith.constant dense<[[1.0, 0.0]]> : tensor<1x2xf32>
  %w = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %sum, %norm = llm.kernel family "rms_norm" (%x as %a, %r as %b, %w as %c
      : tensor<1x2xf32>, tensor<1x2xf32>, tensor<2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>) {
    %s = llm.add %a, %b : tensor<1x2xf32>
    %n = llm.rms_norm %s, %c epsilon 0.0 : tensor<1x2xf32>, tensor<2xf32>
    llm.yield %s, %n : tensor<1x2xf32>, tensor<1x2xf32>
  }
  check.expect_eq %sum, dense<4.0> : tensor<1x2xf32>
  check.expect_eq %norm, dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  return
}

func.func @group_rounds_where_its_casts_say() { // 257 becomes 256 in bf16, then 512; without the cast it were 514
  %x = arith.constant dense<[[257.0]]> : tensor<1x1xf32>
  %y = llm.kernel (%x as %a : tensor<1x1xf32>) -> tensor<1x1xf32> {
    %n = arith.truncf %a : tensor<1x1xf32> to tensor<1x1xbf16>
    %e = arith.extf %n : tensor<1x1xbf16> to tensor<1x1xf32>
    %s = llm.add %e, %e : tensor<1x1xf32>
    llm.yield %s : tensor<1x1xf32>
  }
  check.expect_eq %y, dense<512.0> : tensor<1x1xf32>
  return
}
