// The hot loops of 4-bit and 8-bit products hold the instruction that each level has for them, and the object needs no
// symbol of anyone.
//
// RUN: kernel-check %s --numerics=none --target=x86-64-v3 --object=%t.v3.o
// RUN: llvm-objdump -d --no-show-raw-insn %t.v3.o | FileCheck %s --check-prefix=V3
// RUN: kernel-check %s --numerics=none --target=avx512 --object=%t.v4.o
// RUN: llvm-objdump -d --no-show-raw-insn %t.v4.o | FileCheck %s --check-prefix=V4
// RUN: kernel-check %s --numerics=none --target=avx512vnni --object=%t.vnni.o
// RUN: llvm-objdump -d --no-show-raw-insn %t.vnni.o | FileCheck %s --check-prefix=VNNI
// RUN: kernel-check %s --numerics=none --target=amx --object=%t.amx.o --batch=37:37:37
// RUN: llvm-objdump -d --no-show-raw-insn %t.amx.o | FileCheck %s --check-prefix=AMX
// RUN: llvm-nm -u %t.v3.o %t.v4.o %t.vnni.o %t.amx.o | not grep " U "

// V3-LABEL: <quantized_linear_48x64>:
// V3: vpmaddubsw {{.*}}%ymm
// V3: vpmaddwd
// V3-NOT: zmm
// V4-LABEL: <quantized_linear_48x64>:
// V4: vpmaddubsw {{.*}}%zmm
// V4-NOT: vpdpbusd
// VNNI-LABEL: <quantized_linear_48x64>:
// VNNI-NOT: vpmaddubsw
// VNNI: vpdpbusd {{.*}}%zmm
// AMX-LABEL: <quantized_linear_48x64>:
// AMX-NOT: tdpb
// AMX: vpdpbusd {{.*}}%zmm
// AMX-LABEL: <quantized_linear_32x64>:
// AMX: ldtilecfg
// AMX: tileloadd
// AMX: tdpbssd
// AMX: tilestored
// AMX: vpdpbusd
// AMX: tilerelease

llm.weight @nibbles : tensor<48x64xi4> {
  %0 = arith.constant dense<1> : tensor<48x64xi4>
  llm.yield %0 : tensor<48x64xi4>
}
llm.weight @nibbles.scales : tensor<48x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<48x2xf16>
  llm.yield %0 : tensor<48x2xf16>
}
llm.weight @bytes : tensor<32x64xi8> {
  %0 = arith.constant dense<1> : tensor<32x64xi8>
  llm.yield %0 : tensor<32x64xi8>
}
llm.weight @bytes.scales : tensor<32x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<32x2xf16>
  llm.yield %0 : tensor<32x2xf16>
}
func.func @multiplies_codes(%x: tensor<?x64xf32>) -> (tensor<?x48xf32>, tensor<?x32xf32>) {
  %n = llm.get_weight @nibbles : tensor<48x64xi4>
  %ns = llm.get_weight @nibbles.scales : tensor<48x2xf16>
  %b = llm.get_weight @bytes : tensor<32x64xi8>
  %bs = llm.get_weight @bytes.scales : tensor<32x2xf16>
  %q, %s, %u = llm.quantize %x group 32 : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xi32>
  %0 = llm.quantized_linear %q scaled %s sum %u, %n, %ns scheme zero_point group 32
      : (tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xi32>, tensor<48x64xi4>, tensor<48x2xf16>) -> tensor<?x48xf32>
  %1 = llm.quantized_linear %q scaled %s sum %u, %b, %bs scheme symmetric group 32
      : (tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xi32>, tensor<32x64xi8>, tensor<32x2xf16>) -> tensor<?x32xf32>
  return %0, %1 : tensor<?x48xf32>, tensor<?x32xf32>
}
