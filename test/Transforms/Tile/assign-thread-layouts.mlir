// RUN: adze-opt %s --tile-assign-thread-layouts --split-input-file --verify-diagnostics | FileCheck %s
// RUN: adze-opt %s --tile-assign-thread-layouts=target=sm_90a --split-input-file --verify-diagnostics | FileCheck %s

// A product in bf16: the weight is packed for the instruction and comes as its operand; the activations are loaded as
// they lie and converted, once for all four warps. The bias follows the result.
// CHECK-LABEL: func.func @gives_a_product_the_layouts_of_its_instruction
// CHECK-SAME: tile.target = "sm_{{80|90a}}", tile.threads = 128 : i64
func.func @gives_a_product_the_layouts_of_its_instruction(%x: !tile.ptr, %w: !tile.ptr, %s: !tile.ptr, %y: !tile.ptr, %T: index)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %X = tile.view %x[%T, %c32] : !tile.view<2, bf16>
  %W = tile.view %w[%c64, %c32] {constant, storage = #tile.storage<[8, 32], "c1 c8 c16 c2 c4 r1 r2 r4">} : !tile.view<2, bf16>
  %S = tile.view %s[%c64] : !tile.view<1, f32>
  %Y = tile.view %y[%T, %c64] : !tile.view<2, f32>
  tile.grid (%t) = (%T) by [16] {
    // CHECK: tile.load {{.*}} -> tensor<16x32xbf16, #tile.regs<"c1 c2 | c4 c8 c16 r1 r2 | r4 r8">>
    %a = tile.load %X[%t, %c0] {in_bounds = array<i64: 1>} : !tile.view<2, bf16> -> tensor<16x32xbf16>
    // CHECK: tile.load {{.*}} -> tensor<64x32xbf16, #tile.regs<"c1 c8 c16 r8 | c2 c4 r1 r2 r4 | r16 r32">>
    %b = tile.load %W[%c0, %c0] : !tile.view<2, bf16> -> tensor<64x32xbf16>
    %zero = arith.constant dense<0.0> : tensor<16x64xf32>
    // CHECK: tile.convert_layout {{.*}} -> tensor<16x32xbf16, #tile.regs<"c1 r8 c8 c16 | c2 c4 r1 r2 r4 | 0 0">>
    // CHECK: tile.dot {{.*}} tensor<16x64xf32, #tile.regs<"c1 r8 c8 | c2 c4 r1 r2 r4 | c16 c32">>
    %d = tile.dot %a, %b, %zero : tensor<16x32xbf16>, tensor<64x32xbf16>, tensor<16x64xf32>
    // CHECK: tile.load {{.*}} -> tensor<64xf32, #tile.regs<"r1 r8 | r2 r4 0 0 0 | r16 r32">>
    %bias = tile.load %S[%c0] : !tile.view<1, f32> -> tensor<64xf32>
    %all = tile.broadcast %bias dim 0 : tensor<64xf32> -> tensor<16x64xf32>
    %sum = arith.addf %d, %all : tensor<16x64xf32>
    // CHECK-NOT: tile.convert_layout
    // CHECK: tile.store
    tile.store %sum, %Y[%t, %c0] {in_bounds = array<i64: 1>} : tensor<16x64xf32>, !tile.view<2, f32>
  }
  return
}

// -----

// Rows: 16 bytes a lane, neighbouring lanes neighbours; what is summed lies in every thread.
// CHECK-LABEL: func.func @lays_rows_as_memory_does
func.func @lays_rows_as_memory_does(%x: !tile.ptr, %y: !tile.ptr, %T: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  %X = tile.view %x[%T, %c1024] : !tile.view<2, f32>
  %Y = tile.view %y[%T] : !tile.view<1, f32>
  tile.grid (%t) = (%T) by [1] {
    // CHECK: tile.load {{.*}} -> tensor<1x1024xf32, #tile.regs<"c1 c2 c512 | c4 c8 c16 c32 c64 | c128 c256">>
    %a = tile.load %X[%t, %c0] {in_bounds = array<i64: 0, 1>} : !tile.view<2, f32> -> tensor<1x1024xf32>
    // CHECK: tile.reduce {{.*}} -> tensor<1xf32, #tile.regs<"| 0 0 0 0 0 | 0 0">>
    %m = tile.reduce "max" %a dim 1 : tensor<1x1024xf32> -> tensor<1xf32>
    tile.store %m, %Y[%t] {in_bounds = array<i64: 0>} : tensor<1xf32>, !tile.view<1, f32>
  }
  return
}

// -----

// No instruction multiplies f32 exactly: operands go to shared memory, each thread owns a square of outputs.
// CHECK-LABEL: func.func @multiplies_f32_from_shared_memory
func.func @multiplies_f32_from_shared_memory(%x: !tile.ptr, %y: !tile.ptr, %T: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %X = tile.view %x[%c32, %c32] : !tile.view<2, f32>
  %Y = tile.view %y[%c32, %c32] : !tile.view<2, f32>
  tile.grid (%t) = (%c32) by [32] {
    %a = tile.load %X[%c0, %c0] : !tile.view<2, f32> -> tensor<32x32xf32>
    %zero = arith.constant dense<0.0> : tensor<32x32xf32>
    // CHECK-COUNT-2: tile.convert_layout {{.*}} -> tensor<32x32xf32, #tile.shared<0>>
    // CHECK: tile.dot {{.*}} tensor<32x32xf32, #tile.regs<"r1 r2 c16 | c1 c2 c4 c8 r4 | r8 r16">>
    %d = tile.dot %a, %a, %zero : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
    tile.store %d, %Y[%c0, %c0] : tensor<32x32xf32>, !tile.view<2, f32>
  }
  return
}

// -----

// A constant is the operand that its instruction wants, without a conversion; four warps share 128 x 64 outputs so that
// each has the fewest rows of both operands to read.
// CHECK-LABEL: func.func @gives_constants_the_layout_that_is_wanted_and_warps_the_fewest_rows
// CHECK: arith.constant dense<1.000000e+00> : tensor<64x16xbf16, #tile.regs<"c1 c8 r8 r16 | c2 c4 r1 r2 r4 | 0 r32">>
// CHECK: tile.convert_layout {{.*}} -> tensor<128x16xbf16, #tile.regs<"c1 r8 c8 r16 r32 | c2 c4 r1 r2 r4 | r64 0">>
// CHECK-NOT: tile.convert_layout
// CHECK: tile.dot {{.*}} tensor<128x64xf32, #tile.regs<"c1 r8 c8 c16 r16 r32 | c2 c4 r1 r2 r4 | r64 c32">>
func.func @gives_constants_the_layout_that_is_wanted_and_warps_the_fewest_rows(%x: !tile.ptr, %y: !tile.ptr, %T: index)
    attributes {tile.kernel, tile.schedule = {warps = 4 : i64}} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %X = tile.view %x[%T, %c16] : !tile.view<2, bf16>
  %Y = tile.view %y[%T, %c64] : !tile.view<2, f32>
  tile.grid (%t) = (%T) by [128] {
    %a = tile.load %X[%t, %c0] {in_bounds = array<i64: 1>} : !tile.view<2, bf16> -> tensor<128x16xbf16>
    %ones = arith.constant dense<1.0> : tensor<64x16xbf16>
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %d = tile.dot %a, %ones, %zero : tensor<128x16xbf16>, tensor<64x16xbf16>, tensor<128x64xf32>
    tile.store %d, %Y[%t, %c0] {in_bounds = array<i64: 1>} : tensor<128x64xf32>, !tile.view<2, f32>
  }
  return
}

// -----

// Tokens by heads are rows of one product: what threads hold stays, only its coordinates are counted anew. The result is
// stored as it lies in the registers of the product.
// CHECK-LABEL: func.func @counts_tokens_and_heads_as_rows
func.func @counts_tokens_and_heads_as_rows(%q: !tile.ptr, %w: !tile.ptr, %y: !tile.ptr, %T: index)
    attributes {tile.kernel, tile.schedule = {warps = 1 : i64}} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %Q = tile.view %q[%T, %c4, %c16] : !tile.view<3, bf16>
  %W = tile.view %w[%c16, %c16] : !tile.view<2, bf16>
  %Y = tile.view %y[%T, %c4, %c16] : !tile.view<3, f32>
  tile.grid (%t) = (%T) by [4] {
    // CHECK: %[[LOADED:.*]] = tile.load {{.*}} -> tensor<4x4x16xbf16, #tile.regs<"d1 d2 d4 | d8 c1 c2 r1 r2">>
    %a = tile.load %Q[%t, %c0, %c0] : !tile.view<3, bf16> -> tensor<4x4x16xbf16>
    // CHECK: tile.reshape %[[LOADED]] {{.*}} -> tensor<16x16xbf16, #tile.regs<"c1 c2 c4 | c8 r1 r2 r4 r8">>
    %rows = tile.reshape %a : tensor<4x4x16xbf16> -> tensor<16x16xbf16>
    %b = tile.load %W[%c0, %c0] : !tile.view<2, bf16> -> tensor<16x16xbf16>
    %zero = arith.constant dense<0.0> : tensor<16x16xf32>
    // CHECK: tile.convert_layout {{.*}} -> tensor<16x16xbf16, #tile.regs<"c1 r8 c8 | c2 c4 r1 r2 r4">>
    // CHECK: %[[MADE:.*]] = tile.dot {{.*}} tensor<16x16xf32, #tile.regs<"c1 r8 c8 | c2 c4 r1 r2 r4">>
    %d = tile.dot %rows, %b, %zero : tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x16xf32>
    // CHECK: %[[BACK:.*]] = tile.reshape %[[MADE]] {{.*}} -> tensor<4x4x16xf32, #tile.regs<"d1 r2 d8 | d2 d4 c1 c2 r1">>
    // CHECK: tile.store %[[BACK]]
    %back = tile.reshape %d : tensor<16x16xf32> -> tensor<4x4x16xf32>
    tile.store %back, %Y[%t, %c0, %c0] : tensor<4x4x16xf32>, !tile.view<3, f32>
  }
  return
}

// -----

// What is masked behind copies ahead lies as the instruction wants it, and is not converted; what no iteration changes is
// converted before the loop.
// CHECK-LABEL: func.func @masks_as_the_instruction_wants_it_and_converts_queries_once
// CHECK: %[[Q:.*]] = tile.convert_layout {{.*}} -> tensor<16x64xbf16, #tile.regs<"c1 r8 c8 c16 c32 | c2 c4 r1 r2 r4">>
// CHECK: scf.for
// CHECK: tile.load {{.*}} -> tensor<16x64xbf16, #tile.regs<"c1 c2 c4 r4 r8 | c8 c16 c32 r1 r2">>
// CHECK: %[[K:.*]] = tile.convert_layout
// CHECK: tile.dot %[[Q]], %[[K]]
// CHECK: tile.load {{.*}} -> tensor<64x16xbf16, #tile.regs<"c1 c8 r8 r16 r32 | c2 c4 r1 r2 r4">>
// CHECK-NOT: tile.convert_layout
// CHECK: %[[SEEN:.*]] = arith.select {{.*}} tensor<64x16xbf16, #tile.regs<"c1 c8 r8 r16 r32 | c2 c4 r1 r2 r4">>
// CHECK-NEXT: tile.dot %{{.*}}, %[[SEEN]]
func.func @masks_as_the_instruction_wants_it_and_converts_queries_once(%q: !tile.ptr, %kv: !tile.ptr, %table: !tile.ptr, %y: !tile.ptr, %n: index) attributes {tile.kernel, tile.schedule = {stages = 2 : i64, warps = 1 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %many = arith.constant 1048576 : index
  %Q = tile.view %q[%c16, %c64] : !tile.view<2, bf16>
  %K = tile.view %kv[%many, %c16, %c64] {strides = array<i64: 2048, 64, 1>} : !tile.view<3, bf16>
  %V = tile.view %kv[%many, %c16, %c64] {offset = 2048 : i64, strides = array<i64: 2048, 64, 1>} : !tile.view<3, bf16>
  %T = tile.view %table[%n] : !tile.view<1, i32>
  %Y = tile.view %y[%c16, %c64] : !tile.view<2, f32>
  tile.grid (%t) = (%c16) by [16] {
    %x = tile.load %Q[%t, %c0] {in_bounds = array<i64: 0, 1>} : !tile.view<2, bf16> -> tensor<16x64xbf16>
    %zero = arith.constant dense<0.0> : tensor<16x64xf32>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x64xf32>) {
      %page = tile.lookup %T[%i] : !tile.view<1, i32>
      %k = tile.load %K[%page, %c0, %c0] {in_bounds = array<i64: 0, 1, 2>} : !tile.view<3, bf16> -> tensor<16x64xbf16>
      %none = arith.constant dense<0.0> : tensor<16x16xf32>
      %s = tile.dot %x, %k, %none : tensor<16x64xbf16>, tensor<16x64xbf16>, tensor<16x16xf32>
      %p = arith.truncf %s : tensor<16x16xf32> to tensor<16x16xbf16>
      %v = tile.load %V[%page, %c0, %c0] {dims = array<i64: 2, 1>, in_bounds = array<i64: 0, 1, 2>} : !tile.view<3, bf16> -> tensor<64x16xbf16>
      %mask = arith.constant dense<1> : tensor<64x16xi32>
      %at = tile.iota %i dim 1 : tensor<64x16xi32>
      %seen = arith.cmpi sge, %at, %mask : tensor<64x16xi32>
      %none2 = arith.constant dense<0.0> : tensor<64x16xbf16>
      %w = arith.select %seen, %v, %none2 : tensor<64x16xi1>, tensor<64x16xbf16>
      %a = tile.dot %p, %w, %acc : tensor<16x16xbf16>, tensor<64x16xbf16>, tensor<16x64xf32>
      scf.yield %a : tensor<16x64xf32>
    }
    tile.store %sum, %Y[%t, %c0] {in_bounds = array<i64: 0, 1>} : tensor<16x64xf32>, !tile.view<2, f32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @must_not_touch_what_has_threads_or_is_no_kernel
func.func @must_not_touch_what_has_threads_or_is_no_kernel(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: arith.addf %{{.*}}, %{{.*}} : tensor<4xf32>
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @refuses_a_tile_that_is_no_power_of_two(%x: !tile.ptr, %T: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %X = tile.view %x[%T, %T] : !tile.view<2, f32>
  tile.grid (%t) = (%T) by [1] {
    // expected-error @below {{has an extent of 12; threads of a GPU share tiles whose extents are powers of two}}
    %a = tile.load %X[%t, %c0] : !tile.view<2, f32> -> tensor<1x12xf32>
    tile.store %a, %X[%t, %c0] : tensor<1x12xf32>, !tile.view<2, f32>
  }
  return
}

// -----

// expected-error @below {{has a schedule of 3 warps; a power of two up to 32 is accepted}}
func.func @refuses_a_block_of_three_warps(%x: !tile.ptr, %T: index)
    attributes {tile.kernel, tile.schedule = {warps = 3 : i64}} {
  return
}
