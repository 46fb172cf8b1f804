// RUN: adze-opt %s --llm-form-kernels=rules=none --llm-verify-kernels | FileCheck %s --check-prefix=NONE
// RUN: adze-opt %s --llm-form-kernels --llm-verify-kernels | FileCheck %s --check-prefix=ALL
// RUN: not adze-opt %s --llm-form-kernels=rules=magic 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not adze-opt %s --llm-form-kernels=target=z80 2>&1 | FileCheck %s --check-prefix=TARGET
// NAME: there is no grouping rule named 'magic'; there are slice, residual, gate, rope, rows, norm, cast
// TARGET: there is no target named 'z80'

llm.weight @w : tensor<64x64xf32> {
  %0 = arith.constant dense<1.0> : tensor<64x64xf32>
  llm.yield %0 : tensor<64x64xf32>
}

// NONE-LABEL: @puts_every_op_into_a_kernel
// NONE: llm.get_weight
// NONE: llm.kernel family "linear" (%{{.*}} as %{{.*}}, %{{.*}} as %{{.*}} : tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32> attributes {rows = "T", unfused = ["residual: switched off by --fuse"]}
// NONE: llm.kernel family "elementwise"
// NONE: llm.kernel family "gather_rows" (%{{.*}}) -> tensor<?x64xf32> attributes {rows = "R"}
// NONE: llm.kernel family "elementwise" {{.*}} attributes {rows = "R"}
// NONE-NEXT: llm.silu
// ALL-LABEL: @puts_every_op_into_a_kernel
// ALL: llm.kernel family "linear" {{.*}} attributes {fused = ["residual"], rows = "T"}
// ALL: llm.kernel family "gather_rows" {{.*}} attributes {rows = "R", unfused = ["rows: its reader is no norm"]}
func.func @puts_every_op_into_a_kernel(%x: tensor<?x64xf32>, %batch: !llm.batch) -> tensor<?x64xf32> {
  %w = llm.get_weight @w : tensor<64x64xf32>
  %0 = llm.linear %x, %w : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %1 = llm.add %x, %0 : tensor<?x64xf32>
  %2 = llm.gather_rows %1, %batch : tensor<?x64xf32> -> tensor<?x64xf32>
  %3 = llm.silu %2 : tensor<?x64xf32>
  return %3 : tensor<?x64xf32>
}

// A kernel that is there already stays as it is, and no rule takes its neighbours in.
// ALL-LABEL: @leaves_a_kernel_alone
// ALL: %[[Y:.*]] = llm.kernel family "elementwise" ({{.*}}) -> tensor<?x64xf32> attributes {rows = "T"} {
// ALL-NEXT: llm.silu
// ALL: %[[L:.*]] = llm.kernel family "linear" (%[[Y]] as {{.*}} -> tensor<?x64xf32> attributes {mine = 1 : i64, rows = "T"} {
// ALL-NEXT: llm.linear
// ALL-NEXT: llm.yield
// ALL: %[[S:.*]] = llm.kernel family "elementwise" ({{.*}}%[[L]] as
// ALL-NEXT: llm.add
// ALL: return %[[S]]
func.func @leaves_a_kernel_alone(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %w = llm.get_weight @w : tensor<64x64xf32>
  %0 = llm.silu %x : tensor<?x64xf32>
  %1 = llm.kernel family "linear" (%0 as %a, %w as %b : tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32> attributes {rows = "T", mine = 1} {
    %l = llm.linear %a, %b : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    llm.yield %l : tensor<?x64xf32>
  }
  %2 = llm.add %x, %1 : tensor<?x64xf32>
  return %2 : tensor<?x64xf32>
}
