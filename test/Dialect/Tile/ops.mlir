// RUN: adze-opt %s | adze-opt | FileCheck %s

// CHECK-LABEL: func.func @prints_what_it_parses
// CHECK-SAME: %{{.*}}: !tile.ptr, %{{.*}}: !tile.ptr {tile.packed = #tile.storage<[8, 32], "c4 c1 c2 r1 r2 r4 c8 c16">}
// CHECK-SAME: attributes {tile.family = "linear", tile.kernel}
func.func @prints_what_it_parses(%x: !tile.ptr, %w: !tile.ptr {tile.packed = #tile.storage<[8, 32], "c4 c1 c2 r1 r2 r4 c8 c16">},
                                 %T: index) attributes {tile.kernel, tile.family = "linear"} {
  %c0 = arith.constant 0 : index
  %N = arith.constant 64 : index
  // CHECK: tile.view %{{.*}}[%{{.*}}, %{{.*}}] {offset = 64 : i64, overread, strides = array<i64: 128, 1>} : <2, f32>
  %X = tile.view %x[%T, %N] {offset = 64 : i64, overread, strides = array<i64: 128, 1>} : !tile.view<2, f32>
  // CHECK: tile.view {{.*}} {constant, storage = #tile.storage<[8, 32], "c4 c1 c2 r1 r2 r4 c8 c16">} : <2, i4>
  %W = tile.view %w[%N, %N] {constant, storage = #tile.storage<[8, 32], "c4 c1 c2 r1 r2 r4 c8 c16">} : !tile.view<2, i4>
  %I = tile.view %x[%T] : !tile.view<1, i64>
  // CHECK: tile.grid (%[[N:.*]], %[[T:.*]]) = (%{{.*}}, %{{.*}}) by [8, 2] {
  tile.grid (%n, %t) = (%N, %T) by [8, 2] {
    // CHECK: tile.lookup %{{.*}}[%[[T]]] : <1, i64>
    %i = tile.lookup %I[%t] : !tile.view<1, i64>
    // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}] {dims = array<i64: 1, 0>, in_bounds = array<i64: 1>} : <2, f32> -> tensor<16x2xf32>
    %a = tile.load %X[%i, %c0] {dims = array<i64: 1, 0>, in_bounds = array<i64: 1>} : !tile.view<2, f32> -> tensor<16x2xf32>
    // CHECK: tile.transpose %{{.*}} : tensor<16x2xf32> -> tensor<2x16xf32>
    %at = tile.transpose %a : tensor<16x2xf32> -> tensor<2x16xf32>
    // CHECK: tile.load %{{.*}} : <2, i4> -> tensor<8x16xi4>
    %q = tile.load %W[%n, %c0] : !tile.view<2, i4> -> tensor<8x16xi4>
    %b = arith.uitofp %q : tensor<8x16xi4> to tensor<8x16xf32>
    %zero = arith.constant dense<0.0> : tensor<2x8xf32>
    // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x16xf32>, tensor<8x16xf32>, tensor<2x8xf32>
    %d = tile.dot %at, %b, %zero : tensor<2x16xf32>, tensor<8x16xf32>, tensor<2x8xf32>
    // CHECK: tile.reduce "max" %{{.*}} dim 1 : tensor<2x8xf32> -> tensor<2xf32>
    %m = tile.reduce "max" %d dim 1 : tensor<2x8xf32> -> tensor<2xf32>
    // CHECK: tile.broadcast %{{.*}} dim 1 : tensor<2xf32> -> tensor<2x8xf32>
    %mb = tile.broadcast %m dim 1 : tensor<2xf32> -> tensor<2x8xf32>
    // CHECK: tile.iota %{{.*}} dim 0 : tensor<2x8xi32>
    %p = tile.iota %t dim 0 : tensor<2x8xi32>
    %one = arith.constant 1 : i32
    // CHECK: tile.splat %{{.*}} : i32 -> tensor<2x8xi32>
    %ones = tile.splat %one : i32 -> tensor<2x8xi32>
    // CHECK: tile.reshape %{{.*}} : tensor<2x8xf32> -> tensor<2x2x4xf32>
    %r = tile.reshape %mb : tensor<2x8xf32> -> tensor<2x2x4xf32>
    // CHECK: tile.extract %{{.*}} [0, 4] : tensor<2x8xf32> -> tensor<2x4xf32>
    %e = tile.extract %mb [0, 4] : tensor<2x8xf32> -> tensor<2x4xf32>
    // CHECK: tile.convert_layout %{{.*}} : tensor<2x4xf32> -> tensor<2x4xf32, #tile.regs<"| c1 c2">>
    %l = tile.convert_layout %e : tensor<2x4xf32> -> tensor<2x4xf32, #tile.regs<"| c1 c2">>
    // CHECK: tile.store %{{.*}}, %{{.*}}[%[[T]], %[[N]]] {in_bounds = array<i64: 0>} : tensor<2x4xf32>, <2, f32>
    tile.store %e, %X[%t, %n] {in_bounds = array<i64: 0>} : tensor<2x4xf32>, !tile.view<2, f32>
  }
  return
}

// CHECK-LABEL: func.func @integer_products_say_which_operand_is_unsigned
func.func @integer_products_say_which_operand_is_unsigned(%a: tensor<2x32xi8>, %b: tensor<8x32xi4>, %c: tensor<2x8xi32>) -> tensor<2x8xi32> {
  // CHECK: tile.dot {{.*}} {b_unsigned} : tensor<2x32xi8>, tensor<8x32xi4>, tensor<2x8xi32>
  %d = tile.dot %a, %b, %c {b_unsigned} : tensor<2x32xi8>, tensor<8x32xi4>, tensor<2x8xi32>
  return %d : tensor<2x8xi32>
}

// Registers, lanes, warps, blocks of a cluster; groups may be empty.
// CHECK: func.func private @layouts_have_up_to_four_groups(tensor<128x8xf32, #tile.regs<"c1 r8 | c2 c4 r1 r2 r4 | r16 r32 | r64">>, tensor<8x8xf32, #tile.regs<"c1 c2 | r1 r2 r4 | | c4">>)
func.func private @layouts_have_up_to_four_groups(tensor<128x8xf32, #tile.regs<"c1 r8 | c2 c4 r1 r2 r4 | r16 r32 | r64">>,
                                                  tensor<8x8xf32, #tile.regs<"c1 c2 | r1 r2 r4 | | c4">>)

// CHECK-LABEL: func.func @copies_are_put_committed_and_waited_for
func.func @copies_are_put_committed_and_waited_for(%x: !tile.ptr, %T: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %X = tile.view %x[%T, %T] : !tile.view<2, bf16>
  tile.grid (%t) = (%T) by [8] {
    // CHECK: %[[R:.*]] = tile.ring : <2, tensor<8x8xbf16, #tile.shared_order<"c1 c2 c4 r1+c4 r2 r4">>>
    %r = tile.ring : !tile.ring<2, tensor<8x8xbf16, #tile.shared_order<"c1 c2 c4 r1+c4 r2 r4">>>
    // CHECK: tile.put %[[R]][%{{.*}}] field 0, %{{.*}}[%{{.*}}, %{{.*}}] {in_bounds = array<i64: 1>, threads = #tile.regs<"c1 | c2 c4 r1 r2 r4">} : <2, tensor<8x8xbf16, #tile.shared_order<"c1 c2 c4 r1+c4 r2 r4">>>, <2, bf16>
    tile.put %r[%c0] field 0, %X[%t, %c0] {in_bounds = array<i64: 1>, threads = #tile.regs<"c1 | c2 c4 r1 r2 r4">}
        : !tile.ring<2, tensor<8x8xbf16, #tile.shared_order<"c1 c2 c4 r1+c4 r2 r4">>>, !tile.view<2, bf16>
    // CHECK: tile.commit
    tile.commit
    // CHECK: tile.wait 0
    tile.wait 0
    // CHECK: tile.get %[[R]][%{{.*}}] field 0 : {{.*}} -> tensor<8x8xbf16, #tile.shared_order<"c1 c2 c4 r1+c4 r2 r4">>
    %g = tile.get %r[%c0] field 0 : !tile.ring<2, tensor<8x8xbf16, #tile.shared_order<"c1 c2 c4 r1+c4 r2 r4">>>
        -> tensor<8x8xbf16, #tile.shared_order<"c1 c2 c4 r1+c4 r2 r4">>
    %a = tile.convert_layout %g : tensor<8x8xbf16, #tile.shared_order<"c1 c2 c4 r1+c4 r2 r4">> -> tensor<8x8xbf16>
    tile.store %a, %X[%t, %c0] : tensor<8x8xbf16>, !tile.view<2, bf16>
  }
  return
}
