// RUN: not adze-opt %s --llm-choose-schedules=target=z80 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: there is no target named 'z80'
// RUN: adze-opt %s --llm-form-kernels --llm-choose-schedules | FileCheck %s
// RUN: adze-opt %s --llm-assign-weight-packs=target=avx512vnni --llm-form-kernels=target=avx512vnni \
// RUN:   --llm-choose-schedules=target=avx512vnni | FileCheck %s --check-prefix=WIDE
// The printed form is read again and kept.
// RUN: adze-opt %s --llm-assign-weight-packs=target=avx512vnni --llm-form-kernels=target=avx512vnni \
// RUN:   --llm-choose-schedules=target=avx512vnni > %t.mlir
// RUN: adze-opt %t.mlir --llm-choose-schedules=target=avx512vnni | diff %t.mlir -

llm.weight @w : tensor<64x64xf32> {
  %0 = arith.constant dense<1.0> : tensor<64x64xf32>
  llm.yield %0 : tensor<64x64xf32>
}

// The row is the target's: more registers take more columns. A packed weight's order stands in it.
// CHECK-LABEL: func.func @gives_each_kernel_the_row_of_its_family
// CHECK: llm.kernel family "linear"
// CHECK-SAME: schedule = #llm.schedule<tokens = 4, columns = 16, depth = 32, sums = invariant>
// CHECK: llm.kernel family "elementwise"
// CHECK-SAME: schedule = #llm.schedule<tokens = 1, columns = 64, depth = 64, sums = invariant>
// WIDE: #[[PACK:.*]] = #llm.packed<[16, 8], "r1 r2 r4 r8 c1 c2 c4">
// WIDE-LABEL: func.func @gives_each_kernel_the_row_of_its_family
// WIDE: llm.kernel family "linear"
// WIDE-SAME: schedule = #llm.schedule<tokens = 4, columns = 64, depth = 32, sums = invariant, pack = #[[PACK]]>
func.func @gives_each_kernel_the_row_of_its_family(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %w = llm.get_weight @w : tensor<64x64xf32>
  %0 = llm.linear %x, %w : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %1 = llm.silu %0 : tensor<?x64xf32>
  return %1 : tensor<?x64xf32>
}

// A step over k of a quantized weight is one of its groups, whatever the table says.
// CHECK-LABEL: func.func @takes_the_group_of_a_quantized_weight_for_depth
// CHECK: llm.kernel family "quantized_linear"
// CHECK-SAME: schedule = #llm.schedule<tokens = 4, columns = 16, depth = 16, sums = invariant>
func.func @takes_the_group_of_a_quantized_weight_for_depth(%x: tensor<?x64xf32>, %c: tensor<32x64xi8>,
    %s: tensor<32x4xf16>) -> tensor<?x32xf32> {
  %0 = llm.quantized_linear %x, %c, %s scheme symmetric group 16
      : (tensor<?x64xf32>, tensor<32x64xi8>, tensor<32x4xf16>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}
