// RUN: adze-opt %s --split-input-file --verify-diagnostics

module @segments_start_at_multiples_of_256 {
  // expected-error @below {{c1: offset 128 is no multiple of 256}}
  exec.segment @w of @table at 128 size 4
}

// -----

module @segments_are_not_empty {
  // expected-error @below {{c2: size 0 is below 1}}
  exec.segment @w of @table at 0 size 0
}

// -----

module @programs_hold_exec_ops_only {
  exec.program @step {
    %x = exec.buffer <4 T>
    // expected-error @below {{c1: stands in an exec.program, which holds ops of the exec dialect only}}
    %c = arith.constant 0 : index
    exec.output %x
  }
}

// -----

module @inputs_are_named_once {
  exec.program @step {
    %a = exec.input token
    // expected-error @below {{c1: the program has named the input token already}}
    %b = exec.input token
    %x = exec.buffer <4 T>
    exec.output %x
  }
}

// -----

module @weights_stand_in_a_program {
  exec.segment @w of @table at 0 size 4
  func.func @f() {
    // expected-error @below {{c2: stands in no exec.program}}
    %w = exec.weight @w
    return
  }
}

// -----

module @weights_name_a_segment {
  exec.program @step {
    // expected-error @below {{c1: no exec.segment is called @w}}
    %w = exec.weight @w
    %x = exec.buffer <4 T>
    exec.output %x
  }
}

// -----

module @sizes_do_not_depend_on_kv_lengths {
  exec.program @step {
    // expected-error @below {{c1: size #exec.form<4 K> has a term K or V}}
    %x = exec.buffer <4 K>
    exec.output %x
  }
}

// -----

module @sizes_have_no_negative_coefficient {
  exec.program @step {
    // expected-error @below {{c1: size #exec.form<-4 T> has a negative coefficient}}
    %x = exec.buffer <-4 T>
    exec.output %x
  }
}

// -----

// An input is compared with those before it alone: one behind it may lack its kind.
module @inputs_have_a_kind {
  exec.program @step {
    %a = exec.input token
    // expected-error @below {{requires attribute 'kind'}}
    %b = "exec.input"() : () -> !exec.buffer
    %c = exec.buffer <4 R>
    exec.output %c
  }
}

// -----

module @slots_stay_below_a_limit {
  exec.program @step {
    // expected-error @below {{c2: slot 65536 is not below 65536}}
    %a = exec.buffer <4 T> in 65536
    exec.output %a
  }
}

// -----

// expected-error @below {{c3: offset 256 and size 4611686018427387905: each is at most 2^62}}
exec.segment @s of @w at 256 size 4611686018427387905

// -----

func.func private @k()
// expected-error @below {{'exec.launch' op expects parent op 'exec.program'}}
exec.launch @k() -> () family "f" layer 0

// -----

// expected-error @below {{expects a non-empty block}}
"exec.program"() <{sym_name = "step"}> ({
^entry:
}) : () -> ()

// -----

// expected-error @below {{c2: the last op of the body is no exec.output}}
exec.program @ends_without_a_result {
  %a = exec.buffer <4 T>
}

// -----

module @slots_count_from_zero {
  exec.program @step {
    // expected-error @below {{c2: slot -1 is below 0}}
    %x = exec.buffer <4 T> in -1
    exec.output %x
  }
}

// -----

module @kernels_are_functions {
  exec.program @step {
    %x = exec.buffer <4 T>
    // expected-error @below {{c1: no function is called @k}}
    exec.launch @k() -> (%x) family "fill" layer 0
    exec.output %x
  }
}

// -----

module @kernels_take_a_pointer_for_each_operand_and_four_numbers {
  func.func private @k(index, index, index, index) attributes {tile.kernel}
  exec.program @step {
    %x = exec.buffer <4 T>
    // expected-error @below {{c2: @k takes 4 arguments; 5 were expected: 1 pointers, T, B, R and the layer}}
    exec.launch @k() -> (%x) family "fill" layer 0
    exec.output %x
  }
}

// -----

module @only_buffers_are_written {
  func.func private @k()
  exec.program @step {
    %t = exec.input token
    %x = exec.buffer <4 T>
    // expected-error @below {{c3: writes a value that is no exec.buffer}}
    exec.launch @k() -> (%t) family "fill" layer 0
    exec.output %x
  }
}

// -----

module @no_launch_reads_what_it_writes {
  func.func private @k()
  exec.program @step {
    %x = exec.buffer <4 T>
    // expected-error @below {{c4: reads and writes one buffer}}
    exec.launch @k(%x) -> (%x) family "fill" layer 0
    exec.output %x
  }
}

// -----

module @layers_count_from_zero {
  func.func private @k()
  exec.program @step {
    %x = exec.buffer <4 T>
    // expected-error @below {{c5: layer -1 is below 0}}
    exec.launch @k() -> (%x) family "fill" layer -1
    exec.output %x
  }
}

// -----

module @logits_are_a_buffer {
  exec.program @step {
    %t = exec.input token
    // expected-error @below {{c1: the logits are no exec.buffer}}
    exec.output %t
  }
}

// -----

module @a_choice_is_a_buffer_of_its_own {
  exec.program @step {
    %x = exec.buffer <4 R>
    // expected-error @below {{c2: the choice is no exec.buffer of its own}}
    exec.output %x choice %x
  }
}

// -----

module @a_choice_is_a_buffer {
  exec.program @step {
    %t = exec.input token
    %x = exec.buffer <4 R>
    // expected-error @below {{c2: the choice is no exec.buffer of its own}}
    exec.output %x choice %t
  }
}

// -----

// expected-error @below {{no term is called 'TT'; T, B, R, K, V, P and P before T, B or R are}}
module @forms_are_affine attributes {a = #exec.form<4 T T>} {
}
