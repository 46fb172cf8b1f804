// The inputs that a module carries are those that run; what is wrong with them is said.
// RUN: split-file %s %t
// RUN: adze-opt --verify-each-by-execution --canonicalize --llm-form-kernels %t/carried.mlir 2>&1 | FileCheck %t/carried.mlir
// RUN: not adze-opt --verify-each-by-execution --cse %t/dictionary.mlir 2>&1 | FileCheck %t/dictionary.mlir
// RUN: not adze-opt --verify-each-by-execution --cse %t/members.mlir 2>&1 | FileCheck %t/members.mlir
// RUN: not adze-opt --verify-each-by-execution --cse %t/numbers.mlir 2>&1 | FileCheck %t/numbers.mlir
// RUN: not adze-opt --verify-each-by-execution --cse %t/request.mlir 2>&1 | FileCheck %t/request.mlir
// RUN: not adze-opt --verify-each-by-execution --cse %t/no-meaning.mlir 2>&1 | FileCheck %t/no-meaning.mlir
// RUN: not adze-opt --verify-each-by-execution --execution-cpu=z80 --cse %t/carried.mlir 2>&1 | FileCheck %t/carried.mlir --check-prefix=CPU

//--- carried.mlir
// CPU: adze-opt: there is no target named 'z80'
// One function, one scenario, before the first pass and after the one that changes it.
// CHECK: execution check: 2 functions ran 2 times around 1 passes that changed something
module attributes {adze.scenario = {name = "by hand", numbers = "integers", requests = [array<i64: 1, 4, 2, 0>], seed = 3}} {
  func.func @is_run_once(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
    %y = llm.silu %x : tensor<?x8xf32>
    return %y : tensor<?x8xf32>
  }
}

//--- dictionary.mlir
// CHECK: error: adze.scenario of the module is no dictionary; {name, numbers, requests, seed} is accepted
module attributes {adze.scenario = 3} {}

//--- members.mlir
// CHECK: error: adze.scenario of the module needs name and numbers (strings), requests (a list) and seed (a number), and nothing else
module attributes {adze.scenario = {name = "x", numbers = "units", seed = 1}} {}

//--- numbers.mlir
// CHECK: error: adze.scenario of the module has the numbers "huge"; units, integers and extremes are accepted
module attributes {adze.scenario = {name = "x", numbers = "huge", requests = [], seed = 1}} {}

//--- request.mlir
// CHECK: error: adze.scenario of the module has a request that is not array<i64: queries, kv_length, prompt_length, all_rows>
module attributes {adze.scenario = {name = "x", numbers = "units", requests = [array<i64: 5, 2, 2, 0>], seed = 1}} {}

//--- no-meaning.mlir
// CHECK: error: @cannot_run cannot be executed before pass 'cse': {{.*}}'scf.if' op has no reference evaluation
func.func @cannot_run(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %true = arith.constant true
  %y = scf.if %true -> tensor<?x8xf32> {
    scf.yield %x : tensor<?x8xf32>
  } else {
    scf.yield %x : tensor<?x8xf32>
  }
  return %y : tensor<?x8xf32>
}
