// Passes for a CPU and passes for a GPU refuse each other's targets.
//
// RUN: not adze-opt %s --tile-assign-thread-layouts=target=avx512 2>&1 | FileCheck %s --check-prefix=LAYOUTS
// RUN: not adze-opt %s --convert-tile-to-gpu=target=x86-64-v3 2>&1 | FileCheck %s --check-prefix=CODE
// RUN: not adze-opt %s --tile-assign-layouts=target=sm_80 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not adze-opt %s --convert-tile-to-cpu=target=sm_90a 2>&1 | FileCheck %s --check-prefix=CPU
// LAYOUTS: error: "avx512" is no GPU that kernels are made for: sm_80, sm_89, sm_90a are
// CODE: error: "x86-64-v3" is no GPU that kernels are made for: sm_80, sm_89, sm_90a are
// CPU: error: "sm_{{80|90a}}" is a GPU, and this pass makes code for a CPU; for a GPU there are tile-assign-thread-layouts and convert-tile-to-gpu

func.func @stays_as_it_is(%x: f32) -> f32 {
  return %x : f32
}
