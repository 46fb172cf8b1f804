// RUN: adze-opt %s "--llm-assign-kv-order=page=16 target=x86-64-v3" | FileCheck %s
// RUN: not adze-opt %s --llm-assign-kv-order=page=24 2>&1 | FileCheck %s --check-prefix=PAGE
// RUN: not adze-opt %s --llm-assign-kv-order=target=z80 2>&1 | FileCheck %s --check-prefix=TARGET
// PAGE: a page of the cache holds 16, 32 or 64 tokens, found page=24
// TARGET: there is no target named 'z80'

// CHECK: !llm.kv<layers = 2, heads = 1, dim = 16, element = f32, page = 16, keys = dim_token>
// CHECK-LABEL: @rewrites_arguments_and_results
// CHECK-NOT: token_dim
func.func @rewrites_arguments_and_results(
    %kv: !llm.kv<layers = 2, heads = 1, dim = 16, element = f32, page = 64, keys = token_dim>)
    -> !llm.kv<layers = 2, heads = 1, dim = 16, element = f32, page = 64, keys = token_dim> {
  return %kv : !llm.kv<layers = 2, heads = 1, dim = 16, element = f32, page = 64, keys = token_dim>
}
