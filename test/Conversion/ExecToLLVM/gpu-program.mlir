// RUN: adze-opt %s --split-input-file --convert-exec-to-llvm=gpu=true | FileCheck %s

// Kernels are in the GPU's code: the table knows their grids alone, and a kernel that is still there is left as it is.
// CHECK-LABEL: module @makes_a_table_without_entries
module @makes_a_table_without_entries {
  // CHECK: func.func private @k()
  func.func private @k()
  // CHECK: llvm.func hidden @k_blocks(!llvm.ptr) -> i64
  // CHECK: llvm.func internal @adze_step(
  // CHECK: llvm.mlir.global internal constant @adze_kernels
  // CHECK-NOT: llvm.mlir.addressof @k :
  // CHECK: llvm.mlir.zero : !llvm.ptr
  // CHECK: llvm.mlir.addressof @k_blocks :
  // CHECK: llvm.func @adze_program() -> !llvm.ptr
  exec.program @step {
    %x = exec.buffer <4 R> in 0
    exec.launch @k() -> (%x) family "f" layer 0
    exec.output %x
  }
}

// -----

// The edge: a grid that is there already is kept.
// CHECK-LABEL: module @keeps_a_grid_that_is_defined
module @keeps_a_grid_that_is_defined {
  func.func private @k()
  // CHECK: llvm.func @k_blocks(%{{.*}}: !llvm.ptr) -> i64 {
  llvm.func @k_blocks(%block: !llvm.ptr) -> i64 {
    %one = llvm.mlir.constant(1 : i64) : i64
    llvm.return %one : i64
  }
  // CHECK-NOT: llvm.func hidden @k_blocks
  exec.program @step {
    %x = exec.buffer <4 R> in 0
    exec.launch @k() -> (%x) family "f" layer 0
    exec.output %x
  }
}
