// A wrong pass on fifteen ops: what is left is the op that it breaks and what makes it show, and the file repeats it.
// RUN: adze-reduce --wrong-result --load-pass-plugin=%wrong_passes --pass-pipeline='builtin.module(cse,wrong-double-first,canonicalize)' %s -o %t.mlir 2>&1 | FileCheck %s --check-prefix=NOTE
// RUN: FileCheck %s < %t.mlir
// RUN: not adze-opt --verify-each-by-execution --load-pass-plugin=%wrong_passes --pass-pipeline='builtin.module(cse,wrong-double-first,canonicalize)' %t.mlir 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: adze-opt --verify-each-by-execution --pass-pipeline='builtin.module(cse,canonicalize)' %t.mlir 2>&1 | FileCheck %s --check-prefix=RIGHT

// What is wrong with the question is said.
// RUN: not adze-reduce --pass-pipeline=cse %s 2>&1 | FileCheck %s --check-prefix=GOAL
// RUN: not adze-reduce --wrong-result %s 2>&1 | FileCheck %s --check-prefix=PASSES
// RUN: not adze-reduce --wrong-result --pass-pipeline=llm-fuse-everything %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not adze-reduce --wrong-result --pass-pipeline=cse %s 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not adze-reduce --wrong-result --pass-pipeline=cse --execution-cpu=z80 %s 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not adze-reduce --wrong-result --pass-pipeline=cse --load-pass-plugin=%t.none %s 2>&1 | FileCheck %s --check-prefix=PLUGIN
// GOAL: adze-reduce: say what the small file must still show: --wrong-result
// PASSES: adze-reduce: name the passes: --pass-pipeline='builtin.module(...)'
// UNKNOWN: adze-reduce: the pipeline 'llm-fuse-everything' cannot be built: {{.*}}llm-fuse-everything
// NOTHING: adze-reduce: no pass of 'cse' gives a wrong result for --seed=1
// CPU: adze-reduce: there is no target named 'z80'
// PLUGIN: adze-reduce: --load-pass-plugin:

// NOTE: adze-reduce: 15 ops became 1 in {{[0-9]+}} trials; pass 'wrong-double-first'
// AGAIN: error: pass 'wrong-double-first' keeps every bit and yet changes @spoils_one_sum: 'llm.add' result 0, element [0, 0]:
// AGAIN: --seed=1
// RIGHT: execution check: {{[0-9]+}} functions ran
// CHECK: // Pass 'wrong-double-first' gives a wrong result here. To repeat it:
// CHECK-NEXT: //   adze-opt --verify-each-by-execution
// CHECK: module attributes {adze.scenario = {name = "one", numbers = "integers", requests = [array<i64: 1, 1, 1, 0>], seed = 1 : i64}}
// CHECK-NOT: llm.weight
// CHECK-NOT: func.func @stays_right
// CHECK: func.func @spoils_one_sum(%{{.*}}: tensor<?x32xf32>, %{{.*}}: tensor<?x32xf32>) -> tensor<?x32xf32> {
// CHECK-NEXT: llm.add
// CHECK-NEXT: return

llm.weight @w : tensor<32x32xf32> {
  %0 = arith.constant dense<0.5> : tensor<32x32xf32>
  llm.yield %0 : tensor<32x32xf32>
}
llm.weight @n : tensor<32xf32> {
  %0 = arith.constant dense<1.0> : tensor<32xf32>
  llm.yield %0 : tensor<32xf32>
}

func.func @stays_right(%x: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %y = llm.silu %x : tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}

func.func @spoils_one_sum(%x: tensor<?x32xf32>, %batch: !llm.batch) -> (tensor<?x32xf32>, tensor<?x16xf32>) {
  %w = llm.get_weight @w : tensor<32x32xf32>
  %n = llm.get_weight @n : tensor<32xf32>
  %0 = llm.rms_norm %x, %n epsilon 1.0e-05 : tensor<?x32xf32>, tensor<32xf32>
  %1 = llm.linear %0, %w : (tensor<?x32xf32>, tensor<32x32xf32>) -> tensor<?x32xf32>
  %2 = llm.silu %1 : tensor<?x32xf32>
  %3 = llm.linear %0, %w : (tensor<?x32xf32>, tensor<32x32xf32>) -> tensor<?x32xf32>
  %4 = llm.mul %2, %3 : tensor<?x32xf32>
  %5 = llm.add %x, %4 : tensor<?x32xf32>
  %6 = llm.rms_norm %5, %n epsilon 1.0e-05 : tensor<?x32xf32>, tensor<32xf32>
  %7 = llm.silu %6 : tensor<?x32xf32>
  %8 = llm.mul %7, %5 : tensor<?x32xf32>
  %9 = llm.linear %8, %w : (tensor<?x32xf32>, tensor<32x32xf32>) -> tensor<?x32xf32>
  %10 = llm.gather_rows %9, %batch : tensor<?x32xf32> -> tensor<?x32xf32>
  %11 = llm.slice_columns %7 offset 16 size 16 : tensor<?x32xf32> -> tensor<?x16xf32>
  return %10, %11 : tensor<?x32xf32>, tensor<?x16xf32>
}
