// RUN: adze-opt %s --split-input-file --convert-exec-to-llvm | FileCheck %s

// CHECK-LABEL: module @makes_a_table_and_a_step_function
module @makes_a_table_and_a_step_function {
  llvm.func @k(!llvm.ptr, i64, i64)
  exec.segment @w of @table at 4294967296 size 16
  // CHECK-NOT: exec.
  // CHECK: llvm.func hidden @k_blocks(!llvm.ptr) -> i64
  // CHECK: llvm.func internal @adze_step(%[[STEP:.*]]: !llvm.ptr, %[[SERVICES:.*]]: !llvm.ptr) -> i32
  // CHECK-SAME: passthrough = ["no-builtins"]
  // The block has a word for each of three pointers and four numbers.
  // CHECK: %[[WORDS:.*]] = llvm.mlir.constant(7 : i64)
  // CHECK: %[[BLOCK:.*]] = llvm.alloca %[[WORDS]] x i64 {alignment = 64 : i64}
  // CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[SERVICES]][16]
  // CHECK: %[[LAUNCH:.*]] = llvm.load %[[FIELD]]
  // T, B and R are the first three numbers of AdzeStep.
  // CHECK: %[[T:.*]] = llvm.load %[[STEP]] : !llvm.ptr -> i64
  // CHECK: %[[PB:.*]] = llvm.getelementptr %[[STEP]][8]
  // CHECK: %[[B:.*]] = llvm.load %[[PB]] : !llvm.ptr -> i64
  // CHECK: %[[PR:.*]] = llvm.getelementptr %[[STEP]][16]
  // CHECK: %[[R:.*]] = llvm.load %[[PR]] : !llvm.ptr -> i64
  // Offsets above 2 GB stay 64 bits wide.
  // CHECK: llvm.mlir.constant(4294967296 : i64)
  // CHECK: %[[WT:.*]] = llvm.getelementptr %[[BLOCK]][24]
  // CHECK: llvm.store %[[T]], %[[WT]]
  // CHECK: %[[WB:.*]] = llvm.getelementptr %[[BLOCK]][32]
  // CHECK: llvm.store %[[B]], %[[WB]]
  // CHECK: %[[WR:.*]] = llvm.getelementptr %[[BLOCK]][40]
  // CHECK: llvm.store %[[R]], %[[WR]]
  // CHECK: llvm.getelementptr %[[BLOCK]][48]
  // CHECK: %[[ANSWER:.*]] = llvm.call %[[LAUNCH]](
  // CHECK: %[[FAILED:.*]] = llvm.icmp "ne" %[[ANSWER]]
  // CHECK: llvm.cond_br %[[FAILED]], ^[[EXIT:.*]](%[[ANSWER]] : i32), ^
  // CHECK: ^[[EXIT]](%[[CODE:.*]]: i32):
  // CHECK: llvm.return %[[CODE]]
  // CHECK: llvm.mlir.global internal constant @adze_name_k("k\00")
  // CHECK: llvm.mlir.global internal constant @adze_family_f("f\00")
  // CHECK: llvm.mlir.global internal constant @adze_kernels
  // CHECK: llvm.mlir.addressof @k :
  // CHECK: llvm.mlir.addressof @k_blocks :
  // CHECK: llvm.mlir.global internal constant @adze_program_table
  // CHECK: llvm.func @adze_program() -> !llvm.ptr
  exec.program @step {
    %t = exec.input token
    %w = exec.weight @w
    %x = exec.buffer <4 R> in 0
    exec.launch @k(%t, %w) -> (%x) family "f" layer 2
    exec.output %x
  }
}

// -----

// The edge: two launches of one kernel are one row of the table.
// CHECK-LABEL: module @lists_a_kernel_once
module @lists_a_kernel_once {
  llvm.func @k(!llvm.ptr, i64, i64)
  // CHECK-COUNT-2: llvm.call %{{.*}}(
  // CHECK-NOT: llvm.call
  // CHECK: @adze_kernels() {{.*}} !llvm.array<1 x struct
  exec.program @step {
    %x = exec.buffer <4 R> in 0
    %y = exec.buffer <4 R> in 1
    exec.launch @k() -> (%x) family "f" layer 0
    exec.launch @k() -> (%y) family "f" layer 0
    exec.output %y
  }
}

// -----

// CHECK-LABEL: module @says_which_slot_holds_the_logits
module @says_which_slot_holds_the_logits {
  llvm.func @k(!llvm.ptr, i64, i64)
  // CHECK: @adze_program_table
  // CHECK: %[[SLOTS:.*]] = llvm.mlir.constant(3 : i32)
  // CHECK-NEXT: %[[LOGITS:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK-NEXT: %[[NONE:.*]] = llvm.mlir.constant(-1 : i32)
  // CHECK: llvm.insertvalue %[[SLOTS]], %{{.*}}[3]
  // CHECK: llvm.insertvalue %[[LOGITS]], %{{.*}}[4]
  // CHECK: llvm.insertvalue %[[NONE]], %{{.*}}[5]
  exec.program @step {
    %x = exec.buffer <4 R> in 0
    %y = exec.buffer <4 R> in 1
    %z = exec.buffer <4 R> in 2
    exec.launch @k() -> (%x) family "f" layer 0
    exec.launch @k(%x) -> (%y) family "f" layer 0
    exec.launch @k(%y) -> (%z) family "f" layer 0
    exec.output %z
  }
}

// -----

// CHECK-LABEL: module @says_which_slot_holds_the_tokens
module @says_which_slot_holds_the_tokens {
  llvm.func @k(!llvm.ptr, i64, i64)
  // CHECK: @adze_program_table
  // CHECK: %[[LOGITS:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK-NEXT: %[[TOKENS:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.insertvalue %[[LOGITS]], %{{.*}}[4]
  // CHECK: llvm.insertvalue %[[TOKENS]], %{{.*}}[5]
  exec.program @step {
    %x = exec.buffer <16 R> in 0
    %y = exec.buffer <4 R> in 1
    exec.launch @k() -> (%x) family "f" layer 0
    exec.launch @k(%x) -> (%y) family "f" layer 0
    exec.output %x choice %y
  }
}
