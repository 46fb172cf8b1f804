// RUN: adze-opt %s --llm-choose-schedules=target=sm_80 --split-input-file --verify-diagnostics | FileCheck %s

// A GPU's row has warps beside it, from the same table; those that are there are kept.
// CHECK-LABEL: func.func @gives_a_kernel_the_warps_of_its_family
// CHECK: llm.kernel family "linear"
// CHECK-SAME: schedule = #llm.schedule<tokens = 16, columns = 64, depth = 32, sums = invariant>
// CHECK-SAME: warps = 4
// CHECK: llm.kernel family "linear"
// CHECK-SAME: warps = 2
func.func @gives_a_kernel_the_warps_of_its_family(%x: tensor<?x64xf32>, %w: tensor<64x64xf32>) -> tensor<?x64xf32> {
  %y = llm.kernel family "linear" (%x as %a, %w as %b : tensor<?x64xf32>, tensor<64x64xf32>) -> (tensor<?x64xf32>)
      attributes {rows = "T"} {
    %0 = llm.linear %a, %b : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    llm.yield %0 : tensor<?x64xf32>
  }
  %z = llm.kernel family "linear" (%y as %a, %w as %b : tensor<?x64xf32>, tensor<64x64xf32>) -> (tensor<?x64xf32>)
      attributes {rows = "T", warps = 2 : i64} {
    %0 = llm.linear %a, %b : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    llm.yield %0 : tensor<?x64xf32>
  }
  return %z : tensor<?x64xf32>
}

// -----

func.func @refuses_more_warps_than_a_block_has(%x: tensor<?x64xf32>, %w: tensor<64x64xf32>) -> tensor<?x64xf32> {
  // expected-error @below {{its block has 64 warps; a power of two up to 32 is accepted}}
  %y = llm.kernel family "linear" (%x as %a, %w as %b : tensor<?x64xf32>, tensor<64x64xf32>) -> (tensor<?x64xf32>)
      attributes {rows = "T", warps = 64 : i64} {
    %0 = llm.linear %a, %b : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    llm.yield %0 : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}
