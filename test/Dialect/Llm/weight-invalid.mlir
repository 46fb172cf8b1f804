// RUN: adze-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{c1: the path is not empty}}
llm.file @f path "" size 0 hash ""

// -----

// expected-error @below {{c2: the size is not negative, found -1}}
llm.file @f path "a" size -1 hash ""

// -----

// expected-error @below {{c1: a weight has a static shape}}
llm.weight @w : tensor<?x2xf32> {
  %0 = arith.constant dense<1.0> : tensor<2x2xf32>
  llm.yield %0 : tensor<2x2xf32>
}

// -----

// expected-error @below {{c2: the body ends in llm.yield of one value of type 'tensor<4x2xf32>'}}
llm.weight @w : tensor<4x2xf32> {
  %0 = arith.constant dense<1.0> : tensor<2x2xf32>
  llm.yield %0 : tensor<2x2xf32>
}

// -----

// expected-error @below {{c3: the body has only weight ops and constants, found 'llm.silu'}}
llm.weight @w : tensor<2x2xf32> {
  %0 = arith.constant dense<1.0> : tensor<2x2xf32>
  %1 = llm.silu %0 : tensor<2x2xf32>
  llm.yield %1 : tensor<2x2xf32>
}

// -----

func.func @unknown_weight() {
  // expected-error @below {{c1: there is no llm.weight @w}}
  %0 = llm.get_weight @w : tensor<2x2xf32>
  return
}

// -----

llm.weight @w : tensor<2x2xf32> {
  %0 = arith.constant dense<1.0> : tensor<2x2xf32>
  llm.yield %0 : tensor<2x2xf32>
}
func.func @other_type() {
  // expected-error @below {{c2: the weight @w is 'tensor<2x2xf32>', found 'tensor<2x2xbf16>'}}
  %0 = llm.get_weight @w : tensor<2x2xbf16>
  return
}

// -----

llm.weight @w : tensor<2x2xf32> {
  // expected-error @below {{c1: there is no llm.file @f}}
  %0 = llm.source_tensor @f offset 0 encoding "f32" part "data" : tensor<2x2xf32>
  llm.yield %0 : tensor<2x2xf32>
}

// -----

llm.file @f path "a" size 100 hash ""
llm.weight @w : tensor<2x2xf32> {
  // expected-error @below {{c2: the encoding is one of f32, f16, bf16, q8_0, q4_0, q4_1, q6_k; found 'q2_k'}}
  %0 = llm.source_tensor @f offset 0 encoding "q2_k" part "data" : tensor<2x2xf32>
  llm.yield %0 : tensor<2x2xf32>
}

// -----

llm.file @f path "a" size 100 hash ""
llm.weight @w : tensor<2x2xf16> {
  // expected-error @below {{c3: the encoding q4_0 has no part 'offsets'}}
  %0 = llm.source_tensor @f offset 0 encoding "q4_0" part "offsets" : tensor<2x2xf16>
  llm.yield %0 : tensor<2x2xf16>
}

// -----

llm.file @f path "a" size 100 hash ""
llm.weight @w : tensor<2x32xi8> {
  // expected-error @below {{c4: the part has static shape and elements i4, found 'tensor<2x32xi8>'}}
  %0 = llm.source_tensor @f offset 0 encoding "q4_0" part "codes" : tensor<2x32xi8>
  llm.yield %0 : tensor<2x32xi8>
}

// -----

llm.file @f path "a" size 100 hash ""
llm.weight @w : tensor<2x2xf32> {
  // expected-error @below {{c5: the offset is not negative, found -4}}
  %0 = llm.source_tensor @f offset -4 encoding "f32" part "data" : tensor<2x2xf32>
  llm.yield %0 : tensor<2x2xf32>
}

// -----

llm.file @f path "a" size 100 hash ""
llm.weight @w : tensor<2x2xf32> {
  // expected-error @below {{c5: the offset 101 lies in the file of 100 bytes}}
  %0 = llm.source_tensor @f offset 101 encoding "f32" part "data" : tensor<2x2xf32>
  llm.yield %0 : tensor<2x2xf32>
}

// -----

func.func @heads(%w: tensor<6x2xf32>) {
  // expected-error @below {{c1: heads divide the 6 rows, found 4}}
  %0 = llm.permute_rows %w heads 4 : tensor<6x2xf32>
  return
}

// -----

func.func @odd_head(%w: tensor<6x2xf32>) {
  // expected-error @below {{c2: a head has an even number of rows, found 3}}
  %0 = llm.permute_rows %w heads 2 : tensor<6x2xf32>
  return
}

// -----

func.func @dynamic(%w: tensor<?x2xf32>) {
  // expected-error @below {{c3: the shape is static}}
  %0 = llm.permute_rows %w heads 2 : tensor<?x2xf32>
  return
}

// -----

func.func @columns_differ(%a: tensor<2x2xf32>, %b: tensor<2x3xf32>) {
  // expected-error @below {{c2: inputs and result differ in their rows alone}}
  %0 = llm.concat_rows %a, %b : tensor<2x2xf32>, tensor<2x3xf32> -> tensor<4x2xf32>
  return
}

// -----

func.func @rows_do_not_add_up(%a: tensor<2x2xf32>) {
  // expected-error @below {{c3: the inputs have 4 rows in all, the result 5}}
  %0 = llm.concat_rows %a, %a : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<5x2xf32>
  return
}

// -----

func.func @nothing() {
  // expected-error @below {{c1: there is at least one input}}
  %0 = "llm.concat_rows"() : () -> tensor<5x2xf32>
  return
}

// -----

func.func @slice_of_other_columns(%a: tensor<4x2xf32>) {
  // expected-error @below {{c1: input and result differ in their rows alone}}
  %0 = llm.slice_rows %a offset 0 size 2 : tensor<4x2xf32> -> tensor<2x1xf32>
  return
}

// -----

func.func @slice_past_the_end(%a: tensor<4x2xf32>) {
  // expected-error @below {{c2: the rows 3 + 2 lie inside the input's 4}}
  %0 = llm.slice_rows %a offset 3 size 2 : tensor<4x2xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @slice_of_huge_offset(%a: tensor<4x2xf32>) {
  // expected-error @below {{c2: the rows 9223372036854775807 + 2 lie inside the input's 4}}
  %0 = llm.slice_rows %a offset 9223372036854775807 size 2 : tensor<4x2xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @slice_of_other_size(%a: tensor<4x2xf32>) {
  // expected-error @below {{c3: the result has 2 rows}}
  %0 = llm.slice_rows %a offset 0 size 2 : tensor<4x2xf32> -> tensor<3x2xf32>
  return
}

// -----

func.func @convert_of_other_shape(%a: tensor<4x2xf32>) {
  // expected-error @below {{c1: input and result have one shape and encoding}}
  %0 = llm.convert %a : tensor<4x2xf32> -> tensor<2x2xf16>
  return
}

// -----

func.func @convert_of_codes(%a: tensor<4x2xi8>) {
  // expected-error @below {{c2: input and result are of float elements}}
  %0 = llm.convert %a : tensor<4x2xi8> -> tensor<4x2xf16>
  return
}

// -----

func.func @repack_that_converts(%a: tensor<4x2xf32>) {
  // expected-error @below {{c1: input and result differ in their encoding alone}}
  %0 = llm.repack %a : tensor<4x2xf32> -> tensor<4x2xf16>
  return
}
