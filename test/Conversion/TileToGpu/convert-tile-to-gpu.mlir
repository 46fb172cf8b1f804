// RUN: adze-opt %s --convert-tile-to-gpu --split-input-file --verify-diagnostics | FileCheck %s

// One thread's code: its numbers, a vector of what lies together, sums over lanes by shuffles and over warps through
// shared memory; the first of the copies stores.
// CHECK: llvm.mlir.global external @adze_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
// CHECK-LABEL: func.func @sums_rows_blocks(%{{.*}}: !llvm.ptr) -> i64
// CHECK-LABEL: func.func @sums_rows(%{{.*}}: !llvm.ptr {llvm.align = 8 : i64, llvm.byval = !llvm.array<3 x i64>})
// CHECK-SAME: adze.launch = {argument_bytes = 24 : i64, shared_bytes = 256 : i64, threads = 64 : i64}
// CHECK: llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.tid.x"
// CHECK: llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.ctaid.x"
// CHECK: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-COUNT-5: llvm.call_intrinsic "llvm.nvvm.shfl.sync.bfly.i32"
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<3>
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"
// CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK: scf.if
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<1>
#x = #tile.regs<"c1 c2 | c4 c8 c16 c32 c64 | c128">
#s = #tile.regs<"| 0 0 0 0 0 | 0">
func.func @sums_rows(%x: !tile.ptr, %y: !tile.ptr, %T: index)
    attributes {tile.kernel, tile.threads = 64 : i64, tile.target = "sm_80"} {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %X = tile.view %x[%T, %c256] : !tile.view<2, f32>
  %Y = tile.view %y[%T] : !tile.view<1, f32>
  tile.grid (%t) = (%T) by [1] {
    %a = tile.load %X[%t, %c0] {in_bounds = array<i64: 0, 1>} : !tile.view<2, f32> -> tensor<1x256xf32, #x>
    %m = tile.reduce "add" %a dim 1 : tensor<1x256xf32, #x> -> tensor<1xf32, #s>
    tile.store %m, %Y[%t] {in_bounds = array<i64: 0>} : tensor<1xf32, #s>, !tile.view<1, f32>
  }
  return
}

// -----

// An operand goes from rows to fragments through shared memory by ldmatrix, and each of two warps multiplies it with its
// columns.
// CHECK-LABEL: func.func @multiplies(
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"
// CHECK: llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16"
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.bf16"
// CHECK-NOT: llvm.nvvm.mma
#rows = #tile.regs<"c1 c2 | c4 c8 r1 r2 r4 | r8">
#a = #tile.regs<"c1 r8 c8 | c2 c4 r1 r2 r4 | 0">
#b = #tile.regs<"c1 c8 | c2 c4 r1 r2 r4 | r8">
#d = #tile.regs<"c1 r8 | c2 c4 r1 r2 r4 | c8">
func.func @multiplies(%x: !tile.ptr, %w: !tile.ptr, %y: !tile.ptr, %T: index)
    attributes {tile.kernel, tile.threads = 64 : i64, tile.target = "sm_80"} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %X = tile.view %x[%T, %c16] : !tile.view<2, bf16>
  %W = tile.view %w[%c16, %c16] : !tile.view<2, bf16>
  %Y = tile.view %y[%T, %c16] : !tile.view<2, f32>
  tile.grid (%t) = (%T) by [16] {
    %x0 = tile.load %X[%t, %c0] : !tile.view<2, bf16> -> tensor<16x16xbf16, #rows>
    %a0 = tile.convert_layout %x0 : tensor<16x16xbf16, #rows> -> tensor<16x16xbf16, #a>
    %b0 = tile.load %W[%c0, %c0] : !tile.view<2, bf16> -> tensor<16x16xbf16, #b>
    %zero = arith.constant dense<0.0> : tensor<16x16xf32, #d>
    %d0 = tile.dot %a0, %b0, %zero : tensor<16x16xbf16, #a>, tensor<16x16xbf16, #b>, tensor<16x16xf32, #d>
    tile.store %d0, %Y[%t, %c0] : tensor<16x16xf32, #d>, !tile.view<2, f32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @must_not_touch_functions_that_are_no_kernels
func.func @must_not_touch_functions_that_are_no_kernels(%x: f32) -> f32 {
  // CHECK: arith.addf %{{.*}}, %{{.*}} : f32
  %y = arith.addf %x, %x : f32
  return %y : f32
}

// -----

// expected-error @below {{has no layouts of threads; tile-assign-thread-layouts gives them}}
func.func @refuses_a_kernel_without_layouts(%x: !tile.ptr, %T: index) attributes {tile.kernel} {
  return
}

// -----

// expected-error @below {{has the layouts of "sm_90a", and code is wanted for "sm_80"}}
func.func @refuses_the_layouts_of_another_target(%x: !tile.ptr, %T: index)
    attributes {tile.kernel, tile.threads = 32 : i64, tile.target = "sm_90a"} {
  return
}

// -----

// A wrong layout is no fragment: the rows of b one lane further.
#a = #tile.regs<"c1 r8 c8 | c2 c4 r1 r2 r4">
#wrong = #tile.regs<"c1 c8 r8 | r1 c2 c4 r2 r4">
#d = #tile.regs<"c1 r8 c8 | c2 c4 r1 r2 r4">
func.func @refuses_an_operand_that_is_not_the_instructions(%x: !tile.ptr, %y: !tile.ptr, %T: index)
    attributes {tile.kernel, tile.threads = 32 : i64, tile.target = "sm_80"} {
  %c0 = arith.constant 0 : index
  %X = tile.view %x[%T, %T] : !tile.view<2, bf16>
  %Y = tile.view %y[%T, %T] : !tile.view<2, f32>
  tile.grid (%t) = (%T) by [16] {
    %a0 = tile.load %X[%t, %c0] : !tile.view<2, bf16> -> tensor<16x16xbf16, #a>
    %b0 = tile.load %X[%c0, %c0] : !tile.view<2, bf16> -> tensor<16x16xbf16, #wrong>
    %zero = arith.constant dense<0.0> : tensor<16x16xf32, #d>
    // expected-error @below {{has no form for threads: b of mma.m16n8k16 (16-bit elements) begins with "c1 c8 | c2 c4 r1 r2 r4"}}
    %d0 = tile.dot %a0, %b0, %zero : tensor<16x16xbf16, #a>, tensor<16x16xbf16, #wrong>, tensor<16x16xf32, #d>
    tile.store %d0, %Y[%t, %c0] : tensor<16x16xf32, #d>, !tile.view<2, f32>
  }
  return
}

// -----

#x = #tile.regs<"c1 c2 | c4 c8 c16 c32 c64">
#s = #tile.regs<"| 0 0 0 0 0">
#wrong = #tile.regs<"| 0 0 0 0 0 | 0">
func.func @refuses_a_layout_of_another_number_of_threads(%x: !tile.ptr, %y: !tile.ptr, %T: index)
    attributes {tile.kernel, tile.threads = 32 : i64, tile.target = "sm_80"} {
  %c0 = arith.constant 0 : index
  %X = tile.view %x[%T, %T] : !tile.view<2, f32>
  %Y = tile.view %y[%T] : !tile.view<1, f32>
  tile.grid (%t) = (%T) by [1] {
    %a = tile.load %X[%t, %c0] : !tile.view<2, f32> -> tensor<1x128xf32, #x>
    // expected-error @below {{does not spread it over 32 threads (run tile-assign-thread-layouts)}}
    %m = tile.reduce "add" %a dim 1 : tensor<1x128xf32, #x> -> tensor<1xf32, #wrong>
    tile.store %m, %Y[%t] : tensor<1xf32, #wrong>, !tile.view<1, f32>
  }
  return
}

// -----

// expected-error @below {{has tile.threads = 48; a power of two from 32 to 1024 is accepted}}
func.func @refuses_a_block_of_half_warps(%x: !tile.ptr, %T: index)
    attributes {tile.kernel, tile.threads = 48 : i64, tile.target = "sm_80"} {
  return
}

// -----

// What stands before the grids is computed by the host too, which has no memory of the GPU.
func.func @refuses_a_number_of_blocks_that_lies_on_the_device(%x: !tile.ptr, %T: index)
    attributes {tile.kernel, tile.threads = 32 : i64, tile.target = "sm_80"} {
  %c0 = arith.constant 0 : index
  %X = tile.view %x[%T] : !tile.view<1, i32>
  // expected-error @below {{has no form for threads: only tile, scf.for, scf.if and scalar arith or math ops stand in a kernel}}
  %n = tile.lookup %X[%c0] : !tile.view<1, i32>
  tile.grid (%t) = (%n) by [1] {
  }
  return
}

// -----

func.func @needs_the_names_of_its_parts(%x: !tile.ptr, %T: index)
    attributes {tile.kernel, tile.threads = 32 : i64, tile.target = "sm_80"} {
  return
}
// expected-error @below {{has the name that the kernel @needs_the_names_of_its_parts needs for a part of its code}}
func.func private @needs_the_names_of_its_parts_blocks()

// -----

// A copy of 16 bytes, and one that is nothing where the row is none; a wait is a barrier.
// CHECK-LABEL: func.func @copies_rows(
// CHECK-SAME: shared_bytes = 1024 : i64
// CHECK: llvm.call_intrinsic "llvm.nvvm.cp.async.cg.shared.global.16.s"
// CHECK: llvm.call_intrinsic "llvm.nvvm.cp.async.commit.group"
// CHECK: llvm.call_intrinsic "llvm.nvvm.cp.async.wait.group"
// CHECK-NEXT: arith.constant
// CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"
// CHECK: llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16"
!slot = tensor<16x16xbf16, #tile.shared_order<"c1 c2 c4 r1+c8 c8 r2 r4 r8">>
!a = tensor<16x16xbf16, #tile.regs<"c1 r8 c8 | c2 c4 r1 r2 r4">>
func.func @copies_rows(%x: !tile.ptr, %y: !tile.ptr, %T: index)
    attributes {tile.kernel, tile.threads = 32 : i64, tile.target = "sm_80"} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %X = tile.view %x[%T, %c16] : !tile.view<2, bf16>
  %Y = tile.view %y[%T, %c16] : !tile.view<2, bf16>
  tile.grid (%t) = (%T) by [16] {
    %r = tile.ring : !tile.ring<2, !slot>
    tile.put %r[%c0] field 0, %X[%t, %c0] {in_bounds = array<i64: 1>, threads = #tile.regs<"c1 c2 c4 | c8 r1 r2 r4 r8">} : !tile.ring<2, !slot>, !tile.view<2, bf16>
    tile.commit
    tile.wait 0
    %g = tile.get %r[%c0] field 0 : !tile.ring<2, !slot> -> !slot
    %a = tile.convert_layout %g : !slot -> !a
    tile.store %a, %Y[%t, %c0] : !a, !tile.view<2, bf16>
  }
  return
}

// -----

!slot = tensor<16x16xbf16, #tile.shared_order<"r1 r2 r4 r8 c1 c2 c4 c8">>
func.func @refuses_copies_that_the_slot_keeps_apart(%x: !tile.ptr, %T: index)
    attributes {tile.kernel, tile.threads = 32 : i64, tile.target = "sm_80"} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %X = tile.view %x[%T, %c16] : !tile.view<2, bf16>
  tile.grid (%t) = (%T) by [16] {
    %r = tile.ring : !tile.ring<2, !slot>
    // expected-error @below {{has no form for threads: a thread copies 4, 8 or 16 bytes that are neighbours in memory and in the slot; found 16 that the slot keeps apart}}
    tile.put %r[%c0] field 0, %X[%t, %c0] {in_bounds = array<i64: 1>, threads = #tile.regs<"c1 c2 c4 | c8 r1 r2 r4 r8">} : !tile.ring<2, !slot>, !tile.view<2, bf16>
  }
  return
}

// -----

!slot = tensor<16x16xbf16, #tile.shared_order<"c1 c2 c4 c8 r1 r2 r4 r8">>
func.func @refuses_copies_of_two_bytes(%x: !tile.ptr, %T: index)
    attributes {tile.kernel, tile.threads = 32 : i64, tile.target = "sm_80"} {
  %c0 = arith.constant 0 : index
  %X = tile.view %x[%T, %T] : !tile.view<2, bf16>
  tile.grid (%t) = (%T) by [16] {
    %r = tile.ring : !tile.ring<2, !slot>
    // expected-error @below {{has no form for threads: a thread copies 4, 8 or 16 bytes that are neighbours in memory and in the slot; found 2}}
    tile.put %r[%c0] field 0, %X[%t, %c0] {threads = #tile.regs<"c1 c2 c4 | c8 r1 r2 r4 r8">} : !tile.ring<2, !slot>, !tile.view<2, bf16>
  }
  return
}
