// A pass that is wrong is found, with its op and its element; the same functions pass where nothing is wrong.
// RUN: split-file %s %t
// RUN: adze-opt --verify-each-by-execution --canonicalize --cse %t/slices.mlir -o %t.out 2>&1 | FileCheck %t/slices.mlir --check-prefix=RIGHT
// RUN: not adze-opt --verify-each-by-execution --load-pass-plugin=%wrong_passes --pass-pipeline='builtin.module(cse,wrong-shift-slices,cse)' %t/slices.mlir 2>&1 | FileCheck %t/slices.mlir
// RUN: not adze-opt --verify-each-by-execution --seed=7 --load-pass-plugin=%wrong_passes --pass-pipeline='builtin.module(wrong-double-first)' %t/chain.mlir 2>&1 | FileCheck %t/chain.mlir
// RUN: not adze-opt --verify-each-by-execution --load-pass-plugin=%wrong_passes --pass-pipeline='builtin.module(func.func(canonicalize),llm-form-kernels{rules=all},wrong-double-first)' %t/chain.mlir 2>&1 | FileCheck %t/chain.mlir --check-prefix=GROUP
// RUN: not adze-opt --verify-each-by-execution --load-pass-plugin=%wrong_passes --pass-pipeline='builtin.module(wrong-round-in-silence)' %t/silu.mlir 2>&1 | FileCheck %t/silu.mlir --check-prefix=SILENT
// RUN: not adze-opt --verify-each-by-execution --load-pass-plugin=%wrong_passes --pass-pipeline='builtin.module(wrong-round-past-its-bound)' %t/silu.mlir 2>&1 | FileCheck %t/silu.mlir --check-prefix=PAST
// RUN: adze-opt --verify-each-by-execution --load-pass-plugin=%wrong_passes --pass-pipeline='builtin.module(right-round-within-its-bound)' %t/silu.mlir 2>&1 | FileCheck %t/silu.mlir --check-prefix=WITHIN

//--- slices.mlir
// RIGHT: execution check: {{.*}} times around
// CHECK: slices.mlir:[[# @LINE + 6]]:{{.*}}: error: pass 'wrong-shift-slices' keeps every bit and yet changes @takes_two_halves: 'llm.slice_columns' result 0, element [0, 0]: before {{.*}}, after {{.*}} ({{[0-9]+}} of 416 differ)
// CHECK: note: before the pass 'llm.slice_columns' stood here
// CHECK: note: result 1 of @takes_two_halves, element [0, 0]: {{.*}}; inputs "{{[a-z]+}}", --seed=1
// CHECK: execution check:
func.func @takes_two_halves(%x: tensor<?x64xf32>) -> (tensor<?x32xf32>, tensor<?x32xf32>) {
  %a = llm.slice_columns %x offset 0 size 32 : tensor<?x64xf32> -> tensor<?x32xf32>
  %b = llm.slice_columns %x offset 32 size 32 : tensor<?x64xf32> -> tensor<?x32xf32>
  %c = llm.silu %b : tensor<?x32xf32>
  return %a, %c : tensor<?x32xf32>, tensor<?x32xf32>
}

//--- chain.mlir
// CHECK: chain.mlir:[[# @LINE + 6]]:{{.*}}: error: pass 'wrong-double-first' {{.*}} changes @adds_in_a_chain: 'llm.add' result 0, element [0, 0]:
// CHECK: --seed=7
// GROUP: chain.mlir:[[# @LINE + 4]]:{{.*}}: error: pass 'wrong-double-first' {{.*}}: 'llm.add' result 0
func.func @adds_in_a_chain(%x: tensor<?x64xf32>, %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %a = llm.silu %x : tensor<?x64xf32>
  %b = llm.silu %y : tensor<?x64xf32>
  %c = llm.add %a, %b : tensor<?x64xf32>
  %d = llm.mul %c, %a : tensor<?x64xf32>
  %e = llm.silu %d : tensor<?x64xf32>
  return %e : tensor<?x64xf32>
}

//--- silu.mlir
// SILENT: error: pass 'wrong-round-in-silence' keeps every bit and yet changes @is_rounded
// PAST: error: pass 'wrong-round-past-its-bound' rounds within its bound and yet changes @is_rounded: {{.*}} differ), allowed are 1.000000e-04 of the largest
// WITHIN: execution check:
func.func @is_rounded(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %y = llm.silu %x : tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
