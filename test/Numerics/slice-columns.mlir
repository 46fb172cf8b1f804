// RUN: adze-evaluate %s

func.func @takes_neighbouring_columns() {
  %x = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>
  %y = llm.slice_columns %x offset 1 size 2 : tensor<2x4xf32> -> tensor<2x2xf32>
  %z = llm.slice_columns %x offset 3 size 1 : tensor<2x4xf32> -> tensor<2x1xf32>
  check.expect_eq %y, dense<[[2.0, 3.0], [6.0, 7.0]]> : tensor<2x2xf32>
  check.expect_eq %z, dense<[[4.0], [8.0]]> : tensor<2x1xf32>
  return
}

func.func @no_rows_give_no_rows() {
  %x = arith.constant dense<> : tensor<0x4xf32>
  %y = llm.slice_columns %x offset 1 size 2 : tensor<0x4xf32> -> tensor<0x2xf32>
  check.expect_eq %y, dense<> : tensor<0x2xf32>
  return
}
