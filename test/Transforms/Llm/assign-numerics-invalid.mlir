// RUN: adze-opt %s --llm-assign-numerics=numerics=bf16 --split-input-file --verify-diagnostics
// RUN: not adze-opt %s --llm-assign-numerics=numerics=f64 --split-input-file 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: there are no numerics named 'f64'; accepted are f32, bf16 and a8

func.func @is_assigned_once(%x: tensor<?x64xf32>) -> tensor<?x64xbf16> {
  // expected-error @below {{llm-assign-numerics runs once, on activations of f32}}
  %0 = arith.truncf %x : tensor<?x64xf32> to tensor<?x64xbf16>
  return %0 : tensor<?x64xbf16>
}
