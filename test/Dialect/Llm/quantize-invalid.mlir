// RUN: adze-opt %s --split-input-file --verify-diagnostics

func.func @dynamic_columns(%x: tensor<?x?xf32>) {
  // expected-error @below {{c1: the input's columns are static and positive}}
  %q, %s, %u = llm.quantize %x group 0 : tensor<?x?xf32> -> tensor<?x64xi8>, tensor<?x1xf32>, tensor<?x1xi32>
  return
}

// -----

func.func @group_does_not_divide(%x: tensor<?x64xf32>) {
  // expected-error @below {{c2: the group is 0 (a whole row) or divides the 64 columns, found 48}}
  %q, %s, %u = llm.quantize %x group 48 : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x1xf32>, tensor<?x1xi32>
  return
}

// -----

func.func @codes_of_other_shape(%x: tensor<?x64xf32>) {
  // expected-error @below {{c3: codes have the input's shape}}
  %q, %s, %u = llm.quantize %x group 0 : tensor<?x64xf32> -> tensor<?x32xi8>, tensor<?x1xf32>, tensor<?x1xi32>
  return
}

// -----

func.func @scales_of_other_shape(%x: tensor<?x64xf32>) {
  // expected-error @below {{c4: scale and sum have the input's rows and 2 columns}}
  %q, %s, %u = llm.quantize %x group 32 : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x1xi32>
  return
}
