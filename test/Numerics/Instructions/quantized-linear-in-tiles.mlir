// 4-bit codes go through tile registers where a schedule of 16 rows says so.
//
// RUN: adze-opt %s --llm-assign-weight-packs=target=amx --llm-form-kernels=target=amx --llm-choose-schedules=target=amx \
// RUN:   | sed -e 's/tokens = 8, columns/tokens = 16, columns/' > %t.mlir
// RUN: kernel-check %t.mlir --numerics=none --target=amx --object=%t.o --batch=37:37:37
// RUN: llvm-objdump -d --no-show-raw-insn %t.o | FileCheck %s
// RUN: llvm-nm -u %t.o | not grep " U "

// CHECK-LABEL: <quantized_linear_48x64>:
// CHECK: ldtilecfg
// CHECK: tileloadd
// CHECK: tdpbsud
// CHECK: tilestored
// CHECK: vpdpbusd
// CHECK: tilerelease

llm.weight @nibbles : tensor<48x64xi4> {
  %0 = arith.constant dense<1> : tensor<48x64xi4>
  llm.yield %0 : tensor<48x64xi4>
}
llm.weight @nibbles.scales : tensor<48x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<48x2xf16>
  llm.yield %0 : tensor<48x2xf16>
}
func.func @multiplies_codes(%x: tensor<?x64xf32>) -> tensor<?x48xf32> {
  %n = llm.get_weight @nibbles : tensor<48x64xi4>
  %ns = llm.get_weight @nibbles.scales : tensor<48x2xf16>
  %q, %s, %u = llm.quantize %x group 32 : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xi32>
  %0 = llm.quantized_linear %q scaled %s sum %u, %n, %ns scheme zero_point group 32
      : (tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xi32>, tensor<48x64xi4>, tensor<48x2xf16>) -> tensor<?x48xf32>
  return %0 : tensor<?x48xf32>
}
