// A product of bf16 by bf16 is formed by the level's one instruction for it, in the grid for many rows and in the one for
// a single row alike.
//
// RUN: kernel-check %s --numerics=none --tolerance=2e-5 --target=avx512bf16 --object=%t.bf16.o
// RUN: llvm-objdump -d --no-show-raw-insn %t.bf16.o | FileCheck %s --check-prefix=BF16
// RUN: kernel-check %s --numerics=none --tolerance=2e-5 --target=amx --object=%t.amx.o --batch=37:37:37
// RUN: llvm-objdump -d --no-show-raw-insn %t.amx.o | FileCheck %s --check-prefix=AMX
// RUN: llvm-nm -u %t.bf16.o %t.amx.o | not grep " U "

// BF16-LABEL: <linear_48x70>:
// BF16-COUNT-8: vdpbf16ps {{.*}}%zmm
// BF16-NOT: vfmadd
// AMX-LABEL: <linear_48x70>:
// AMX-NOT: vdpbf16ps
// AMX-NOT: vfmadd
// AMX: ldtilecfg
// AMX: tdpbf16ps
// AMX: ldtilecfg
// AMX: tdpbf16ps
// AMX: ldtilecfg
// AMX: tdpbf16ps
// AMX: tilerelease

llm.weight @w : tensor<48x70xbf16> {
  %0 = arith.constant dense<1.0> : tensor<48x70xbf16>
  llm.yield %0 : tensor<48x70xbf16>
}

func.func @multiplies_bf16(%x: tensor<?x70xbf16>) -> tensor<?x48xf32> {
  %w = llm.get_weight @w : tensor<48x70xbf16>
  %y = llm.linear %x, %w : (tensor<?x70xbf16>, tensor<48x70xbf16>) -> tensor<?x48xf32>
  return %y : tensor<?x48xf32>
}
