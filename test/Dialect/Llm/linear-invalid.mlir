// RUN: adze-opt %s --split-input-file --verify-diagnostics

func.func @weight_is_dynamic(%x: tensor<?x64xf32>, %w: tensor<?x64xf32>) {
  // expected-error @below {{c1: the weight's shape is static}}
  %0 = llm.linear %x, %w : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x32xf32>
  return
}

// -----

func.func @columns_differ(%x: tensor<?x63xf32>, %w: tensor<32x64xf32>) {
  // expected-error @below {{c2: the input has the weight's 64 columns, found 'tensor<?x63xf32>'}}
  %0 = llm.linear %x, %w : (tensor<?x63xf32>, tensor<32x64xf32>) -> tensor<?x32xf32>
  return
}

// -----

func.func @result_is_transposed(%x: tensor<5x64xf32>, %w: tensor<32x64xf32>) {
  // expected-error @below {{c3: the result has the input's rows and 32 columns, found 'tensor<32x5xf32>'}}
  %0 = llm.linear %x, %w : (tensor<5x64xf32>, tensor<32x64xf32>) -> tensor<32x5xf32>
  return
}

// -----

func.func @bias_is_short(%x: tensor<?x64xf32>, %w: tensor<32x64xf32>, %b: tensor<31xf32>) {
  // expected-error @below {{c4: the bias has 32 elements, found 'tensor<31xf32>'}}
  %0 = llm.linear %x, %w bias %b : (tensor<?x64xf32>, tensor<32x64xf32>, tensor<31xf32>) -> tensor<?x32xf32>
  return
}

// -----

func.func @group_of_zero(%x: tensor<?x64xf32>, %q: tensor<32x64xi4>, %s: tensor<32x2xf16>) {
  // expected-error @below {{c1: codes are static and the group 0 divides their columns}}
  %0 = llm.quantized_linear %x, %q, %s scheme zero_point group 0
      : (tensor<?x64xf32>, tensor<32x64xi4>, tensor<32x2xf16>) -> tensor<?x32xf32>
  return
}

// -----

func.func @scales_are_few(%x: tensor<?x64xf32>, %q: tensor<32x64xi4>, %s: tensor<32x1xf16>) {
  // expected-error @below {{c2: scales are 32 by 2, found 'tensor<32x1xf16>'}}
  %0 = llm.quantized_linear %x, %q, %s scheme zero_point group 32
      : (tensor<?x64xf32>, tensor<32x64xi4>, tensor<32x1xf16>) -> tensor<?x32xf32>
  return
}

// -----

func.func @integer_scales_alone(%x: tensor<?x64xf32>, %q: tensor<32x64xi8>, %s: tensor<32x4xi8>) {
  // expected-error @below {{c2: scales are i8 exactly when outer scales are given}}
  %0 = llm.quantized_linear %x, %q, %s scheme symmetric group 16
      : (tensor<?x64xf32>, tensor<32x64xi8>, tensor<32x4xi8>) -> tensor<?x32xf32>
  return
}

// -----

func.func @offsets_are_missing(%x: tensor<?x64xf32>, %q: tensor<32x64xi4>, %s: tensor<32x2xf16>) {
  // expected-error @below {{c3: offsets are given exactly for the scheme affine, found affine}}
  %0 = llm.quantized_linear %x, %q, %s scheme affine group 32
      : (tensor<?x64xf32>, tensor<32x64xi4>, tensor<32x2xf16>) -> tensor<?x32xf32>
  return
}

// -----

func.func @offsets_of_other_shape(%x: tensor<?x64xf32>, %q: tensor<32x64xi4>, %s: tensor<32x2xf16>, %m: tensor<32x1xf16>) {
  // expected-error @below {{c3: offsets have the scales' shape}}
  %0 = llm.quantized_linear %x, %q, %s offsets %m scheme affine group 32
      : (tensor<?x64xf32>, tensor<32x64xi4>, tensor<32x2xf16>, tensor<32x1xf16>) -> tensor<?x32xf32>
  return
}

// -----

func.func @outer_blocks_are_256(%x: tensor<?x64xf32>, %q: tensor<32x64xi8>, %s: tensor<32x4xi8>, %o: tensor<32x1xf16>) {
  // expected-error @below {{c4: outer scales are one for each row and 256 columns}}
  %0 = llm.quantized_linear %x, %q, %s outer %o scheme symmetric group 16
      : (tensor<?x64xf32>, tensor<32x64xi8>, tensor<32x4xi8>, tensor<32x1xf16>) -> tensor<?x32xf32>
  return
}

// -----

func.func @zero_point_of_bytes(%x: tensor<?x64xf32>, %q: tensor<32x64xi8>, %s: tensor<32x2xf16>) {
  // expected-error @below {{c5: zero_point has i4 codes, found 'tensor<32x64xi8>'}}
  %0 = llm.quantized_linear %x, %q, %s scheme zero_point group 32
      : (tensor<?x64xf32>, tensor<32x64xi8>, tensor<32x2xf16>) -> tensor<?x32xf32>
  return
}

// -----

func.func @columns_of_codes_differ(%x: tensor<?x32xf32>, %q: tensor<32x64xi8>, %s: tensor<32x2xf16>) {
  // expected-error @below {{c6: the input has the codes' 64 columns}}
  %0 = llm.quantized_linear %x, %q, %s scheme symmetric group 32
      : (tensor<?x32xf32>, tensor<32x64xi8>, tensor<32x2xf16>) -> tensor<?x32xf32>
  return
}

// -----

func.func @codes_without_scale(%x: tensor<?x64xi8>, %q: tensor<32x64xi8>, %s: tensor<32x2xf16>) {
  // expected-error @below {{c7: an i8 input comes with scale and sum, a float input with neither}}
  %0 = llm.quantized_linear %x, %q, %s scheme symmetric group 32
      : (tensor<?x64xi8>, tensor<32x64xi8>, tensor<32x2xf16>) -> tensor<?x32xf32>
  return
}

// -----

func.func @one_sum_for_many_zero_points(%x: tensor<?x64xi8>, %xs: tensor<?x1xf32>, %xu: tensor<?x1xi32>,
                                        %q: tensor<32x64xi4>, %s: tensor<32x2xf16>) {
  // expected-error @below {{c8: scale and sum have the input's rows and columns that divide the weight's 2 groups}}
  %0 = llm.quantized_linear %x scaled %xs sum %xu, %q, %s scheme zero_point group 32
      : (tensor<?x64xi8>, tensor<?x1xf32>, tensor<?x1xi32>, tensor<32x64xi4>, tensor<32x2xf16>) -> tensor<?x32xf32>
  return
}

// -----

func.func @result_of_other_columns(%x: tensor<?x64xf32>, %q: tensor<32x64xi8>, %s: tensor<32x2xf16>) {
  // expected-error @below {{c9: the result has the input's rows and 32 columns}}
  %0 = llm.quantized_linear %x, %q, %s scheme symmetric group 32
      : (tensor<?x64xf32>, tensor<32x64xi8>, tensor<32x2xf16>) -> tensor<?x64xf32>
  return
}

// -----

func.func @quantized_bias_is_long(%x: tensor<?x64xf32>, %q: tensor<32x64xi8>, %s: tensor<32x2xf16>, %b: tensor<64xf32>) {
  // expected-error @below {{c10: the bias has 32 elements}}
  %0 = llm.quantized_linear %x, %q, %s bias %b scheme symmetric group 32
      : (tensor<?x64xf32>, tensor<32x64xi8>, tensor<32x2xf16>, tensor<64xf32>) -> tensor<?x32xf32>
  return
}
