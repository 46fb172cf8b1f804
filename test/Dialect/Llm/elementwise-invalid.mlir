// RUN: adze-opt %s --split-input-file --verify-diagnostics

func.func @silu_of_dynamic_columns(%x: tensor<?x?xf32>) {
  // expected-error @below {{c1: the columns are static}}
  %0 = llm.silu %x : tensor<?x?xf32>
  return
}

// -----

func.func @mul_of_dynamic_columns(%x: tensor<?x?xf32>) {
  // expected-error @below {{c1: the columns are static}}
  %0 = llm.mul %x, %x : tensor<?x?xf32>
  return
}

// -----

func.func @add_of_dynamic_columns(%x: tensor<?x?xf32>) {
  // expected-error @below {{c1: the columns are static}}
  %0 = llm.add %x, %x : tensor<?x?xf32>
  return
}

// -----

func.func @add_of_codes(%x: tensor<?x64xi8>) {
  // expected-error @below {{operand #0 must be 2D tensor of 32-bit float or 16-bit float or bfloat16 type values}}
  %0 = llm.add %x, %x : tensor<?x64xi8>
  return
}
