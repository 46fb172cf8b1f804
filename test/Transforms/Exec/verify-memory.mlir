// RUN: adze-opt %s --split-input-file --exec-verify-memory --verify-diagnostics

module @accepts_a_sound_plan {
  func.func private @k()
  exec.program @step {
    %a = exec.buffer <4 T> in 0
    %b = exec.buffer <4 T> in 1
    exec.launch @k() -> (%a) family "f" layer 0
    exec.launch @k(%a) -> (%b) family "f" layer 0
    exec.output %b
  }
}

// -----

module @refuses_a_buffer_without_a_slot {
  exec.program @step {
    // expected-error @below {{has no slot: exec-plan-memory places every buffer}}
    %a = exec.buffer <4 T>
    exec.output %a
  }
}

// -----

module @refuses_a_buffer_that_a_later_one_covers {
  func.func private @k()
  exec.program @step {
    // expected-note @below {{this buffer}}
    %a = exec.buffer <4 T> in 0
    // expected-note @below {{is covered by this one}}
    %b = exec.buffer <4 T> in 0
    %c = exec.buffer <4 T> in 1
    exec.launch @k() -> (%a) family "f" layer 0
    exec.launch @k() -> (%b) family "f" layer 0
    // expected-error @below {{reads a buffer that is not in its slot 0}}
    exec.launch @k(%a) -> (%c) family "f" layer 0
    exec.output %c
  }
}

// -----

module @refuses_a_launch_that_writes_over_what_it_reads {
  func.func private @k()
  exec.program @step {
    %a = exec.buffer <4 T> in 0
    %b = exec.buffer <4 T> in 0
    exec.launch @k() -> (%a) family "f" layer 0
    // expected-error @below {{uses slot 0 twice: blocks of a kernel run in any order}}
    exec.launch @k(%a) -> (%b) family "f" layer 0
    exec.output %b
  }
}

// -----

module @refuses_logits_that_are_gone_at_the_end {
  func.func private @k()
  exec.program @step {
    // expected-note @below {{this buffer}}
    %a = exec.buffer <4 R> in 0
    // expected-note @below {{is covered by this one}}
    %b = exec.buffer <4 T> in 0
    exec.launch @k() -> (%a) family "f" layer 0
    exec.launch @k() -> (%b) family "f" layer 0
    // expected-error @below {{reads a buffer that is not in its slot 0}}
    exec.output %a
  }
}

// -----

module @refuses_a_choice_that_is_gone_at_the_end {
  func.func private @k()
  exec.program @step {
    // expected-note @below {{this buffer}}
    %a = exec.buffer <4 R> in 0
    // expected-note @below {{is covered by this one}}
    %b = exec.buffer <4 R> in 0
    exec.launch @k() -> (%a) family "f" layer 0
    exec.launch @k() -> (%b) family "f" layer 0
    // expected-error @below {{reads a buffer that is not in its slot 0}}
    exec.output %b choice %a
  }
}
