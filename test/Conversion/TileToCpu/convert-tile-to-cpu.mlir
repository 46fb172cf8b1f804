// RUN: adze-opt %s --tile-assign-layouts --convert-tile-to-cpu --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @add_blocks(%{{.*}}: !llvm.ptr) -> i64
// CHECK-LABEL: func.func @add(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
// CHECK: scf.for
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<8xf32>
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<8xf32>
// CHECK: llvm.store %{{.*}}, %{{.*}} : vector<8xf32>, !llvm.ptr
func.func @add(%x: !tile.ptr, %y: !tile.ptr, %T: index, %B: index, %R: index, %layer: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %X = tile.view %x[%T, %c8] : !tile.view<2, f32>
  %Y = tile.view %y[%T, %c8] : !tile.view<2, f32>
  tile.grid (%t) = (%T) by [1] {
    %a = tile.load %X[%t, %c0] {in_bounds = array<i64: 0, 1>} : !tile.view<2, f32> -> tensor<1x8xf32>
    %b = arith.addf %a, %a : tensor<1x8xf32>
    tile.store %b, %Y[%t, %c0] {in_bounds = array<i64: 0, 1>} : tensor<1x8xf32>, !tile.view<2, f32>
  }
  return
}

// -----

// A constant index of a getelementptr has 29 bits; what is farther away is a value.
// CHECK-LABEL: func.func @reads_far_behind_a_pointer(
// CHECK: %[[FAR:.*]] = arith.constant 268435456 : i64
// CHECK: llvm.getelementptr %{{.*}}[%[[FAR]]]
func.func @reads_far_behind_a_pointer(%x: !tile.ptr, %y: !tile.ptr, %T: index, %B: index, %R: index, %layer: index) attributes {tile.kernel} {
  %X = tile.view %x[%T] {offset = 268435456 : i64} : !tile.view<1, f32>
  %Y = tile.view %y[%T] : !tile.view<1, f32>
  tile.grid (%t) = (%T) by [8] {
    %a = tile.load %X[%t] {in_bounds = array<i64: 0>} : !tile.view<1, f32> -> tensor<8xf32>
    tile.store %a, %Y[%t] {in_bounds = array<i64: 0>} : tensor<8xf32>, !tile.view<1, f32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @stores_the_bits_of_bf16_under_a_mask(
// CHECK: llvm.intr.masked.store %{{.*}}, %{{.*}}, %{{.*}} {alignment = 2 : i32} : vector<8xi16>, vector<8xi1> into !llvm.ptr
func.func @stores_the_bits_of_bf16_under_a_mask(%x: !tile.ptr, %y: !tile.ptr, %T: index, %B: index, %R: index, %layer: index) attributes {tile.kernel} {
  %X = tile.view %x[%T] : !tile.view<1, f32>
  %Y = tile.view %y[%T] : !tile.view<1, bf16>
  tile.grid (%t) = (%T) by [8] {
    %a = tile.load %X[%t] : !tile.view<1, f32> -> tensor<8xf32>
    %b = arith.truncf %a : tensor<8xf32> to tensor<8xbf16>
    tile.store %b, %Y[%t] : tensor<8xbf16>, !tile.view<1, bf16>
  }
  return
}

// -----

// CHECK-LABEL: func.func @loads_the_bits_of_bf16_under_a_mask(
// CHECK: scf.if %{{.*}} -> (vector<8xi16>)
// CHECK: llvm.intr.masked.load %{{.*}}, %{{.*}}, %{{.*}} {alignment = 2 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xi16>) -> vector<8xi16>
func.func @loads_the_bits_of_bf16_under_a_mask(%x: !tile.ptr, %y: !tile.ptr, %T: index, %B: index, %R: index, %layer: index) attributes {tile.kernel} {
  %X = tile.view %x[%T] : !tile.view<1, bf16>
  %Y = tile.view %y[%T] : !tile.view<1, bf16>
  tile.grid (%t) = (%T) by [8] {
    %a = tile.load %X[%t] : !tile.view<1, bf16> -> tensor<8xbf16>
    tile.store %a, %Y[%t] : tensor<8xbf16>, !tile.view<1, bf16>
  }
  return
}

// -----

// CHECK-LABEL: func.func @must_not_touch_functions_that_are_no_kernels
func.func @must_not_touch_functions_that_are_no_kernels(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: arith.addf {{.*}} : tensor<4xf32>
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @refuses_a_packed_offset_inside_a_block(%w: !tile.ptr, %y: !tile.ptr, %T: index, %B: index, %R: index, %layer: index) attributes {tile.kernel} {
  %c3 = arith.constant 3 : index
  %W = tile.view %w[%T] {constant, storage = #tile.storage<[8], "r1 r2 r4">} : !tile.view<1, f32>
  %Y = tile.view %y[%T] : !tile.view<1, f32>
  tile.grid (%t) = (%T) by [8] {
    %o = arith.addi %t, %c3 : index
    // expected-error @below {{has no CPU form: the offset along dimension 0 of packed memory is a multiple of 1 alone; the tile needs a multiple of its block, 8}}
    %a = tile.load %W[%o] {in_bounds = array<i64: 0>} : !tile.view<1, f32> -> tensor<8xf32>
    tile.store %a, %Y[%t] : tensor<8xf32>, !tile.view<1, f32>
  }
  return
}

// -----

func.func @refuses_elements_below_a_byte_without_an_order(%w: !tile.ptr, %T: index, %B: index, %R: index, %layer: index) attributes {tile.kernel} {
  // expected-error @below {{has no CPU form: elements smaller than a byte need a `storage` order}}
  %W = tile.view %w[%T] : !tile.view<1, i4>
  tile.grid (%t) = (%T) by [8] {}
  return
}

// -----

// What stands before the grids is also run to count the blocks, where no memory is read.
func.func @refuses_a_number_of_blocks_that_lies_in_memory(%x: !tile.ptr, %T: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %X = tile.view %x[%T] : !tile.view<1, i32>
  // expected-error @below {{has no CPU form}}
  %n = tile.lookup %X[%c0] : !tile.view<1, i32>
  tile.grid (%t) = (%n) by [1] {
  }
  return
}

// -----

func.func @needs_the_names_of_its_parts(%x: !tile.ptr, %T: index) attributes {tile.kernel} {
  return
}
// expected-error @below {{has the name that the kernel @needs_the_names_of_its_parts needs for a part of its code}}
func.func private @needs_the_names_of_its_parts_blocks()
