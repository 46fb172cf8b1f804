// RUN: adze-opt %s --split-input-file --verify-diagnostics

func.func @weight_does_not_divide(%x: tensor<?x64xf32>, %w: tensor<48xf32>) {
  // expected-error @below {{c1: the weight's extent divides the input's columns, found 'tensor<48xf32>' and 'tensor<?x64xf32>'}}
  %0 = llm.rms_norm %x, %w epsilon 1.0e-5 : tensor<?x64xf32>, tensor<48xf32>
  return
}

// -----

func.func @epsilon_is_negative(%x: tensor<?x64xf32>, %w: tensor<64xf32>) {
  // expected-error @below {{c2: epsilon is finite and not negative}}
  %0 = llm.rms_norm %x, %w epsilon -1.0e-5 : tensor<?x64xf32>, tensor<64xf32>
  return
}
