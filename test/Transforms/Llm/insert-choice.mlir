// RUN: adze-opt %s --split-input-file --llm-insert-choice=target=sm_90a --verify-diagnostics | FileCheck %s
// RUN: adze-opt %s --split-input-file --llm-insert-choice=target=x86-64-v3 | FileCheck %s --check-prefix=CPU
// RUN: not adze-opt %s --split-input-file --llm-insert-choice=target=z80 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: there is no target named 'z80'
// CPU-NOT: llm.best_token

!kv = !llm.kv<layers = 1, heads = 1, dim = 16, element = f32, page = 16, keys = token_dim>

// CHECK-LABEL: module @chooses_among_the_legal_tokens
module @chooses_among_the_legal_tokens attributes {llm.model = {vocabulary = 104, legal_tokens = 100}} {
  // CHECK: func.func @step(%[[X:.*]]: tensor<?x104xf32>, %[[KV:.*]]: !kv) -> (tensor<?x104xf32>, !kv, tensor<?x1xi32>)
  func.func @step(%x: tensor<?x104xf32>, %kv: !kv) -> (tensor<?x104xf32>, !kv) {
    // CHECK-NEXT: %[[ID:.*]] = llm.best_token %[[X]] legal 100 : tensor<?x104xf32> -> tensor<?x1xi32>
    // CHECK-NEXT: return %[[X]], %[[KV]], %[[ID]]
    return %x, %kv : tensor<?x104xf32>, !kv
  }
  // CHECK: func.func @another
  // CHECK-NEXT: return
  func.func @another(%x: tensor<?x104xf32>) -> tensor<?x104xf32> {
    return %x : tensor<?x104xf32>
  }
}

// -----

// The edge: nothing says how many are legal.
// CHECK-LABEL: module @chooses_among_all_columns_where_nothing_is_said
module @chooses_among_all_columns_where_nothing_is_said {
  // CHECK: llm.best_token %{{.*}} legal 104
  func.func @step(%x: tensor<?x104xf32>) -> tensor<?x104xf32> {
    return %x : tensor<?x104xf32>
  }
}

// -----

// CHECK-LABEL: module @keeps_a_choice_that_is_there
module @keeps_a_choice_that_is_there {
  // CHECK-NOT: llm.best_token
  // CHECK: return
  func.func @step(%x: tensor<?x104xf32>, %y: tensor<?x1xi32>) -> (tensor<?x104xf32>, tensor<?x1xi32>) {
    return %x, %y : tensor<?x104xf32>, tensor<?x1xi32>
  }
}

// -----

// CHECK-LABEL: module @leaves_results_that_are_no_logits_in_f32
module @leaves_results_that_are_no_logits_in_f32 {
  // CHECK-NOT: llm.best_token
  func.func @step(%x: tensor<?x104xbf16>) -> tensor<?x104xbf16> {
    return %x : tensor<?x104xbf16>
  }
}

// -----

// CHECK-LABEL: module @leaves_a_step_without_results
module @leaves_a_step_without_results {
  // CHECK-NOT: llm.best_token
  func.func @step(%x: tensor<?x104xbf16>) {
    return
  }
}

// -----

// CHECK-LABEL: module @leaves_a_module_without_a_step
module @leaves_a_module_without_a_step {
}
