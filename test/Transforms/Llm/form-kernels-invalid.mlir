// Named by its path, as the execution check of this folder runs nothing but straight lines.
// RUN: %build/bin/adze-opt %s --llm-form-kernels --split-input-file --verify-diagnostics

// expected-error @below {{a step has one block}}
func.func @has_two_blocks(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  cf.br ^next
^next:
  return %x : tensor<?x64xf32>
}

// -----

func.func @has_a_loop(%x: tensor<?x64xf32>, %n: index) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{has a region; a step is a straight line of ops}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?x64xf32> {
    %y = llm.silu %a : tensor<?x64xf32>
    scf.yield %y : tensor<?x64xf32>
  }
  return %r : tensor<?x64xf32>
}
