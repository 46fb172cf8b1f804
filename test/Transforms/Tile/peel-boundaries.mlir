// RUN: adze-opt %s --tile-peel-boundaries | FileCheck %s

// A rest of tokens runs one row at a time, with tiles of one row.
// CHECK-LABEL: func.func @splits_tokens_into_whole_tiles_and_single_rows
func.func @splits_tokens_into_whole_tiles_and_single_rows(%x: !tile.ptr, %y: !tile.ptr, %T: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %N = arith.constant 16 : index
  %X = tile.view %x[%T, %N] : !tile.view<2, f32>
  %Y = tile.view %y[%T, %N] : !tile.view<2, f32>
  // CHECK: %[[C4:.*]] = arith.constant 4 : index
  // CHECK: %[[REST:.*]] = arith.remui %[[T:.*]], %[[C4]] : index
  // CHECK: %[[WHOLE:.*]] = arith.subi %[[T]], %[[REST]] : index
  // CHECK: tile.grid (%{{.*}}) = (%[[WHOLE]]) by [4] {
  // CHECK: tile.load {{.*}} {in_bounds = array<i64: 0>} : <2, f32> -> tensor<4x16xf32>
  // CHECK: tile.reduce "add" %{{.*}} dim 1 : tensor<4x16xf32> -> tensor<4xf32>
  // CHECK: tile.store {{.*}} {in_bounds = array<i64: 0>} : tensor<4x16xf32>
  // CHECK: tile.grid (%[[I:.*]]) = (%[[REST]]) by [1] {
  // CHECK: %[[ORIGIN:.*]] = arith.addi %[[I]], %[[WHOLE]] : index
  // CHECK: tile.load %{{.*}}[%[[ORIGIN]], %{{.*}}] {in_bounds = array<i64: 0>} : <2, f32> -> tensor<1x16xf32>
  // CHECK: arith.constant dense<2.000000e+00> : tensor<1x16xf32>
  // CHECK: tile.reduce "add" %{{.*}} dim 1 : tensor<1x16xf32> -> tensor<1xf32>
  // CHECK: tile.broadcast %{{.*}} dim 1 : tensor<1xf32> -> tensor<1x16xf32>
  // CHECK: tile.store {{.*}} : tensor<1x16xf32>
  tile.grid (%t) = (%T) by [4] {
    %a = tile.load %X[%t, %c0] : !tile.view<2, f32> -> tensor<4x16xf32>
    %two = arith.constant dense<2.0> : tensor<4x16xf32>
    %b = arith.mulf %a, %two : tensor<4x16xf32>
    %s = tile.reduce "add" %b dim 1 : tensor<4x16xf32> -> tensor<4xf32>
    %sb = tile.broadcast %s dim 1 : tensor<4xf32> -> tensor<4x16xf32>
    tile.store %sb, %Y[%t, %c0] : tensor<4x16xf32>, !tile.view<2, f32>
  }
  return
}

// Larger tiles leave tiles of four first, then single rows: the tile of four starts behind the whole tiles, a single row
// behind both.
// CHECK-LABEL: func.func @splits_large_tiles_into_fours_and_single_rows
func.func @splits_large_tiles_into_fours_and_single_rows(%x: !tile.ptr, %T: index) attributes {tile.kernel} {
  %X = tile.view %x[%T] : !tile.view<1, f32>
  // CHECK: %[[REST:.*]] = arith.remui %[[T:.*]], %{{.*}} : index
  // CHECK: %[[WHOLE:.*]] = arith.subi %[[T]], %[[REST]] : index
  // CHECK: tile.grid (%{{.*}}) = (%[[WHOLE]]) by [16] {
  // CHECK: tile.store {{.*}} : tensor<16xf32>
  // CHECK: %[[ONES:.*]] = arith.remui %[[REST]], %{{.*}} : index
  // CHECK: %[[FOURS:.*]] = arith.subi %[[REST]], %[[ONES]] : index
  // CHECK: tile.grid (%[[I:.*]]) = (%[[FOURS]]) by [4] {
  // CHECK: %[[AT:.*]] = arith.addi %[[I]], %[[WHOLE]] : index
  // CHECK: tile.load %{{.*}}[%[[AT]]] {in_bounds = array<i64: 0>} : <1, f32> -> tensor<4xf32>
  // CHECK: tile.grid (%[[J:.*]]) = (%[[ONES]]) by [1] {
  // CHECK: %[[BEHIND:.*]] = arith.addi %[[J]], %[[FOURS]] : index
  // CHECK: %[[LAST:.*]] = arith.addi %[[BEHIND]], %[[WHOLE]] : index
  // CHECK: tile.load %{{.*}}[%[[LAST]]] {in_bounds = array<i64: 0>} : <1, f32> -> tensor<1xf32>
  tile.grid (%t) = (%T) by [16] {
    %a = tile.load %X[%t] : !tile.view<1, f32> -> tensor<16xf32>
    %b = arith.addf %a, %a : tensor<16xf32>
    tile.store %b, %X[%t] : tensor<16xf32>, !tile.view<1, f32>
  }
  return
}

// CHECK-LABEL: func.func @leaves_a_static_extent_that_the_tile_divides
func.func @leaves_a_static_extent_that_the_tile_divides(%x: !tile.ptr, %T: index) attributes {tile.kernel} {
  %N = arith.constant 32 : index
  %X = tile.view %x[%N] : !tile.view<1, f32>
  // CHECK: tile.grid (%{{.*}}) = (%{{.*}}) by [16] {
  // CHECK: tile.store {{.*}} {in_bounds = array<i64: 0>}
  // CHECK-NOT: tile.grid
  tile.grid (%n) = (%N) by [16] {
    %z = arith.constant dense<0.0> : tensor<16xf32>
    tile.store %z, %X[%n] : tensor<16xf32>, !tile.view<1, f32>
  }
  return
}

// CHECK-LABEL: func.func @makes_one_smaller_tile_of_a_static_rest
func.func @makes_one_smaller_tile_of_a_static_rest(%x: !tile.ptr, %T: index) attributes {tile.kernel} {
  %N = arith.constant 40 : index
  %X = tile.view %x[%N] : !tile.view<1, f32>
  // CHECK: tile.grid (%{{.*}}) = (%{{.*}}) by [16] {
  // CHECK: tile.grid (%{{.*}}) = (%{{.*}}) by [8] {
  // CHECK: tile.store %{{.*}}, %{{.*}}[%c32] {in_bounds = array<i64: 0>} : tensor<8xf32>
  tile.grid (%n) = (%N) by [16] {
    %z = arith.constant dense<0.0> : tensor<16xf32>
    tile.store %z, %X[%n] : tensor<16xf32>, !tile.view<1, f32>
  }
  return
}

// A piece of the dimension keeps its size: the grid stays whole and masked.
// CHECK-LABEL: func.func @must_not_resize_a_tile_that_is_cut_along_the_dimension
func.func @must_not_resize_a_tile_that_is_cut_along_the_dimension(%x: !tile.ptr, %y: !tile.ptr, %T: index) attributes {tile.kernel} {
  %X = tile.view %x[%T] : !tile.view<1, f32>
  %Y = tile.view %y[%T] : !tile.view<1, f32>
  // CHECK: tile.grid (%{{.*}}) = (%{{.*}}) by [4] {
  // CHECK: tile.load %{{.*}}[%{{.*}}] : <1, f32> -> tensor<4xf32>
  // CHECK-NOT: tile.grid
  tile.grid (%t) = (%T) by [4] {
    %a = tile.load %X[%t] : !tile.view<1, f32> -> tensor<4xf32>
    %b = tile.extract %a [2] : tensor<4xf32> -> tensor<2xf32>
    tile.store %b, %Y[%t] : tensor<2xf32>, !tile.view<1, f32>
  }
  return
}
