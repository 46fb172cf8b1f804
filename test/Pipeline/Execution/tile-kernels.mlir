// Kernels that stand alone are run on generated memory before and after each pass.
// RUN: adze-opt --verify-each-by-execution --pass-pipeline='builtin.module(tile-peel-boundaries,tile-assign-layouts)' %s -o %t 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: not adze-opt --verify-each-by-execution --load-pass-plugin=%wrong_passes --pass-pipeline='builtin.module(tile-peel-boundaries,wrong-drop-last-grid)' %s 2>&1 | FileCheck %s

// RIGHT: execution check: 9 functions ran 30 times around 2 passes that changed something; not run: @reads_a_table (@reads_a_table reads tables of numbers, which only a step can fill)

// CHECK: tile-kernels.mlir:[[# @LINE + 10]]:{{.*}}: error: pass 'wrong-drop-last-grid' keeps every bit and yet changes @doubles_rows: 'tile.store' result 1, element [
func.func @doubles_rows(%x: !tile.ptr, %y: !tile.ptr, %T: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %N = arith.constant 16 : index
  %X = tile.view %x[%T, %N] : !tile.view<2, f32>
  %Y = tile.view %y[%T, %N] : !tile.view<2, f32>
  tile.grid (%t) = (%T) by [4] {
    %a = tile.load %X[%t, %c0] : !tile.view<2, f32> -> tensor<4x16xf32>
    %two = arith.constant dense<2.0> : tensor<4x16xf32>
    %b = arith.mulf %a, %two : tensor<4x16xf32>
    tile.store %b, %Y[%t, %c0] : tensor<4x16xf32>, !tile.view<2, f32>
  }
  return
}

// Both boundaries are masks until they are peeled: columns that no register divides, rows that may not be there.
func.func @rounds_rows_to_bf16(%x: !tile.ptr, %y: !tile.ptr, %T: index) attributes {tile.kernel} {
  %N = arith.constant 21 : index
  %X = tile.view %x[%T, %N] : !tile.view<2, f32>
  %Y = tile.view %y[%T, %N] : !tile.view<2, bf16>
  tile.grid (%t, %n) = (%T, %N) by [4, 16] {
    %a = tile.load %X[%t, %n] : !tile.view<2, f32> -> tensor<4x16xf32>
    %b = arith.truncf %a : tensor<4x16xf32> to tensor<4x16xbf16>
    tile.store %b, %Y[%t, %n] : tensor<4x16xbf16>, !tile.view<2, bf16>
  }
  return
}

func.func @reads_a_table(%p: !tile.ptr, %y: !tile.ptr, %T: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %P = tile.view %p[%T] : !tile.view<1, i32>
  %Y = tile.view %y[%T] : !tile.view<1, f32>
  tile.grid (%t) = (%T) by [4] {
    %i = tile.lookup %P[%c0] : !tile.view<1, i32>
    %there = tile.iota %i dim 0 : tensor<4xi32>
    %number = arith.sitofp %there : tensor<4xi32> to tensor<4xf32>
    tile.store %number, %Y[%t] : tensor<4xf32>, !tile.view<1, f32>
  }
  return
}
