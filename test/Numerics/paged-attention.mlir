// RUN: adze-evaluate %s
// Expected values by hand. Queries are multiples of log 2, so that weights are powers of two: with scale 0.5 the query
// 1.3862943611 (2 log 2) gives a key of 1 twice the weight of a key of 0.

!kv = !llm.kv<layers = 2, heads = 1, dim = 2, element = f32, page = 16, keys = token_dim>
!grouped = !llm.kv<layers = 1, heads = 2, dim = 2, element = f32, page = 16, keys = dim_token>
!wide = !llm.kv<layers = 1, heads = 1, dim = 80, element = f32, page = 16, keys = token_dim>
!narrow = !llm.kv<layers = 1, heads = 1, dim = 2, element = bf16, page = 16, keys = token_dim>

// Three tokens of a new request on page 1.
func.func private @three_tokens() -> !llm.batch {
  %position = arith.constant dense<[0, 1, 2]> : tensor<3xi32>
  %request = arith.constant dense<0> : tensor<3xi32>
  %slot = arith.constant dense<[16, 17, 18]> : tensor<3xi64>
  %start = arith.constant dense<[0, 3]> : tensor<2xi32>
  %length = arith.constant dense<[3]> : tensor<1xi32>
  %page_start = arith.constant dense<[0, 1]> : tensor<2xi32>
  %pages = arith.constant dense<[1]> : tensor<1xi32>
  %row = arith.constant dense<[2]> : tensor<1xi32>
  %batch = llm.make_batch position %position request %request kv_slot %slot query_start %start kv_length %length
      prompt_length %length page_start %page_start pages %pages output_row %row
      : tensor<3xi32>, tensor<3xi32>, tensor<3xi64>, tensor<2xi32>, tensor<1xi32>, tensor<1xi32>, tensor<2xi32>,
        tensor<1xi32>, tensor<1xi32>
  return %batch : !llm.batch
}

// The same request as the cache sees it when nothing has been kept: kv_length 0.
func.func private @token_without_keys() -> !llm.batch {
  %zero = arith.constant dense<[0]> : tensor<1xi32>
  %slot = arith.constant dense<[0]> : tensor<1xi64>
  %start = arith.constant dense<[0, 1]> : tensor<2xi32>
  %page_start = arith.constant dense<[0, 0]> : tensor<2xi32>
  %none = arith.constant dense<> : tensor<0xi32>
  %batch = llm.make_batch position %zero request %zero kv_slot %slot query_start %start kv_length %zero
      prompt_length %zero page_start %page_start pages %none output_row %zero
      : tensor<1xi32>, tensor<1xi32>, tensor<1xi64>, tensor<2xi32>, tensor<1xi32>, tensor<1xi32>, tensor<2xi32>,
        tensor<0xi32>, tensor<1xi32>
  return %batch : !llm.batch
}

// Request 0: 16 tokens that fill page 3.
func.func private @sixteen_tokens() -> !llm.batch {
  %position = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : tensor<16xi32>
  %request = arith.constant dense<0> : tensor<16xi32>
  %slot = arith.constant dense<[48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63]> : tensor<16xi64>
  %start = arith.constant dense<[0, 16]> : tensor<2xi32>
  %length = arith.constant dense<[16]> : tensor<1xi32>
  %page_start = arith.constant dense<[0, 1]> : tensor<2xi32>
  %pages = arith.constant dense<[3]> : tensor<1xi32>
  %row = arith.constant dense<[15]> : tensor<1xi32>
  %batch = llm.make_batch position %position request %request kv_slot %slot query_start %start kv_length %length
      prompt_length %length page_start %page_start pages %pages output_row %row
      : tensor<16xi32>, tensor<16xi32>, tensor<16xi64>, tensor<2xi32>, tensor<1xi32>, tensor<1xi32>, tensor<2xi32>,
        tensor<1xi32>, tensor<1xi32>
  return %batch : !llm.batch
}

// Then a step of request 0 at position 16, on its second page 0, and two first tokens of request 1 on page 1.
func.func private @decode_and_prefill() -> !llm.batch {
  %position = arith.constant dense<[16, 0, 1]> : tensor<3xi32>
  %request = arith.constant dense<[0, 1, 1]> : tensor<3xi32>
  %slot = arith.constant dense<[0, 16, 17]> : tensor<3xi64>
  %start = arith.constant dense<[0, 1, 3]> : tensor<3xi32>
  %length = arith.constant dense<[17, 2]> : tensor<2xi32>
  %page_start = arith.constant dense<[0, 2, 3]> : tensor<3xi32>
  %pages = arith.constant dense<[3, 0, 1]> : tensor<3xi32>
  %row = arith.constant dense<[0, 2]> : tensor<2xi32>
  %batch = llm.make_batch position %position request %request kv_slot %slot query_start %start kv_length %length
      prompt_length %length page_start %page_start pages %pages output_row %row
      : tensor<3xi32>, tensor<3xi32>, tensor<3xi64>, tensor<3xi32>, tensor<2xi32>, tensor<2xi32>, tensor<3xi32>,
        tensor<3xi32>, tensor<2xi32>
  return %batch : !llm.batch
}

// Six tokens of a new request on page 0.
func.func private @six_tokens() -> !llm.batch {
  %position = arith.constant dense<[0, 1, 2, 3, 4, 5]> : tensor<6xi32>
  %request = arith.constant dense<0> : tensor<6xi32>
  %slot = arith.constant dense<[0, 1, 2, 3, 4, 5]> : tensor<6xi64>
  %start = arith.constant dense<[0, 6]> : tensor<2xi32>
  %length = arith.constant dense<[6]> : tensor<1xi32>
  %page_start = arith.constant dense<[0, 1]> : tensor<2xi32>
  %pages = arith.constant dense<[0]> : tensor<1xi32>
  %row = arith.constant dense<[5]> : tensor<1xi32>
  %batch = llm.make_batch position %position request %request kv_slot %slot query_start %start kv_length %length
      prompt_length %length page_start %page_start pages %pages output_row %row
      : tensor<6xi32>, tensor<6xi32>, tensor<6xi64>, tensor<2xi32>, tensor<1xi32>, tensor<1xi32>, tensor<2xi32>,
        tensor<1xi32>, tensor<1xi32>
  return %batch : !llm.batch
}

// Four requests: one token with a key on page 1, one token whose request keeps no key, no token at all, one token again.
func.func private @lengths_1_0_0_1() -> !llm.batch {
  %position = arith.constant dense<[0, 0, 0]> : tensor<3xi32>
  %request = arith.constant dense<[0, 1, 3]> : tensor<3xi32>
  %slot = arith.constant dense<[16, 31, 0]> : tensor<3xi64>
  %start = arith.constant dense<[0, 1, 2, 2, 3]> : tensor<5xi32>
  %length = arith.constant dense<[1, 0, 0, 1]> : tensor<4xi32>
  %page_start = arith.constant dense<[0, 1, 1, 1, 2]> : tensor<5xi32>
  %pages = arith.constant dense<[1, 0]> : tensor<2xi32>
  %row = arith.constant dense<[0, 1, 2]> : tensor<3xi32>
  %batch = llm.make_batch position %position request %request kv_slot %slot query_start %start kv_length %length
      prompt_length %length page_start %page_start pages %pages output_row %row
      : tensor<3xi32>, tensor<3xi32>, tensor<3xi64>, tensor<5xi32>, tensor<4xi32>, tensor<4xi32>, tensor<5xi32>,
        tensor<2xi32>, tensor<3xi32>
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

// Keys (1, 0), (0, 1), (0, 0), values (3, 0), (0, 3), (6, 6) in the given layer; the other layer stays NaN.
func.func private @three_keys(%layer: index) -> !kv {
  %batch = func.call @three_tokens() : () -> !llm.batch
  %empty = check.empty_kv pages 2 : !kv
  %k = arith.constant dense<[[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]> : tensor<3x2xf32>
  %v = arith.constant dense<[[3.0, 0.0], [0.0, 3.0], [6.0, 6.0]]> : tensor<3x2xf32>
  %kv = llm.kv_append %k, %v, %empty, %layer, %batch : tensor<3x2xf32>, tensor<3x2xf32>, !kv
  return %kv : !kv
}

// Weights 1 | 2, 1 | 2, 1, 1.
func.func @each_token_sees_itself_and_what_is_before() {
  %layer = arith.constant 1 : index
  %batch = func.call @three_tokens() : () -> !llm.batch
  %kv = func.call @three_keys(%layer) : (index) -> !kv
  %q = arith.constant dense<[[1.3862943611, 0.0], [1.3862943611, 0.0], [1.3862943611, 0.0]]> : tensor<3x2xf32>
  %o = llm.paged_attention %q, %kv, %layer, %batch heads 1 scale 0.5 window 0 : tensor<3x2xf32>, !kv
  check.expect_almost_eq %o, dense<[[3.0, 0.0], [2.0, 1.0], [3.0, 2.25]]> : tensor<3x2xf32> within 2.0e-7
  return
}

func.func @window_of_two_sees_one_token_back() { // last row: keys 1 and 2 with equal weights
  %layer = arith.constant 0 : index
  %batch = func.call @three_tokens() : () -> !llm.batch
  %kv = func.call @three_keys(%layer) : (index) -> !kv
  %q = arith.constant dense<[[1.3862943611, 0.0], [1.3862943611, 0.0], [1.3862943611, 0.0]]> : tensor<3x2xf32>
  %o = llm.paged_attention %q, %kv, %layer, %batch heads 1 scale 0.5 window 2 : tensor<3x2xf32>, !kv
  check.expect_almost_eq %o, dense<[[3.0, 0.0], [2.0, 1.0], [3.0, 4.5]]> : tensor<3x2xf32> within 2.0e-7
  return
}

func.func @window_of_one_gives_the_own_value() {
  %layer = arith.constant 0 : index
  %batch = func.call @three_tokens() : () -> !llm.batch
  %kv = func.call @three_keys(%layer) : (index) -> !kv
  %q = arith.constant dense<7.0> : tensor<3x2xf32>
  %o = llm.paged_attention %q, %kv, %layer, %batch heads 1 scale 0.5 window 1 : tensor<3x2xf32>, !kv
  check.expect_eq %o, dense<[[3.0, 0.0], [0.0, 3.0], [6.0, 6.0]]> : tensor<3x2xf32>
  return
}

func.func @window_of_the_whole_context_is_none() {
  %layer = arith.constant 0 : index
  %batch = func.call @three_tokens() : () -> !llm.batch
  %kv = func.call @three_keys(%layer) : (index) -> !kv
  %q = arith.constant dense<0.0> : tensor<3x2xf32>
  %o = llm.paged_attention %q, %kv, %layer, %batch heads 1 scale 0.5 window 3 : tensor<3x2xf32>, !kv
  check.expect_almost_eq %o, dense<[[3.0, 0.0], [1.5, 1.5], [3.0, 3.0]]> : tensor<3x2xf32> within 2.0e-7
  return
}

// Three query heads on one KV head: no preference, key 0, key 1. Rows: 1 key | weights 1:1, 2:1, 1:2 | with a third of 1.
func.func @three_heads_share_one() {
  %layer = arith.constant 0 : index
  %batch = func.call @three_tokens() : () -> !llm.batch
  %kv = func.call @three_keys(%layer) : (index) -> !kv
  %q = arith.constant dense<[[0.0, 0.0, 1.3862943611, 0.0, 0.0, 1.3862943611],
                             [0.0, 0.0, 1.3862943611, 0.0, 0.0, 1.3862943611],
                             [0.0, 0.0, 1.3862943611, 0.0, 0.0, 1.3862943611]]> : tensor<3x6xf32>
  %o = llm.paged_attention %q, %kv, %layer, %batch heads 3 scale 0.5 window 0 : tensor<3x6xf32>, !kv
  check.expect_almost_eq %o, dense<[[3.0, 0.0, 3.0, 0.0, 3.0, 0.0], [1.5, 1.5, 2.0, 1.0, 1.0, 2.0],
      [3.0, 3.0, 3.0, 2.25, 2.25, 3.0]]> : tensor<3x6xf32> within 2.0e-7
  return
}

func.func @seven_heads_share_one() { // all but head 5 have no preference
  %layer = arith.constant 0 : index
  %batch = func.call @three_tokens() : () -> !llm.batch
  %kv = func.call @three_keys(%layer) : (index) -> !kv
  %q = arith.constant dense<[[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.3862943611, 0.0, 0.0, 0.0],
                             [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.3862943611, 0.0, 0.0, 0.0],
                             [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.3862943611, 0.0, 0.0, 0.0]]> : tensor<3x14xf32>
  %o = llm.paged_attention %q, %kv, %layer, %batch heads 7 scale 0.5 window 0 : tensor<3x14xf32>, !kv
  check.expect_almost_eq %o, dense<[[3.0, 0.0, 3.0, 0.0, 3.0, 0.0, 3.0, 0.0, 3.0, 0.0, 3.0, 0.0, 3.0, 0.0],
      [1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 2.0, 1.0, 1.5, 1.5],
      [3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 2.25, 3.0, 3.0]]> : tensor<3x14xf32> within 2.0e-7
  return
}

func.func @neighbouring_heads_share() { // 4 query heads on 2: heads 0, 1 read the first, 2, 3 the second
  %layer = arith.constant 0 : index
  %batch = func.call @three_tokens() : () -> !llm.batch
  %empty = check.empty_kv pages 2 : !grouped
  %k = arith.constant dense<0.0> : tensor<3x4xf32>
  %v = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]]> : tensor<3x4xf32>
  %kv = llm.kv_append %k, %v, %empty, %layer, %batch : tensor<3x4xf32>, tensor<3x4xf32>, !grouped
  %q = arith.constant dense<1.0> : tensor<3x8xf32>
  %o = llm.paged_attention %q, %kv, %layer, %batch heads 4 scale 1.0 window 0 : tensor<3x8xf32>, !grouped
  %last = llm.gather_rows %o, %batch : tensor<3x8xf32> -> tensor<1x8xf32>
  check.expect_almost_eq %last, dense<[[1.0, 2.0, 1.0, 2.0, 3.0, 4.0, 3.0, 4.0]]> : tensor<1x8xf32> within 2.0e-7
  return
}

func.func @requests_do_not_see_each_other() {
  // Request 0 holds sixteen values (1, 2) and adds (18, 36): mean (34/17, 68/17). Request 1 holds (5, 0), (7, 0).
  %layer = arith.constant 0 : index
  %empty = check.empty_kv pages 4 : !kv
  %first = func.call @sixteen_tokens() : () -> !llm.batch
  %k0 = arith.constant dense<0.25> : tensor<16x2xf32>
  %v0 = arith.constant dense<[[1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0],
      [1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]> : tensor<16x2xf32>
  %kv0 = llm.kv_append %k0, %v0, %empty, %layer, %first : tensor<16x2xf32>, tensor<16x2xf32>, !kv
  %second = func.call @decode_and_prefill() : () -> !llm.batch
  %k1 = arith.constant dense<0.25> : tensor<3x2xf32>
  %v1 = arith.constant dense<[[18.0, 36.0], [5.0, 0.0], [7.0, 0.0]]> : tensor<3x2xf32>
  %kv1 = llm.kv_append %k1, %v1, %kv0, %layer, %second : tensor<3x2xf32>, tensor<3x2xf32>, !kv
  %q = arith.constant dense<1.0> : tensor<3x2xf32>
  %o = llm.paged_attention %q, %kv1, %layer, %second heads 1 scale 1.0 window 0 : tensor<3x2xf32>, !kv
  check.expect_almost_eq %o, dense<[[2.0, 4.0], [5.0, 0.0], [6.0, 0.0]]> : tensor<3x2xf32> within 2.0e-7
  return
}

func.func @heads_of_eighty() { // equal keys: means of 1, 2, 6
  %layer = arith.constant 0 : index
  %batch = func.call @three_tokens() : () -> !llm.batch
  %empty = check.empty_kv pages 2 : !wide
  %token = arith.constant dense<[0, 1, 2]> : tensor<3xi32>
  %k = arith.constant dense<0.5> : tensor<3x80xf32>
  %one = arith.constant dense<[[1.0], [2.0], [6.0]]> : tensor<3x1xf32>
  %spread = arith.constant dense<1.0> : tensor<80x1xf32>
  %v = llm.linear %one, %spread : (tensor<3x1xf32>, tensor<80x1xf32>) -> tensor<3x80xf32>
  %kv = llm.kv_append %k, %v, %empty, %layer, %batch : tensor<3x80xf32>, tensor<3x80xf32>, !wide
  %q = arith.constant dense<1.0> : tensor<3x80xf32>
  %o = llm.paged_attention %q, %kv, %layer, %batch heads 1 scale 0.11180339887 window 0 : tensor<3x80xf32>, !wide
  %last = llm.gather_rows %o, %batch : tensor<3x80xf32> -> tensor<1x80xf32>
  check.expect_almost_eq %last, dense<3.0> : tensor<1x80xf32> within 2.0e-7
  return
}

func.func @scores_may_be_huge() { // 1e6 apart: all weight on key 0, no overflow
  %layer = arith.constant 0 : index
  %batch = func.call @three_tokens() : () -> !llm.batch
  %kv = func.call @three_keys(%layer) : (index) -> !kv
  %q = arith.constant dense<[[1.0e6, -1.0e6], [1.0e6, -1.0e6], [1.0e6, -1.0e6]]> : tensor<3x2xf32>
  %o = llm.paged_attention %q, %kv, %layer, %batch heads 1 scale 1.0 window 0 : tensor<3x2xf32>, !kv
  check.expect_eq %o, dense<[[3.0, 0.0], [3.0, 0.0], [3.0, 0.0]]> : tensor<3x2xf32>
  return
}

func.func @narrow_cache_and_query() { // 10/3 in bf16 steps of 2^-6: 213/64
  %layer = arith.constant 0 : index
  %batch = func.call @three_tokens() : () -> !llm.batch
  %empty = check.empty_kv pages 2 : !narrow
  %k = arith.constant dense<0.0> : tensor<3x2xbf16>
  %v = arith.constant dense<[[3.0, 0.0], [4.0, 0.0], [3.0, 0.0]]> : tensor<3x2xbf16>
  %kv = llm.kv_append %k, %v, %empty, %layer, %batch : tensor<3x2xbf16>, tensor<3x2xbf16>, !narrow
  %q = arith.constant dense<0.0> : tensor<3x2xbf16>
  %o = llm.paged_attention %q, %kv, %layer, %batch heads 1 scale 1.0 window 0 : tensor<3x2xbf16>, !narrow
  check.expect_eq %o, dense<[[3.0, 0.0], [3.5, 0.0], [3.328125, 0.0]]> : tensor<3x2xbf16>
  return
}

// B38: more queries than keys. The request's third token finds the two keys before it and none of its own.
func.func @three_queries_on_two_keys() {
  %layer = arith.constant 0 : index
  %position = arith.constant dense<[0, 1, 2]> : tensor<3xi32>
  %request = arith.constant dense<0> : tensor<3xi32>
  %slot = arith.constant dense<[16, 17, 18]> : tensor<3xi64>
  %start = arith.constant dense<[0, 3]> : tensor<2xi32>
  %length = arith.constant dense<[2]> : tensor<1xi32>
  %page_start = arith.constant dense<[0, 1]> : tensor<2xi32>
  %pages = arith.constant dense<[1]> : tensor<1xi32>
  %row = arith.constant dense<[2]> : tensor<1xi32>
  %short = llm.make_batch position %position request %request kv_slot %slot query_start %start kv_length %length
      prompt_length %length page_start %page_start pages %pages output_row %row
      : tensor<3xi32>, tensor<3xi32>, tensor<3xi64>, tensor<2xi32>, tensor<1xi32>, tensor<1xi32>, tensor<2xi32>,
        tensor<1xi32>, tensor<1xi32>
  %kv = func.call @three_keys(%layer) : (index) -> !kv
  %q = arith.constant dense<0.0> : tensor<3x2xf32>
  %o = llm.paged_attention %q, %kv, %layer, %short heads 1 scale 0.5 window 0 : tensor<3x2xf32>, !kv
  check.expect_almost_eq %o, dense<[[3.0, 0.0], [1.5, 1.5], [1.5, 1.5]]> : tensor<3x2xf32> within 2.0e-7
  // With a window of one the third query sees no key at all: position 2 alone, which is not there.
  %w = llm.paged_attention %q, %kv, %layer, %short heads 1 scale 0.5 window 1 : tensor<3x2xf32>, !kv
  check.expect_eq %w, dense<[[3.0, 0.0], [0.0, 3.0], [0.0, 0.0]]> : tensor<3x2xf32>
  return
}

func.func @no_visible_key_gives_zero() {
  %layer = arith.constant 0 : index
  %batch = func.call @token_without_keys() : () -> !llm.batch
  %kv = check.empty_kv pages 1 : !kv
  %q = arith.constant dense<1.0> : tensor<1x2xf32>
  %o = llm.paged_attention %q, %kv, %layer, %batch heads 1 scale 1.0 window 0 : tensor<1x2xf32>, !kv
  check.expect_eq %o, dense<0.0> : tensor<1x2xf32>
  return
}

func.func @a_request_without_keys_does_not_disturb_its_neighbours() {
  %layer = arith.constant 0 : index
  %batch = func.call @lengths_1_0_0_1() : () -> !llm.batch
  %empty = check.empty_kv pages 2 : !kv
  %k = arith.constant dense<1.0> : tensor<3x2xf32>
  %v = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %kv = llm.kv_append %k, %v, %empty, %layer, %batch : tensor<3x2xf32>, tensor<3x2xf32>, !kv
  %o = llm.paged_attention %k, %kv, %layer, %batch heads 1 scale 1.0 window 0 : tensor<3x2xf32>, !kv
  check.expect_eq %o, dense<[[1.0, 2.0], [0.0, 0.0], [5.0, 6.0]]> : tensor<3x2xf32>
  return
}

func.func @window_of_four_counts_distance_three_and_not_four() { // equal keys: means of the last four values
  %layer = arith.constant 0 : index
  %batch = func.call @six_tokens() : () -> !llm.batch
  %empty = check.empty_kv pages 1 : !kv
  %k = arith.constant dense<0.0> : tensor<6x2xf32>
  %v = arith.constant dense<[[1.0, -1.0], [10.0, -10.0], [100.0, -100.0], [1000.0, -1000.0], [10000.0, -10000.0],
                             [100000.0, -100000.0]]> : tensor<6x2xf32>
  %kv = llm.kv_append %k, %v, %empty, %layer, %batch : tensor<6x2xf32>, tensor<6x2xf32>, !kv
  %o = llm.paged_attention %v, %kv, %layer, %batch heads 1 scale 1.0 window 4 : tensor<6x2xf32>, !kv
  check.expect_almost_eq %o, dense<[[1.0, -1.0], [5.5, -5.5], [37.0, -37.0], [277.75, -277.75], [2777.5, -2777.5],
      [27775.0, -27775.0]]> : tensor<6x2xf32> within 2.0e-7
  return
}

func.func @no_rows_give_no_rows() {
  %layer = arith.constant 0 : index
  %batch = func.call @no_tokens() : () -> !llm.batch
  %kv = check.empty_kv pages 1 : !kv
  %q = arith.constant dense<> : tensor<0x2xf32>
  %o = llm.paged_attention %q, %kv, %layer, %batch heads 1 scale 1.0 window 0 : tensor<0x2xf32>, !kv
  check.expect_eq %o, dense<> : tensor<0x2xf32>
  return
}
