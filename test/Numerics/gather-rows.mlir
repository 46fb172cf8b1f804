// RUN: adze-evaluate %s

func.func @takes_the_output_rows() {
  %position = arith.constant dense<[0, 1, 2]> : tensor<3xi32>
  %request = arith.constant dense<0> : tensor<3xi32>
  %slot = arith.constant dense<[0, 1, 2]> : tensor<3xi64>
  %start = arith.constant dense<[0, 3]> : tensor<2xi32>
  %three = arith.constant dense<[3]> : tensor<1xi32>
  %page_start = arith.constant dense<[0, 1]> : tensor<2xi32>
  %page = arith.constant dense<[0]> : tensor<1xi32>
  %rows = arith.constant dense<[0, 2]> : tensor<2xi32>
  %none = arith.constant dense<> : tensor<0xi32>
  %batch = llm.make_batch position %position request %request kv_slot %slot query_start %start kv_length %three
      prompt_length %three page_start %page_start pages %page output_row %rows
      : tensor<3xi32>, tensor<3xi32>, tensor<3xi64>, tensor<2xi32>, tensor<1xi32>, tensor<1xi32>, tensor<2xi32>,
        tensor<1xi32>, tensor<2xi32>
  %silent = llm.make_batch position %position request %request kv_slot %slot query_start %start kv_length %three
      prompt_length %three page_start %page_start pages %page output_row %none
      : tensor<3xi32>, tensor<3xi32>, tensor<3xi64>, tensor<2xi32>, tensor<1xi32>, tensor<1xi32>, tensor<2xi32>,
        tensor<1xi32>, tensor<0xi32>
  %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %y = llm.gather_rows %x, %batch : tensor<3x2xf32> -> tensor<2x2xf32>
  %z = llm.gather_rows %x, %silent : tensor<3x2xf32> -> tensor<0x2xf32>
  check.expect_eq %y, dense<[[1.0, 2.0], [5.0, 6.0]]> : tensor<2x2xf32>
  check.expect_eq %z, dense<> : tensor<0x2xf32>
  return
}
