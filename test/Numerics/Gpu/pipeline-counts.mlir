// A loop over the depth of a product of int8 copies its operands ahead in 2, 3 or 4 slots, or not at all, with as many
// iterations as there are slots, fewer, none and many more, and in rows of 72 bytes, the second of which starts where no
// 16 bytes do. Run thread by thread after each pass: the sums are those of the sequential kernel, bit for bit.
//
// RUN: sed 's/stages = 4/stages = 1/' %s | adze-opt --verify-each-by-execution --split-input-file --pass-pipeline='builtin.module(tile-assign-thread-layouts{target=sm_80},tile-pipeline-loads)' 2>%t.log | FileCheck %s --check-prefix=STAGES1
// RUN: FileCheck %s --check-prefix=RAN --input-file=%t.log
// RUN: sed 's/stages = 4/stages = 2/' %s | adze-opt --verify-each-by-execution --split-input-file --pass-pipeline='builtin.module(tile-assign-thread-layouts{target=sm_80},tile-pipeline-loads)' 2>%t.log | FileCheck %s --check-prefix=STAGES2
// RUN: FileCheck %s --check-prefix=RAN --input-file=%t.log
// RUN: sed 's/stages = 4/stages = 3/' %s | adze-opt --verify-each-by-execution --split-input-file --pass-pipeline='builtin.module(tile-assign-thread-layouts{target=sm_80},tile-pipeline-loads)' 2>%t.log | FileCheck %s --check-prefix=STAGES3
// RUN: FileCheck %s --check-prefix=RAN --input-file=%t.log
// RUN: sed 's/stages = 4/stages = 4/' %s | adze-opt --verify-each-by-execution --split-input-file --pass-pipeline='builtin.module(tile-assign-thread-layouts{target=sm_80},tile-pipeline-loads)' 2>%t.log | FileCheck %s --check-prefix=STAGES4
// RUN: FileCheck %s --check-prefix=RAN --input-file=%t.log
// RAN: functions ran
// RAN-NOT: not run
// STAGES1-NOT: tile.ring
// STAGES2: tile.ring : <2
// STAGES3: tile.ring : <3
// STAGES4: tile.ring : <4

func.func @adds_products_of_no_iterations(%x: !tile.ptr, %w: !tile.ptr, %y: !tile.ptr, %T: index) attributes {tile.kernel, tile.schedule = {tokens = 16 : i64, columns = 64 : i64, depth = 32 : i64, sums = "invariant", warps = 2 : i64, stages = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %end = arith.constant 0 : index
  %depth = arith.constant 0 : index
  %0 = tile.view %x[%T, %depth] : <2, i8>
  %1 = tile.view %w[%c64, %depth] {constant} : <2, i8>
  %2 = tile.view %y[%T, %c64] : <2, i32>
  tile.grid (%t) = (%T) by [16] {
    %zero = arith.constant dense<0> : tensor<16x64xi32>
    %sum = scf.for %k = %c0 to %end step %c32 iter_args(%acc = %zero) -> (tensor<16x64xi32>) {
      %a = tile.load %0[%t, %k] {dims = array<i64: 0, 1>} : <2, i8> -> tensor<16x32xi8>
      %b = tile.load %1[%c0, %k] {dims = array<i64: 0, 1>, in_bounds = array<i64: 0>} : <2, i8> -> tensor<64x32xi8>
      %d = tile.dot %a, %b, %acc : tensor<16x32xi8>, tensor<64x32xi8>, tensor<16x64xi32>
      scf.yield %d : tensor<16x64xi32>
    }
    tile.store %sum, %2[%t, %c0] {dims = array<i64: 0, 1>, in_bounds = array<i64: 1>} : tensor<16x64xi32>, <2, i32>
  }
  return
}

// -----

func.func @adds_products_of_one_iterations(%x: !tile.ptr, %w: !tile.ptr, %y: !tile.ptr, %T: index) attributes {tile.kernel, tile.schedule = {tokens = 16 : i64, columns = 64 : i64, depth = 32 : i64, sums = "invariant", warps = 2 : i64, stages = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %end = arith.constant 32 : index
  %depth = arith.constant 32 : index
  %0 = tile.view %x[%T, %depth] : <2, i8>
  %1 = tile.view %w[%c64, %depth] {constant} : <2, i8>
  %2 = tile.view %y[%T, %c64] : <2, i32>
  tile.grid (%t) = (%T) by [16] {
    %zero = arith.constant dense<0> : tensor<16x64xi32>
    %sum = scf.for %k = %c0 to %end step %c32 iter_args(%acc = %zero) -> (tensor<16x64xi32>) {
      %a = tile.load %0[%t, %k] {dims = array<i64: 0, 1>} : <2, i8> -> tensor<16x32xi8>
      %b = tile.load %1[%c0, %k] {dims = array<i64: 0, 1>, in_bounds = array<i64: 0>} : <2, i8> -> tensor<64x32xi8>
      %d = tile.dot %a, %b, %acc : tensor<16x32xi8>, tensor<64x32xi8>, tensor<16x64xi32>
      scf.yield %d : tensor<16x64xi32>
    }
    tile.store %sum, %2[%t, %c0] {dims = array<i64: 0, 1>, in_bounds = array<i64: 1>} : tensor<16x64xi32>, <2, i32>
  }
  return
}

// -----

func.func @adds_products_of_two_iterations(%x: !tile.ptr, %w: !tile.ptr, %y: !tile.ptr, %T: index) attributes {tile.kernel, tile.schedule = {tokens = 16 : i64, columns = 64 : i64, depth = 32 : i64, sums = "invariant", warps = 2 : i64, stages = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %end = arith.constant 64 : index
  %depth = arith.constant 64 : index
  %0 = tile.view %x[%T, %depth] : <2, i8>
  %1 = tile.view %w[%c64, %depth] {constant} : <2, i8>
  %2 = tile.view %y[%T, %c64] : <2, i32>
  tile.grid (%t) = (%T) by [16] {
    %zero = arith.constant dense<0> : tensor<16x64xi32>
    %sum = scf.for %k = %c0 to %end step %c32 iter_args(%acc = %zero) -> (tensor<16x64xi32>) {
      %a = tile.load %0[%t, %k] {dims = array<i64: 0, 1>} : <2, i8> -> tensor<16x32xi8>
      %b = tile.load %1[%c0, %k] {dims = array<i64: 0, 1>, in_bounds = array<i64: 0>} : <2, i8> -> tensor<64x32xi8>
      %d = tile.dot %a, %b, %acc : tensor<16x32xi8>, tensor<64x32xi8>, tensor<16x64xi32>
      scf.yield %d : tensor<16x64xi32>
    }
    tile.store %sum, %2[%t, %c0] {dims = array<i64: 0, 1>, in_bounds = array<i64: 1>} : tensor<16x64xi32>, <2, i32>
  }
  return
}

// -----

func.func @adds_products_of_three_iterations(%x: !tile.ptr, %w: !tile.ptr, %y: !tile.ptr, %T: index) attributes {tile.kernel, tile.schedule = {tokens = 16 : i64, columns = 64 : i64, depth = 32 : i64, sums = "invariant", warps = 2 : i64, stages = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %end = arith.constant 96 : index
  %depth = arith.constant 72 : index
  %0 = tile.view %x[%T, %depth] : <2, i8>
  %1 = tile.view %w[%c64, %depth] {constant} : <2, i8>
  %2 = tile.view %y[%T, %c64] : <2, i32>
  tile.grid (%t) = (%T) by [16] {
    %zero = arith.constant dense<0> : tensor<16x64xi32>
    %sum = scf.for %k = %c0 to %end step %c32 iter_args(%acc = %zero) -> (tensor<16x64xi32>) {
      %a = tile.load %0[%t, %k] {dims = array<i64: 0, 1>} : <2, i8> -> tensor<16x32xi8>
      %b = tile.load %1[%c0, %k] {dims = array<i64: 0, 1>, in_bounds = array<i64: 0>} : <2, i8> -> tensor<64x32xi8>
      %d = tile.dot %a, %b, %acc : tensor<16x32xi8>, tensor<64x32xi8>, tensor<16x64xi32>
      scf.yield %d : tensor<16x64xi32>
    }
    tile.store %sum, %2[%t, %c0] {dims = array<i64: 0, 1>, in_bounds = array<i64: 1>} : tensor<16x64xi32>, <2, i32>
  }
  return
}

// -----

func.func @adds_products_of_seventeen_iterations(%x: !tile.ptr, %w: !tile.ptr, %y: !tile.ptr, %T: index) attributes {tile.kernel, tile.schedule = {tokens = 16 : i64, columns = 64 : i64, depth = 32 : i64, sums = "invariant", warps = 2 : i64, stages = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %end = arith.constant 544 : index
  %depth = arith.constant 544 : index
  %0 = tile.view %x[%T, %depth] : <2, i8>
  %1 = tile.view %w[%c64, %depth] {constant} : <2, i8>
  %2 = tile.view %y[%T, %c64] : <2, i32>
  tile.grid (%t) = (%T) by [16] {
    %zero = arith.constant dense<0> : tensor<16x64xi32>
    %sum = scf.for %k = %c0 to %end step %c32 iter_args(%acc = %zero) -> (tensor<16x64xi32>) {
      %a = tile.load %0[%t, %k] {dims = array<i64: 0, 1>} : <2, i8> -> tensor<16x32xi8>
      %b = tile.load %1[%c0, %k] {dims = array<i64: 0, 1>, in_bounds = array<i64: 0>} : <2, i8> -> tensor<64x32xi8>
      %d = tile.dot %a, %b, %acc : tensor<16x32xi8>, tensor<64x32xi8>, tensor<16x64xi32>
      scf.yield %d : tensor<16x64xi32>
    }
    tile.store %sum, %2[%t, %c0] {dims = array<i64: 0, 1>, in_bounds = array<i64: 1>} : tensor<16x64xi32>, <2, i32>
  }
  return
}
