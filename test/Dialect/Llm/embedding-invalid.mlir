// RUN: adze-opt %s --split-input-file --verify-diagnostics

func.func @table_is_dynamic(%token: tensor<?xi32>, %table: tensor<?x64xf32>) {
  // expected-error @below {{c1: the table's shape is static}}
  %0 = llm.embedding %token, %table : tensor<?xi32>, tensor<?x64xf32> -> tensor<?x64xf32>
  return
}

// -----

func.func @other_columns(%token: tensor<?xi32>, %table: tensor<100x64xf32>) {
  // expected-error @below {{c2: the result has one row for each token and the table's 64 columns, found 'tensor<?x32xf32>'}}
  %0 = llm.embedding %token, %table : tensor<?xi32>, tensor<100x64xf32> -> tensor<?x32xf32>
  return
}

// -----

func.func @other_rows(%token: tensor<3xi32>, %table: tensor<100x64xf32>) {
  // expected-error @below {{c2: the result has one row for each token}}
  %0 = llm.embedding %token, %table : tensor<3xi32>, tensor<100x64xf32> -> tensor<4x64xf32>
  return
}

// -----

func.func @quantized_of_other_columns(%token: tensor<?xi32>, %codes: tensor<100x64xi4>, %scales: tensor<100x2xf16>) {
  // expected-error @below {{c6: the result has one row for each token and the table's 64 columns}}
  %0 = llm.quantized_embedding %token, %codes, %scales scheme zero_point group 32
      : (tensor<?xi32>, tensor<100x64xi4>, tensor<100x2xf16>) -> tensor<?x32xf32>
  return
}

// -----

func.func @group_does_not_divide(%token: tensor<?xi32>, %codes: tensor<100x60xi4>, %scales: tensor<100x2xf16>) {
  // expected-error @below {{c1: codes are static and the group 32 divides their columns}}
  %0 = llm.quantized_embedding %token, %codes, %scales scheme zero_point group 32
      : (tensor<?xi32>, tensor<100x60xi4>, tensor<100x2xf16>) -> tensor<?x60xf32>
  return
}
