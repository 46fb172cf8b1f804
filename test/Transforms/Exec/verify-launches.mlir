// RUN: adze-opt %s --split-input-file --exec-verify-launches --verify-diagnostics

module @accepts_a_sound_line_of_launches {
  llm.file @model path "m" size 128 hash "00112233445566778899aabbccddeeff"
  llm.weight @table : tensor<8x4xf32> {
    %0 = llm.source_tensor @model offset 0 encoding "f32" part "data" : tensor<8x4xf32>
    llm.yield %0 : tensor<8x4xf32>
  }
  func.func private @k()
  exec.segment @w of @table at 0 size 128
  exec.program @step {
    %w = exec.weight @w
    %a = exec.buffer <4 R>
    exec.launch @k(%w) -> (%a) family "f" layer 0
    exec.output %a
  }
}

// -----

// expected-error @below {{holds 0 ops exec.program; exactly one is accepted}}
module @refuses_a_module_without_a_program {
}

// -----

module @refuses_a_read_before_the_write {
  func.func private @k()
  exec.program @step {
    %a = exec.buffer <4 T>
    %b = exec.buffer <4 T>
    // expected-error @below {{@k reads a buffer as operand 0 that no earlier launch writes}}
    exec.launch @k(%a) -> (%b) family "f" layer 0
    exec.output %b
  }
}

// -----

module @refuses_a_second_write {
  func.func private @k()
  exec.program @step {
    %a = exec.buffer <4 T>
    exec.launch @k() -> (%a) family "f" layer 0
    // expected-error @below {{@k writes a buffer that an earlier launch has written}}
    exec.launch @k() -> (%a) family "f" layer 0
    exec.output %a
  }
}

// -----

module @refuses_logits_that_nobody_writes {
  exec.program @step {
    %a = exec.buffer <4 R>
    // expected-error @below {{the logits are written by no launch}}
    exec.output %a
  }
}

// -----

module @refuses_a_choice_that_nobody_writes {
  func.func private @k()
  exec.program @step {
    %a = exec.buffer <4 R>
    %b = exec.buffer <4 R>
    exec.launch @k() -> (%a) family "f" layer 0
    // expected-error @below {{the choice is written by no launch}}
    exec.output %a choice %b
  }
}

// -----

module @refuses_an_unused_segment {
  func.func private @k()
  // expected-error @below {{no launch uses segment @w}}
  exec.segment @w of @table at 0 size 128
  exec.program @step {
    %a = exec.buffer <4 R>
    exec.launch @k() -> (%a) family "f" layer 0
    exec.output %a
  }
}

// -----

module @refuses_a_segment_of_no_weight {
  func.func private @k()
  // expected-error @below {{no llm.weight is called @table}}
  exec.segment @w of @table at 0 size 128
  exec.program @step {
    %w = exec.weight @w
    %a = exec.buffer <4 R>
    exec.launch @k(%w) -> (%a) family "f" layer 0
    exec.output %a
  }
}

// -----

module @refuses_segments_that_overlap {
  llm.file @model path "m" size 512 hash "00112233445566778899aabbccddeeff"
  llm.weight @table : tensor<16x8xf32> {
    %0 = llm.source_tensor @model offset 0 encoding "f32" part "data" : tensor<16x8xf32>
    llm.yield %0 : tensor<16x8xf32>
  }
  func.func private @k()
  exec.segment @v of @table at 0 size 512
  // expected-error @below {{overlaps segment @v, which ends at byte 512}}
  exec.segment @w of @table at 256 size 512
  exec.program @step {
    %v = exec.weight @v
    %w = exec.weight @w
    %a = exec.buffer <4 R>
    exec.launch @k(%v, %w) -> (%a) family "f" layer 0
    exec.output %a
  }
}

// -----

module @refuses_what_is_left_of_the_llm_dialect {
  func.func private @k()
  func.func @left(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
    // expected-error @below {{is left after the conversion to exec}}
    %c = llm.add %a, %b : tensor<?x4xf32>
    return %c : tensor<?x4xf32>
  }
  exec.program @step {
    %a = exec.buffer <4 R>
    exec.launch @k() -> (%a) family "f" layer 0
    exec.output %a
  }
}
