// RUN: adze-opt %s --tile-pipeline-loads --split-input-file 2>%t.log | FileCheck %s
// RUN: FileCheck %s --check-prefix=RAN --input-file=%t.log
//
// All but the kernels that look addresses up ran before and after, thread by thread. They are what
// tile-assign-thread-layouts makes of sequential kernels.
// RAN: functions ran
// RAN-NOT: {{not run: @[^m]|, @[^m]|linker}}
//
// Both operands are copied two iterations ahead: the activations under the swizzle that ldmatrix reads without conflicts,
// the weight in the order of its pack. One wait an iteration.
// CHECK-LABEL: func.func @copies_operands_of_a_product_ahead
// CHECK: %[[R:.*]] = tile.ring : <3, tensor<32x64xbf16, #tile.shared_order<"c1 c2 c4 c8 c16 c32 r1+c8 r2+c16 r4+c32 r8 r16">>, tensor<64x64xbf16, #tile.shared_order<"c1 c8 c16 c2 c4 r1 r2 r4 c32 r8 r16 r32">>>
// CHECK: tile.put %[[R]][%{{.*}}] field 0, %{{.*}} {dims = array<i64: 0, 1>, in_bounds = array<i64: 1>, threads = #tile.regs<"c1 c2 c4 r16 | c8 c16 c32 r1 r2 | r4 r8">}
// CHECK: tile.put %[[R]][%{{.*}}] field 1
// CHECK: tile.commit
// CHECK: tile.put
// CHECK: tile.put
// CHECK: tile.commit
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}}, %[[SLOT:.*]] = %{{.*}}, %[[FREE:.*]] = %{{.*}})
// CHECK-NEXT: tile.wait 1
// CHECK: scf.if
// CHECK-NEXT: tile.put %[[R]][%[[FREE]]] field 0
// CHECK-NEXT: tile.put %[[R]][%[[FREE]]] field 1
// CHECK: tile.commit
// CHECK: %[[A:.*]] = tile.get %[[R]][%[[SLOT]]] field 0
// CHECK: %[[B:.*]] = tile.get %[[R]][%[[SLOT]]] field 1
// CHECK: tile.convert_layout %[[B]] : {{.*}} -> tensor<64x64xbf16, #tile.regs<
// CHECK: tile.convert_layout %[[A]] : {{.*}} -> tensor<32x64xbf16, #tile.regs<
// CHECK-NOT: tile.wait
// CHECK: tile.dot
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[SLOT]]
!t0 = tensor<32x64xf32, #tile.regs<"c1 r8 c8 r16 | c2 c4 r1 r2 r4 | c16 c32">>
!t1 = tensor<32x64xbf16, #tile.regs<"c1 c2 c4 r16 | c8 c16 c32 r1 r2 | r4 r8">>
!t2 = tensor<64x64xbf16, #tile.regs<"c1 c8 c16 c32 r8 | c2 c4 r1 r2 r4 | r16 r32">>
!t3 = tensor<32x64xbf16, #tile.regs<"c1 r8 c8 c16 c32 r16 | c2 c4 r1 r2 r4 | 0 0">>
func.func @copies_operands_of_a_product_ahead(%arg0: !tile.ptr, %arg1: !tile.ptr, %arg2: !tile.ptr, %arg3: index) attributes {tile.kernel, tile.schedule = {stages = 3 : i64, warps = 4 : i64}, tile.target = "sm_80", tile.threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %0 = tile.view %arg0[%arg3, %c512] : <2, bf16>
  %1 = tile.view %arg1[%c64, %c512] {constant, storage = #tile.storage<[8, 32], "c1 c8 c16 c2 c4 r1 r2 r4">} : <2, bf16>
  %2 = tile.view %arg2[%arg3, %c64] : <2, f32>
  tile.grid (%arg4) = (%arg3) by [32] {
    %cst = arith.constant dense<0.000000e+00> : !t0
    %3 = scf.for %arg5 = %c0 to %c512 step %c64 iter_args(%arg6 = %cst) -> (!t0) {
      %4 = tile.load %0[%arg4, %arg5] {dims = array<i64: 0, 1>, in_bounds = array<i64: 1>} : <2, bf16> -> !t1
      %5 = tile.load %1[%c0, %arg5] {in_bounds = array<i64: 0, 1>} : <2, bf16> -> !t2
      %6 = tile.convert_layout %4 : !t1 -> !t3
      %7 = tile.dot %6, %5, %arg6 : !t3, !t2, !t0
      scf.yield %7 : !t0
    }
    tile.store %3, %2[%arg4, %c0] {in_bounds = array<i64: 1>} : !t0, <2, f32>
  }
  return
}

// -----

// Codes and the numbers of their groups: addresses by arithmetic on the counter, one of them along a stride. What needs
// the conversion alone between slot and use gets it there.
// CHECK-LABEL: func.func @copies_codes_and_scales_of_groups
// CHECK: tile.ring : <4, tensor<16x32xi8, #tile.shared_order<"{{[^"]*}}">>, tensor<32x32xi4, #tile.shared_order<"c1 c2 c16 c4 c8 r1 r2 r4 r8 r16">>, tensor<32xbf16, #tile.shared_order<"r1 r2 r4 r8 r16">>, tensor<16xf32, #tile.shared_order<"r1 r2 r4 r8">>>
// CHECK-COUNT-4: tile.put
// CHECK: scf.for
// CHECK: tile.wait 2
// CHECK: scf.if
// CHECK-NEXT: arith.divui
// CHECK-COUNT-4: tile.put
// CHECK-COUNT-4: tile.get
// CHECK-NOT: tile.load
// CHECK: scf.yield
!t0 = tensor<16x32xf32, #tile.regs<"c1 r8 c8 | c2 c4 r1 r2 r4 | c16">>
!t1 = tensor<16x32xi8, #tile.regs<"c1 c2 c4 | c8 c16 r1 r2 r4 | r8">>
!t2 = tensor<32x32xi4, #tile.regs<"c1 c2 c16 r8 | c4 c8 r1 r2 r4 | r16">>
!t3 = tensor<32x32xi8, #tile.regs<"c1 c2 c16 r8 | c4 c8 r1 r2 r4 | r16">>
!t4 = tensor<16x32xi32, #tile.regs<"c1 r8 c8 | c2 c4 r1 r2 r4 | c16">>
!t5 = tensor<16x32xi8, #tile.regs<"c1 c2 r8 c16 | c4 c8 r1 r2 r4 | 0">>
!t6 = tensor<32xbf16, #tile.regs<"r1 r8 | r2 r4 0 0 0 | r16">>
!t7 = tensor<32xf32, #tile.regs<"r1 r8 | r2 r4 0 0 0 | r16">>
!t8 = tensor<16xf32, #tile.regs<"r8 | 0 0 r1 r2 r4 | 0">>
func.func @copies_codes_and_scales_of_groups(%arg0: !tile.ptr, %arg1: !tile.ptr, %arg2: !tile.ptr, %arg3: !tile.ptr, %arg4: !tile.ptr, %arg5: index) attributes {tile.kernel, tile.schedule = {stages = 4 : i64, warps = 2 : i64}, tile.target = "sm_80", tile.threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %c32 = arith.constant 32 : index
  %c160 = arith.constant 160 : index
  %0 = tile.view %arg0[%arg5, %c160] : <2, i8>
  %1 = tile.view %arg3[%arg5, %c5] : <2, f32>
  %2 = tile.view %arg1[%c32, %c160] {constant, storage = #tile.storage<[8, 32], "c1 c2 c16 c4 c8 r1 r2 r4">} : <2, i4>
  %3 = tile.view %arg2[%c32, %c5] {constant, storage = #tile.storage<[32, 1], "r1 r2 r4 r8 r16">} : <2, bf16>
  %4 = tile.view %arg4[%arg5, %c32] : <2, f32>
  tile.grid (%arg6) = (%arg5) by [16] {
    %cst = arith.constant dense<0.000000e+00> : !t0
    %5 = scf.for %arg7 = %c0 to %c160 step %c32 iter_args(%arg8 = %cst) -> (!t0) {
      %6 = arith.divui %arg7, %c32 : index
      %7 = tile.load %0[%arg6, %arg7] {in_bounds = array<i64: 1>} : <2, i8> -> !t1
      %8 = tile.load %2[%c0, %arg7] {in_bounds = array<i64: 0, 1>} : <2, i4> -> !t2
      %9 = arith.extui %8 : !t2 to !t3
      %cst_0 = arith.constant dense<0> : !t4
      %10 = tile.convert_layout %7 : !t1 -> !t5
      %11 = tile.dot %10, %9, %cst_0 : !t5, !t3, !t4
      %12 = arith.sitofp %11 : !t4 to !t0
      %13 = tile.load %3[%c0, %6] {dims = array<i64: 0>, in_bounds = array<i64: 0, 1>} : <2, bf16> -> !t6
      %14 = arith.extf %13 : !t6 to !t7
      %15 = tile.broadcast %14 dim 0 : !t7 -> !t0
      %16 = tile.load %1[%arg6, %6] {dims = array<i64: 0>, in_bounds = array<i64: 1>} : <2, f32> -> !t8
      %17 = tile.broadcast %16 dim 1 : !t8 -> !t0
      %18 = arith.mulf %15, %17 : !t0
      %19 = math.fma %18, %12, %arg8 : !t0
      scf.yield %19 : !t0
    }
    tile.store %5, %4[%arg6, %c0] {in_bounds = array<i64: 1>} : !t0, <2, f32>
  }
  return
}

// -----

// Two iterations have no use for a third slot, and a loop whose end is known at run time alone may have none at all: then
// nothing is copied. Rows of any number of bytes stay loads.
// CHECK-LABEL: func.func @keeps_rows_that_start_anywhere_and_has_a_slot_for_each_iteration
// CHECK: tile.ring : <2, tensor<8x32xbf16
// CHECK: tile.wait 0
// CHECK: tile.ring : <3, tensor<8x32xbf16
// CHECK: scf.if
// CHECK-NEXT: tile.put
// CHECK: scf.for
// CHECK: tile.load {{.*}} -> tensor<16x32xbf16
!t0 = tensor<16x8xf32, #tile.regs<"c1 r8 | c2 c4 r1 r2 r4">>
!t1 = tensor<16x32xbf16, #tile.regs<"c1 c2 c4 r8 | c8 c16 r1 r2 r4">>
!t2 = tensor<8x32xbf16, #tile.regs<"c1 c8 c16 | c2 c4 r1 r2 r4">>
!t3 = tensor<16x32xbf16, #tile.regs<"c1 r8 c8 c16 | c2 c4 r1 r2 r4">>
func.func @keeps_rows_that_start_anywhere_and_has_a_slot_for_each_iteration(%arg0: !tile.ptr, %arg1: !tile.ptr, %arg2: !tile.ptr, %arg3: index) attributes {tile.kernel, tile.schedule = {stages = 3 : i64, warps = 1 : i64}, tile.target = "sm_80", tile.threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %0 = tile.view %arg0[%arg3, %arg3] : <2, bf16>
  %1 = tile.view %arg1[%c8, %arg3] {constant, storage = #tile.storage<[8, 32], "c1 c8 c16 c2 c4 r1 r2 r4">} : <2, bf16>
  %2 = tile.view %arg1[%c8, %c64] {constant, storage = #tile.storage<[8, 32], "c1 c8 c16 c2 c4 r1 r2 r4">} : <2, bf16>
  %3 = tile.view %arg2[%arg3, %c8] : <2, f32>
  tile.grid (%arg4) = (%arg3) by [16] {
    %cst = arith.constant dense<0.000000e+00> : !t0
    %4 = scf.for %arg5 = %c0 to %c64 step %c32 iter_args(%arg6 = %cst) -> (!t0) {
      %6 = tile.load %0[%arg4, %arg5] : <2, bf16> -> !t1
      %7 = tile.load %2[%c0, %arg5] {in_bounds = array<i64: 0, 1>} : <2, bf16> -> !t2
      %8 = tile.convert_layout %6 : !t1 -> !t3
      %9 = tile.dot %8, %7, %arg6 : !t3, !t2, !t0
      scf.yield %9 : !t0
    }
    %5 = scf.for %arg5 = %c0 to %arg3 step %c32 iter_args(%arg6 = %4) -> (!t0) {
      %6 = tile.load %0[%arg4, %arg5] : <2, bf16> -> !t1
      %7 = tile.load %1[%c0, %arg5] {in_bounds = array<i64: 0, 1>} : <2, bf16> -> !t2
      %8 = tile.convert_layout %6 : !t1 -> !t3
      %9 = tile.dot %8, %7, %arg6 : !t3, !t2, !t0
      scf.yield %9 : !t0
    }
    tile.store %5, %3[%arg4, %c0] {in_bounds = array<i64: 1>} : !t0, <2, f32>
  }
  return
}

// -----

// Pages of a cache, whose numbers a table says: keys in rows, values as columns that are rows in memory, each under a swizzle,
// and a number is looked up when its copy starts.
// CHECK-LABEL: func.func @makes_copies_of_pages_that_a_table_names
// CHECK: %[[R:.*]] = tile.ring : <2, tensor<16x64xbf16, #tile.shared_order<"c1 c2 c4 c8 c16 c32 r1+c8 r2+c16 r4+c32 r8">>, tensor<64x16xbf16, #tile.shared_order<"r1 r2 r4 r8 r16 r32 r8+c1 r16+c2 r32+c4 c8">>>
// CHECK: scf.if
// CHECK-NEXT: %[[FIRST:.*]] = tile.lookup %{{.*}}[%c0]
// CHECK-NEXT: tile.put %[[R]][%{{.*}}] field 0, %{{.*}}[%[[FIRST]]
// CHECK-NEXT: tile.put %[[R]][%{{.*}}] field 1, %{{.*}}[%[[FIRST]]
// CHECK: scf.for %[[I:[^ ]*]] =
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %c1
// CHECK: scf.if
// CHECK-NEXT: %[[PAGE:.*]] = tile.lookup %{{.*}}[%[[NEXT]]]
// CHECK-NEXT: tile.put %[[R]][%{{.*}}] field 0, %{{.*}}[%[[PAGE]]
// CHECK-NEXT: tile.put %[[R]][%{{.*}}] field 1, %{{.*}}[%[[PAGE]]
// CHECK-NOT: tile.load
// CHECK: scf.yield
!t0 = tensor<16x64xbf16, #tile.regs<"c1 c2 c4 r4 r8 | c8 c16 c32 r1 r2">>
!t1 = tensor<16x64xf32, #tile.regs<"c1 r8 c8 c16 c32 | c2 c4 r1 r2 r4">>
!t2 = tensor<16x64xbf16, #tile.regs<"c1 r8 c8 c16 c32 | c2 c4 r1 r2 r4">>
!t3 = tensor<16x16xf32, #tile.regs<"c1 r8 c8 | c2 c4 r1 r2 r4">>
!t4 = tensor<16x64xbf16, #tile.regs<"c1 c8 c16 c32 r8 | c2 c4 r1 r2 r4">>
!t5 = tensor<16x16xbf16, #tile.regs<"c1 r8 c8 | c2 c4 r1 r2 r4">>
!t6 = tensor<64x16xbf16, #tile.regs<"c1 c8 r8 r16 r32 | c2 c4 r1 r2 r4">>
!t7 = tensor<64x16xi32, #tile.regs<"c1 c8 r8 r16 r32 | c2 c4 r1 r2 r4">>
!t8 = tensor<64x16xi1, #tile.regs<"c1 c8 r8 r16 r32 | c2 c4 r1 r2 r4">>
func.func @makes_copies_of_pages_that_a_table_names(%arg0: !tile.ptr, %arg1: !tile.ptr, %arg2: !tile.ptr, %arg3: !tile.ptr, %arg4: index) attributes {tile.kernel, tile.schedule = {stages = 2 : i64, warps = 1 : i64}, tile.target = "sm_80", tile.threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c1048576 = arith.constant 1048576 : index
  %0 = tile.view %arg0[%c16, %c64] : <2, bf16>
  %1 = tile.view %arg1[%c1048576, %c16, %c64] {strides = array<i64: 2048, 64, 1>} : <3, bf16>
  %2 = tile.view %arg1[%c1048576, %c16, %c64] {offset = 2048 : i64, strides = array<i64: 2048, 64, 1>} : <3, bf16>
  %3 = tile.view %arg2[%arg4] : <1, i32>
  %4 = tile.view %arg3[%c16, %c64] : <2, f32>
  tile.grid (%arg5) = (%c16) by [16] {
    %5 = tile.load %0[%arg5, %c0] {in_bounds = array<i64: 0, 1>} : <2, bf16> -> !t0
    %cst = arith.constant dense<0.000000e+00> : !t1
    %6 = tile.convert_layout %5 : !t0 -> !t2
    %7 = scf.for %arg6 = %c0 to %arg4 step %c1 iter_args(%arg7 = %cst) -> (!t1) {
      %8 = tile.lookup %3[%arg6] : <1, i32>
      %9 = tile.load %1[%8, %c0, %c0] {in_bounds = array<i64: 0, 1, 2>} : <3, bf16> -> !t0
      %cst_0 = arith.constant dense<0.000000e+00> : !t3
      %10 = tile.convert_layout %9 : !t0 -> !t4
      %11 = tile.dot %6, %10, %cst_0 : !t2, !t4, !t3
      %12 = arith.truncf %11 : !t3 to !t5
      %13 = tile.load %2[%8, %c0, %c0] {dims = array<i64: 2, 1>, in_bounds = array<i64: 0, 1, 2>} : <3, bf16> -> !t6
      %cst_1 = arith.constant dense<1> : !t7
      %14 = tile.iota %arg6 dim 1 : !t7
      %15 = arith.cmpi sge, %14, %cst_1 : !t7
      %cst_2 = arith.constant dense<0.000000e+00> : !t6
      %16 = arith.select %15, %13, %cst_2 : !t8, !t6
      %17 = tile.dot %12, %16, %arg7 : !t5, !t6, !t1
      scf.yield %17 : !t1
    }
    tile.store %7, %4[%arg5, %c0] {in_bounds = array<i64: 0, 1>} : !t1, <2, f32>
  }
  return
}

// -----

// The kernel writes what the next iteration reads; the other address comes out of a table that it may write; the third is
// carried.
// CHECK-LABEL: func.func @must_not_copy_ahead_what_is_not_known_ahead
// CHECK-NOT: tile.ring
// CHECK: return
!t0 = tensor<16x8xf32, #tile.regs<"c1 r8 | c2 c4 r1 r2 r4">>
!t1 = tensor<16x16xbf16, #tile.regs<"c1 c2 c4 | c8 r1 r2 r4 r8">>
!t2 = tensor<8x16xbf16, #tile.regs<"c1 c2 | c4 c8 r1 r2 r4">>
!t3 = tensor<16x16xbf16, #tile.regs<"c1 r8 c8 | c2 c4 r1 r2 r4">>
!t4 = tensor<8x16xbf16, #tile.regs<"c1 c8 | c2 c4 r1 r2 r4">>
!t5 = tensor<16x8xbf16, #tile.regs<"c1 r8 | c2 c4 r1 r2 r4">>
func.func @must_not_copy_ahead_what_is_not_known_ahead(%arg0: !tile.ptr, %arg1: !tile.ptr, %arg2: !tile.ptr, %arg3: index) attributes {tile.kernel, tile.schedule = {stages = 2 : i64, warps = 1 : i64}, tile.target = "sm_80", tile.threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %0 = tile.view %arg0[%c16, %c128] : <2, bf16>
  %1 = tile.view %arg1[%c8, %c128] {constant} : <2, bf16>
  %2 = tile.view %arg0[%c8] : <1, i32>
  tile.grid (%arg4) = (%c16) by [16] {
    %cst = arith.constant dense<0.000000e+00> : !t0
    %3:2 = scf.for %arg5 = %c0 to %c128 step %c16 iter_args(%arg6 = %cst, %arg7 = %c0) -> (!t0, index) {
      %5 = tile.load %0[%arg4, %arg5] : <2, bf16> -> !t1
      %6 = arith.divui %arg5, %c16 : index
      %7 = tile.lookup %2[%6] : <1, i32>
      %8 = tile.load %1[%c0, %7] : <2, bf16> -> !t2
      %9 = tile.load %1[%c0, %arg7] : <2, bf16> -> !t2
      %10 = tile.convert_layout %5 : !t1 -> !t3
      %11 = tile.convert_layout %8 : !t2 -> !t4
      %12 = tile.dot %10, %11, %arg6 : !t3, !t4, !t0
      %13 = tile.convert_layout %5 : !t1 -> !t3
      %14 = tile.convert_layout %9 : !t2 -> !t4
      %15 = tile.dot %13, %14, %12 : !t3, !t4, !t0
      %16 = arith.addi %arg7, %c16 : index
      tile.store %5, %0[%arg4, %16] : !t1, <2, bf16>
      scf.yield %15, %16 : !t0, index
    }
    %4 = arith.truncf %3#0 : !t0 to !t5
    tile.store %4, %0[%arg4, %c0] : !t5, <2, bf16>
  }
  return
}

// -----

// Without stages, without a matrix instruction (f32), without a product, without layouts of threads: untouched.
// CHECK-LABEL: func.func @must_not_touch_kernels_without_stages
// CHECK-NOT: tile.ring
// CHECK-LABEL: func.func @must_not_touch_products_of_f32
// CHECK-NOT: tile.ring
// CHECK-LABEL: func.func @must_not_touch_loops_without_a_product
// CHECK-NOT: tile.ring
// CHECK: return
!t0 = tensor<16x16xf32, #tile.regs<"c1 r8 c8 | c2 c4 r1 r2 r4">>
!t1 = tensor<16x16xbf16, #tile.regs<"c1 c2 c4 | c8 r1 r2 r4 r8">>
!t2 = tensor<16x16xbf16, #tile.regs<"c1 r8 c8 | c2 c4 r1 r2 r4">>
!t3 = tensor<16x16xbf16, #tile.regs<"c1 c8 r8 | c2 c4 r1 r2 r4">>
!t4 = tensor<16x16xf32, #tile.regs<"r1 r2 c8 | c1 c2 c4 r4 r8">>
!t5 = tensor<16x16xf32, #tile.regs<"c1 c2 r8 | c4 c8 r1 r2 r4">>
!t6 = tensor<16x16xf32, #tile.shared<0>>
func.func @must_not_touch_kernels_without_stages(%arg0: !tile.ptr, %arg1: !tile.ptr, %arg2: index) attributes {tile.kernel, tile.schedule = {warps = 1 : i64}, tile.target = "sm_80", tile.threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %0 = tile.view %arg0[%c16, %c64] : <2, bf16>
  %1 = tile.view %arg1[%c16, %c16] : <2, f32>
  tile.grid (%arg3) = (%c16) by [16] {
    %cst = arith.constant dense<0.000000e+00> : !t0
    %2 = scf.for %arg4 = %c0 to %c64 step %c16 iter_args(%arg5 = %cst) -> (!t0) {
      %3 = tile.load %0[%arg3, %arg4] : <2, bf16> -> !t1
      %4 = tile.convert_layout %3 : !t1 -> !t2
      %5 = tile.convert_layout %3 : !t1 -> !t3
      %6 = tile.dot %4, %5, %arg5 : !t2, !t3, !t0
      scf.yield %6 : !t0
    }
    tile.store %2, %1[%c0, %c0] : !t0, <2, f32>
  }
  return
}
func.func @must_not_touch_products_of_f32(%arg0: !tile.ptr, %arg1: !tile.ptr, %arg2: index) attributes {tile.kernel, tile.schedule = {stages = 2 : i64, warps = 1 : i64}, tile.target = "sm_80", tile.threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %0 = tile.view %arg0[%c16, %c64] : <2, f32>
  %1 = tile.view %arg1[%c16, %c16] : <2, f32>
  tile.grid (%arg3) = (%c16) by [16] {
    %cst = arith.constant dense<0.000000e+00> : !t4
    %2 = scf.for %arg4 = %c0 to %c64 step %c16 iter_args(%arg5 = %cst) -> (!t4) {
      %3 = tile.load %0[%arg3, %arg4] : <2, f32> -> !t5
      %4 = tile.convert_layout %3 : !t5 -> !t6
      %5 = tile.convert_layout %3 : !t5 -> !t6
      %6 = tile.dot %4, %5, %arg5 : !t6, !t6, !t4
      scf.yield %6 : !t4
    }
    tile.store %2, %1[%c0, %c0] : !t4, <2, f32>
  }
  return
}
func.func @must_not_touch_loops_without_a_product(%arg0: !tile.ptr, %arg1: !tile.ptr, %arg2: index) attributes {tile.kernel, tile.schedule = {stages = 2 : i64, warps = 1 : i64}, tile.target = "sm_80", tile.threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %0 = tile.view %arg0[%c16, %c64] : <2, f32>
  %1 = tile.view %arg1[%c16, %c16] : <2, f32>
  tile.grid (%arg3) = (%c16) by [16] {
    %cst = arith.constant dense<0.000000e+00> : !t5
    %2 = scf.for %arg4 = %c0 to %c64 step %c16 iter_args(%arg5 = %cst) -> (!t5) {
      %3 = tile.load %0[%arg3, %arg4] : <2, f32> -> !t5
      %4 = arith.addf %3, %arg5 : !t5
      scf.yield %4 : !t5
    }
    tile.store %2, %1[%c0, %c0] : !t5, <2, f32>
  }
  return
}
