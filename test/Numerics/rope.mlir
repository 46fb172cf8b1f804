// RUN: adze-evaluate %s
// Expected values: sines and cosines to ten digits from tables, the rest by hand.

func.func private @positions_0_and_1() -> !llm.batch {
  %position = arith.constant dense<[0, 1]> : tensor<2xi32>
  %request = arith.constant dense<0> : tensor<2xi32>
  %slot = arith.constant dense<[0, 1]> : tensor<2xi64>
  %start = arith.constant dense<[0, 2]> : tensor<2xi32>
  %two = arith.constant dense<[2]> : tensor<1xi32>
  %pages = arith.constant dense<[0, 1]> : tensor<2xi32>
  %page = arith.constant dense<[0]> : tensor<1xi32>
  %batch = llm.make_batch position %position request %request kv_slot %slot query_start %start kv_length %two
      prompt_length %two page_start %pages pages %page output_row %page
      : tensor<2xi32>, tensor<2xi32>, tensor<2xi64>, tensor<2xi32>, tensor<1xi32>, tensor<1xi32>, tensor<2xi32>,
        tensor<1xi32>, tensor<1xi32>
  return %batch : !llm.batch
}

func.func private @position_1000003() -> !llm.batch {
  %position = arith.constant dense<[1000003]> : tensor<1xi32>
  %request = arith.constant dense<0> : tensor<1xi32>
  %slot = arith.constant dense<[0]> : tensor<1xi64>
  %start = arith.constant dense<[0, 1]> : tensor<2xi32>
  %batch = llm.make_batch position %position request %request kv_slot %slot query_start %start kv_length %request
      prompt_length %request page_start %start pages %request output_row %request
      : tensor<1xi32>, tensor<1xi32>, tensor<1xi64>, tensor<2xi32>, tensor<1xi32>, tensor<1xi32>, tensor<2xi32>,
        tensor<1xi32>, tensor<1xi32>
  return %batch : !llm.batch
}

func.func private @no_tokens() -> !llm.batch {
  %none = arith.constant dense<> : tensor<0xi32>
  %slot = arith.constant dense<> : tensor<0xi64>
  %start = arith.constant dense<[0]> : tensor<1xi32>
  %batch = llm.make_batch position %none request %none kv_slot %slot query_start %start kv_length %none
      prompt_length %none page_start %start pages %none output_row %none
      : tensor<0xi32>, tensor<0xi32>, tensor<0xi64>, tensor<1xi32>, tensor<0xi32>, tensor<0xi32>, tensor<1xi32>,
        tensor<0xi32>, tensor<0xi32>
  return %batch : !llm.batch
}

// Pairs are columns (0, 2) with angle p * 1 and (1, 3) with angle p * 0.5.
func.func @rotates_halves_of_a_head() {
  %x = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]]> : tensor<2x4xf32>
  %f = arith.constant dense<[1.0, 0.5]> : tensor<2xf32>
  %batch = func.call @positions_0_and_1() : () -> !llm.batch
  %y = llm.rope %x, %f, %batch head_dim 4 attention_factor 1.0 : tensor<2x4xf32>, tensor<2xf32>
  check.expect_almost_eq %y, dense<[[1.0, 2.0, 3.0, 4.0],
      [-1.9841106486, -0.1625370306, 2.4623779024, 4.4691813248]]> : tensor<2x4xf32> within 1.0e-7
  return
}

func.func @factor_scales_every_position() {
  %x = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]]> : tensor<2x4xf32>
  %f = arith.constant dense<[1.0, 0.5]> : tensor<2xf32>
  %batch = func.call @positions_0_and_1() : () -> !llm.batch
  %y = llm.rope %x, %f, %batch head_dim 4 attention_factor 2.0 : tensor<2x4xf32>, tensor<2xf32>
  check.expect_almost_eq %y, dense<[[2.0, 4.0, 6.0, 8.0],
      [-3.9682212971, -0.3250740613, 4.9247558048, 8.9383626495]]> : tensor<2x4xf32> within 1.0e-7
  return
}

// Equal numbers: the first half of each head of 80 becomes cos 1 - sin 1, the second cos 1 + sin 1.
func.func @two_heads_of_eighty() {
  %x = arith.constant dense<1.0> : tensor<2x160xf32>
  %f = arith.constant dense<1.0> : tensor<40xf32>
  %batch = func.call @positions_0_and_1() : () -> !llm.batch
  %y = llm.rope %x, %f, %batch head_dim 80 attention_factor 1.0 : tensor<2x160xf32>, tensor<40xf32>
  %a = llm.slice_columns %y offset 39 size 2 : tensor<2x160xf32> -> tensor<2x2xf32>
  %b = llm.slice_columns %y offset 79 size 2 : tensor<2x160xf32> -> tensor<2x2xf32>
  %c = llm.slice_columns %y offset 159 size 1 : tensor<2x160xf32> -> tensor<2x1xf32>
  check.expect_almost_eq %a, dense<[[1.0, 1.0], [-0.3011686789, 1.3817732907]]> : tensor<2x2xf32> within 1.0e-7
  check.expect_almost_eq %b, dense<[[1.0, 1.0], [1.3817732907, -0.3011686789]]> : tensor<2x2xf32> within 1.0e-7
  check.expect_almost_eq %c, dense<[[1.0], [1.3817732907]]> : tensor<2x1xf32> within 1.0e-7
  return
}

// f32(1000003 * f32(0.1)) = 100000.3046875; the unrounded product would have the cosine -0.96490008.
func.func @angle_is_one_f32_product() {
  %x = arith.constant dense<[[1.0, 0.0]]> : tensor<1x2xf32>
  %f = arith.constant dense<[0.1]> : tensor<1xf32>
  %batch = func.call @position_1000003() : () -> !llm.batch
  %y = llm.rope %x, %f, %batch head_dim 2 attention_factor 1.0 : tensor<1x2xf32>, tensor<1xf32>
  check.expect_almost_eq %y, dense<[[-0.9640554594, -0.2657010937]]> : tensor<1x2xf32> within 1.0e-7
  return
}

func.func @no_rows_give_no_rows() {
  %x = arith.constant dense<> : tensor<0x4xf32>
  %f = arith.constant dense<[1.0, 0.5]> : tensor<2xf32>
  %batch = func.call @no_tokens() : () -> !llm.batch
  %y = llm.rope %x, %f, %batch head_dim 4 attention_factor 1.0 : tensor<0x4xf32>, tensor<2xf32>
  check.expect_eq %y, dense<> : tensor<0x4xf32>
  return
}
