// RUN: adze-opt %s --tile-assign-layouts --convert-tile-to-cpu --canonicalize --cse | FileCheck %s

// B36: a page number is read as 32 bits, as the page list stores it, and widened before anything is multiplied: the
// offset into the pool is 64 bits wide (index), so a pool of more than 2^31 elements or bytes needs no proof.
// CHECK-LABEL: func.func @reads_a_page_by_a_wide_offset(
// CHECK-NOT: muli {{.*}} : i32
// CHECK: %[[NUMBER:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i32
// CHECK-NEXT: %[[PAGE:.*]] = arith.index_cast %[[NUMBER]] : i32 to index
// CHECK: arith.muli %[[PAGE]], %{{.*}} : index
// CHECK-NOT: muli {{.*}} : i32
// CHECK: return
func.func @reads_a_page_by_a_wide_offset(%list: !tile.ptr, %pool: !tile.ptr, %out: !tile.ptr, %T: index, %B: index, %R: index, %layer: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c4 = arith.constant 4 : index
  %many = arith.constant 1099511627776 : index
  %L = tile.view %list[%T] : !tile.view<1, i32>
  %P = tile.view %pool[%many, %c4, %c8] {strides = array<i64: 8192, 64, 1>} : !tile.view<3, f32>
  %O = tile.view %out[%T, %c8] : !tile.view<2, f32>
  tile.grid (%t) = (%T) by [1] {
    %page = tile.lookup %L[%t] : !tile.view<1, i32>
    %x = tile.load %P[%page, %layer, %c0] {dims = array<i64: 1, 2>, in_bounds = array<i64: 0, 1, 2>} : !tile.view<3, f32> -> tensor<1x8xf32>
    tile.store %x, %O[%t, %c0] {in_bounds = array<i64: 0, 1>} : tensor<1x8xf32>, !tile.view<2, f32>
  }
  return
}
