// RUN: adze-opt %s --split-input-file --convert-exec-to-llvm --verify-diagnostics

module @refuses_a_program_without_a_plan {
  llvm.func @k(!llvm.ptr, i64, i64)
  exec.program @step {
    // expected-error @below {{has no slot: run exec-plan-memory before convert-exec-to-llvm}}
    %x = exec.buffer <4 R>
    exec.launch @k() -> (%x) family "f" layer 0
    exec.output %x
  }
}

// -----

module @refuses_a_kernel_that_is_not_lowered {
  func.func private @k()
  exec.program @step {
    %x = exec.buffer <4 R> in 0
    // expected-error @below {{@k is not lowered to native code yet: kernels go first}}
    exec.launch @k() -> (%x) family "f" layer 0
    exec.output %x
  }
}

// -----

module @refuses_a_kernel_of_another_type {
  llvm.func @k(!llvm.ptr)
  exec.program @step {
    %x = exec.buffer <4 R> in 0
    // expected-error @below {{@k has type '!llvm.func<void (ptr)>'}}
    exec.launch @k() -> (%x) family "f" layer 0
    exec.output %x
  }
}
