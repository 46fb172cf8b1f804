// RUN: adze-opt %s --tile-assign-layouts --split-input-file --verify-diagnostics | FileCheck %s
// RUN: adze-opt %s --tile-assign-layouts=target=avx512 --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=WIDE

// CHECK-LABEL: func.func @gives_a_product_lanes_along_its_outputs
// WIDE-LABEL: func.func @gives_a_product_lanes_along_its_outputs
func.func @gives_a_product_lanes_along_its_outputs(%x: !tile.ptr, %w: !tile.ptr, %s: !tile.ptr, %T: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %X = tile.view %x[%T, %c16] : !tile.view<2, f32>
  %W = tile.view %w[%c16, %c16] : !tile.view<2, f32>
  %S = tile.view %s[%c16] : !tile.view<1, f32>
  tile.grid (%t) = (%T) by [4] {
    %a = tile.load %X[%t, %c0] : !tile.view<2, f32> -> tensor<4x16xf32>
    // CHECK: tile.load %{{.*}} -> tensor<16x16xf32, #tile.regs<"| r1 r2 r4">>
    // WIDE: tile.load %{{.*}} -> tensor<16x16xf32, #tile.regs<"| r1 r2 r4 r8">>
    %b = tile.load %W[%c0, %c0] : !tile.view<2, f32> -> tensor<16x16xf32>
    // CHECK: tile.load %{{.*}} -> tensor<16xf32, #tile.regs<"| r1 r2 r4">>
    %s0 = tile.load %S[%c0] : !tile.view<1, f32> -> tensor<16xf32>
    // CHECK: tile.broadcast %{{.*}} dim 1 : tensor<16xf32, #tile.regs<"| r1 r2 r4">> -> tensor<16x16xf32, #tile.regs<"| r1 r2 r4">>
    %sb = tile.broadcast %s0 dim 1 : tensor<16xf32> -> tensor<16x16xf32>
    %bs = arith.mulf %b, %sb : tensor<16x16xf32>
    %zero = arith.constant dense<0.0> : tensor<4x16xf32>
    // CHECK: tile.dot {{.*}}, tensor<4x16xf32, #tile.regs<"| c1 c2 c4">>
    %d = tile.dot %a, %bs, %zero : tensor<4x16xf32>, tensor<16x16xf32>, tensor<4x16xf32>
    // CHECK: tile.reduce "add" %{{.*}} dim 1 : tensor<4x16xf32, #tile.regs<"| c1 c2 c4">> -> tensor<4xf32, #tile.regs<"|">>
    %m = tile.reduce "add" %d dim 1 : tensor<4x16xf32> -> tensor<4xf32>
    tile.store %m, %S[%t] : tensor<4xf32>, !tile.view<1, f32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @puts_lanes_last_where_no_product_speaks
func.func @puts_lanes_last_where_no_product_speaks(%x: !tile.ptr, %T: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %X = tile.view %x[%T, %T] : !tile.view<2, f32>
  tile.grid (%t) = (%T) by [4] {
    // CHECK: tensor<4x16xf32, #tile.regs<"| c1 c2 c4">>
    %a = tile.load %X[%t, %c0] : !tile.view<2, f32> -> tensor<4x16xf32>
    tile.store %a, %X[%t, %c0] : tensor<4x16xf32>, !tile.view<2, f32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @must_not_touch_functions_that_are_no_kernels
func.func @must_not_touch_functions_that_are_no_kernels(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: arith.addf %{{.*}}, %{{.*}} : tensor<4xf32>
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @refuses_two_products_that_want_different_lanes(%x: !tile.ptr, %T: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %X = tile.view %x[%T, %T] : !tile.view<2, f32>
  tile.grid (%t) = (%T) by [16] {
    %a = tile.load %X[%t, %c0] : !tile.view<2, f32> -> tensor<16x16xf32>
    // expected-error @below {{two products want the lanes of this tile along different dimensions (0 and 1)}}
    %zero = arith.constant dense<0.0> : tensor<16x16xf32>
    %d = tile.dot %a, %a, %zero : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
    %e = tile.dot %a, %d, %zero : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
    tile.store %e, %X[%t, %c0] : tensor<16x16xf32>, !tile.view<2, f32>
  }
  return
}

// -----

func.func @refuses_a_pack_that_the_argument_does_not_have(%w: !tile.ptr {tile.packed = #tile.storage<[8], "r1 r2 r4">}, %T: index) attributes {tile.kernel} {
  %W = tile.view %w[%T] {constant, storage = #tile.storage<[8], "r2 r1 r4">} : !tile.view<1, f32>
  tile.grid (%t) = (%T) by [8] {
    // expected-error @below {{reads #tile.storage<[8], "r2 r1 r4">, but the argument is packed as #tile.storage<[8], "r1 r2 r4">}}
    %a = tile.load %W[%t] : !tile.view<1, f32> -> tensor<8xf32>
    %b = arith.addf %a, %a : tensor<8xf32>
  }
  return
}
