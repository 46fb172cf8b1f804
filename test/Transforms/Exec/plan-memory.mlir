// RUN: adze-opt %s --split-input-file --exec-plan-memory --exec-verify-memory | FileCheck %s

// A chain needs two slots: a launch never writes over what it reads.
// CHECK-LABEL: module @reuses_a_slot_after_the_last_read
module @reuses_a_slot_after_the_last_read {
  func.func private @k()
  exec.program @step {
    // CHECK: %[[A:.*]] = exec.buffer <4 T> in 0
    // CHECK: %[[B:.*]] = exec.buffer <4 T> in 1
    // CHECK: %[[C:.*]] = exec.buffer <4 T> in 0
    // CHECK: %[[D:.*]] = exec.buffer <8 R> in 1
    %a = exec.buffer <4 T>
    %b = exec.buffer <4 T>
    %c = exec.buffer <4 T>
    %d = exec.buffer <8 R>
    exec.launch @k() -> (%a) family "f" layer 0
    exec.launch @k(%a) -> (%b) family "f" layer 0
    exec.launch @k(%b) -> (%c) family "f" layer 1
    exec.launch @k(%c) -> (%d) family "f" layer 1
    exec.output %d
  }
}

// -----

// CHECK-LABEL: module @keeps_a_residual_alive_to_its_last_read
module @keeps_a_residual_alive_to_its_last_read {
  func.func private @k()
  exec.program @step {
    // CHECK: exec.buffer <4 T> in 0
    // CHECK: exec.buffer <4 T> in 1
    // CHECK: exec.buffer <4 T> in 2
    // CHECK: exec.buffer <4 T> in 1
    %residual = exec.buffer <4 T>
    %b = exec.buffer <4 T>
    %c = exec.buffer <4 T>
    %d = exec.buffer <4 T>
    exec.launch @k() -> (%residual) family "f" layer 0
    exec.launch @k(%residual) -> (%b) family "f" layer 0
    exec.launch @k(%b) -> (%c) family "f" layer 0
    exec.launch @k(%residual, %c) -> (%d) family "f" layer 0
    exec.output %d
  }
}

// -----

// Of the free slots 0 (4096 T) and 1 (64 T), a buffer of 128 T takes the one that it wastes least.
// CHECK-LABEL: module @chooses_the_slot_of_the_nearest_size
module @chooses_the_slot_of_the_nearest_size {
  func.func private @k()
  exec.program @step {
    // CHECK: exec.buffer <4096 T> in 0
    // CHECK: exec.buffer <64 T> in 1
    // CHECK: exec.buffer <16 T> in 2
    // CHECK: exec.buffer <128 T> in 1
    %a = exec.buffer <4096 T>
    %b = exec.buffer <64 T>
    %c = exec.buffer <16 T>
    %d = exec.buffer <128 T>
    exec.launch @k() -> (%a, %b) family "f" layer 0
    exec.launch @k(%a, %b) -> (%c) family "f" layer 0
    exec.launch @k(%c) -> (%d) family "f" layer 0
    exec.output %d
  }
}

// -----

// CHECK-LABEL: module @leaves_a_placed_buffer_where_it_is
module @leaves_a_placed_buffer_where_it_is {
  func.func private @k()
  exec.program @step {
    // CHECK: exec.buffer <4 T> in 0
    // CHECK: exec.buffer <4 T> in 1
    %a = exec.buffer <4 T> in 0
    %b = exec.buffer <4 T>
    exec.launch @k() -> (%a) family "f" layer 0
    exec.launch @k(%a) -> (%b) family "f" layer 0
    exec.output %b
  }
}

// -----

// The edge: a result that nobody reads still needs its place while its launch runs.
// CHECK-LABEL: module @gives_an_unread_result_a_slot_of_its_own
module @gives_an_unread_result_a_slot_of_its_own {
  func.func private @k()
  exec.program @step {
    // CHECK: exec.buffer <4 T> in 0
    // CHECK: exec.buffer <4 T> in 1
    %a = exec.buffer <4 T>
    %unread = exec.buffer <4 T>
    exec.launch @k() -> (%a, %unread) family "f" layer 0
    exec.output %a
  }
}

// -----

// Logits and choice both live to the end of the step.
// CHECK-LABEL: module @keeps_logits_and_choice_apart
module @keeps_logits_and_choice_apart {
  func.func private @k()
  exec.program @step {
    // CHECK: exec.buffer <4 T> in 0
    // CHECK: exec.buffer <32 R> in 1
    // CHECK: exec.buffer <4 R> in 0
    %x = exec.buffer <4 T>
    %logits = exec.buffer <32 R>
    %token = exec.buffer <4 R>
    exec.launch @k() -> (%x) family "f" layer 0
    exec.launch @k(%x) -> (%logits) family "f" layer 0
    exec.launch @k(%logits) -> (%token) family "f" layer 0
    exec.output %logits choice %token
  }
}
