// RUN: adze-opt %s --split-input-file --verify-diagnostics

func.func @odd_head(%x: tensor<?x66xf32>, %f: tensor<16xf32>, %batch: !llm.batch) {
  // expected-error @below {{c1: head_dim is even and divides the input's columns, found 33}}
  %0 = llm.rope %x, %f, %batch head_dim 33 attention_factor 1.0 : tensor<?x66xf32>, tensor<16xf32>
  return
}

// -----

func.func @part_of_a_head(%x: tensor<?x48xf32>, %f: tensor<16xf32>, %batch: !llm.batch) {
  // expected-error @below {{c1: head_dim is even and divides the input's columns, found 32}}
  %0 = llm.rope %x, %f, %batch head_dim 32 attention_factor 1.0 : tensor<?x48xf32>, tensor<16xf32>
  return
}

// -----

func.func @short_table(%x: tensor<?x64xf32>, %f: tensor<15xf32>, %batch: !llm.batch) {
  // expected-error @below {{c2: inverse_frequency has 16 elements, found 'tensor<15xf32>'}}
  %0 = llm.rope %x, %f, %batch head_dim 32 attention_factor 1.0 : tensor<?x64xf32>, tensor<15xf32>
  return
}
