// RUN: adze-evaluate %s
// Expected values: the rows that were appended, NaN (0x7FC00000) where nothing was.

!kv = !llm.kv<layers = 2, heads = 2, dim = 2, element = f32, page = 16, keys = dim_token>
!narrow = !llm.kv<layers = 1, heads = 1, dim = 2, element = bf16, page = 16, keys = token_dim>

// Two tokens of one request that has pages 2 and 0: positions 15 (slot 47) and 16 (slot 0).
func.func private @over_a_page_boundary() -> !llm.batch {
  %position = arith.constant dense<[15, 16]> : tensor<2xi32>
  %request = arith.constant dense<0> : tensor<2xi32>
  %slot = arith.constant dense<[47, 0]> : tensor<2xi64>
  %start = arith.constant dense<[0, 2]> : tensor<2xi32>
  %length = arith.constant dense<[17]> : tensor<1xi32>
  %pages = arith.constant dense<[2, 0]> : tensor<2xi32>
  %row = arith.constant dense<[1]> : tensor<1xi32>
  %batch = llm.make_batch position %position request %request kv_slot %slot query_start %start kv_length %length
      prompt_length %length page_start %start pages %pages output_row %row
      : tensor<2xi32>, tensor<2xi32>, tensor<2xi64>, tensor<2xi32>, tensor<1xi32>, tensor<1xi32>, tensor<2xi32>,
        tensor<2xi32>, tensor<1xi32>
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

func.func @writes_slots_of_one_layer_and_nothing_else() {
  %layer = arith.constant 1 : index
  %batch = func.call @over_a_page_boundary() : () -> !llm.batch
  %empty = check.empty_kv pages 3 : !kv
  %k = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>
  %v = arith.constant dense<[[-1.0, -2.0, -3.0, -4.0], [-5.0, -6.0, -7.0, -8.0]]> : tensor<2x4xf32>
  %kv = llm.kv_append %k, %v, %empty, %layer, %batch : tensor<2x4xf32>, tensor<2x4xf32>, !kv
  %k47, %v47 = check.read_kv %kv layer 1 slot 47 : !kv -> tensor<2x2xf32>, tensor<2x2xf32>
  %k0, %v0 = check.read_kv %kv layer 1 slot 0 : !kv -> tensor<2x2xf32>, tensor<2x2xf32>
  %k1, %v1 = check.read_kv %kv layer 1 slot 1 : !kv -> tensor<2x2xf32>, tensor<2x2xf32>
  %other, %unused = check.read_kv %kv layer 0 slot 47 : !kv -> tensor<2x2xf32>, tensor<2x2xf32>
  check.expect_eq %k47, dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  check.expect_eq %v47, dense<[[-1.0, -2.0], [-3.0, -4.0]]> : tensor<2x2xf32>
  check.expect_eq %k0, dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32>
  check.expect_eq %v0, dense<[[-5.0, -6.0], [-7.0, -8.0]]> : tensor<2x2xf32>
  check.expect_eq %k1, dense<0x7FC00000> : tensor<2x2xf32>
  check.expect_eq %other, dense<0x7FC00000> : tensor<2x2xf32>
  return
}

func.func @leaves_the_old_cache_as_it_was() {
  %layer = arith.constant 0 : index
  %batch = func.call @over_a_page_boundary() : () -> !llm.batch
  %empty = check.empty_kv pages 3 : !kv
  %one = arith.constant dense<1.0> : tensor<2x4xf32>
  %two = arith.constant dense<2.0> : tensor<2x4xf32>
  %a = llm.kv_append %one, %one, %empty, %layer, %batch : tensor<2x4xf32>, tensor<2x4xf32>, !kv
  %b = llm.kv_append %two, %two, %empty, %layer, %batch : tensor<2x4xf32>, tensor<2x4xf32>, !kv
  %ka, %va = check.read_kv %a layer 0 slot 47 : !kv -> tensor<2x2xf32>, tensor<2x2xf32>
  %kb, %vb = check.read_kv %b layer 0 slot 47 : !kv -> tensor<2x2xf32>, tensor<2x2xf32>
  %ke, %ve = check.read_kv %empty layer 0 slot 47 : !kv -> tensor<2x2xf32>, tensor<2x2xf32>
  check.expect_eq %ka, dense<1.0> : tensor<2x2xf32>
  check.expect_eq %vb, dense<2.0> : tensor<2x2xf32>
  check.expect_eq %ke, dense<0x7FC00000> : tensor<2x2xf32>
  return
}

func.func @keeps_narrow_elements() {
  %layer = arith.constant 0 : index
  %batch = func.call @over_a_page_boundary() : () -> !llm.batch
  %empty = check.empty_kv pages 3 : !narrow
  %exact = arith.constant dense<[[1.00390625, 3.0], [257.0, -0.5]]> : tensor<2x2xf32>
  %k = arith.truncf %exact : tensor<2x2xf32> to tensor<2x2xbf16>
  %kv = llm.kv_append %k, %k, %empty, %layer, %batch : tensor<2x2xbf16>, tensor<2x2xbf16>, !narrow
  %k47, %v47 = check.read_kv %kv layer 0 slot 47 : !narrow -> tensor<1x2xbf16>, tensor<1x2xbf16>
  %k0, %v0 = check.read_kv %kv layer 0 slot 0 : !narrow -> tensor<1x2xbf16>, tensor<1x2xbf16>
  check.expect_eq %k47, dense<[[1.0, 3.0]]> : tensor<1x2xbf16>
  check.expect_eq %v0, dense<[[256.0, -0.5]]> : tensor<1x2xbf16>
  return
}

func.func @no_tokens_change_nothing() {
  %layer = arith.constant 0 : index
  %batch = func.call @no_tokens() : () -> !llm.batch
  %empty = check.empty_kv pages 1 : !kv
  %k = arith.constant dense<> : tensor<0x4xf32>
  %kv = llm.kv_append %k, %k, %empty, %layer, %batch : tensor<0x4xf32>, tensor<0x4xf32>, !kv
  %k0, %v0 = check.read_kv %kv layer 0 slot 0 : !kv -> tensor<2x2xf32>, tensor<2x2xf32>
  check.expect_eq %k0, dense<0x7FC00000> : tensor<2x2xf32>
  return
}
