// RUN: adze-opt %s | adze-opt | FileCheck %s
// RUN: adze-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK: llm.file @model path "model.safetensors" size 269060552 hash "0123456789abcdef0123456789abcdef"
llm.file @model path "model.safetensors" size 269060552 hash "0123456789abcdef0123456789abcdef"

// CHECK-LABEL: llm.weight @rows_of_gguf : tensor<96x32xi4>
llm.weight @rows_of_gguf : tensor<96x32xi4> {
  // CHECK: llm.source_tensor @model offset 4096 encoding "q4_1" part "codes" : tensor<64x32xi4>
  %q = llm.source_tensor @model offset 4096 encoding "q4_1" part "codes" : tensor<64x32xi4>
  // CHECK: llm.permute_rows %{{.*}} heads 2 : tensor<64x32xi4>
  %p = llm.permute_rows %q heads 2 : tensor<64x32xi4>
  // CHECK: llm.slice_rows %{{.*}} offset 32 size 32 : tensor<64x32xi4> -> tensor<32x32xi4>
  %s = llm.slice_rows %p offset 32 size 32 : tensor<64x32xi4> -> tensor<32x32xi4>
  // CHECK: llm.concat_rows %{{.*}}, %{{.*}} : tensor<64x32xi4>, tensor<32x32xi4> -> tensor<96x32xi4>
  %c = llm.concat_rows %p, %s : tensor<64x32xi4>, tensor<32x32xi4> -> tensor<96x32xi4>
  // CHECK: llm.yield %{{.*}} : tensor<96x32xi4>
  llm.yield %c : tensor<96x32xi4>
}

// CHECK-LABEL: llm.weight @packed_in_another_type : tensor<64x64xbf16, #packed>
llm.weight @packed_in_another_type : tensor<64x64xbf16, #llm.packed<[8, 2], "c1 r1 r2 r4">> {
  %0 = arith.constant dense<1.0> : tensor<64x64xf16>
  // CHECK: llm.convert %{{.*}} : tensor<64x64xf16> -> tensor<64x64xbf16>
  %1 = llm.convert %0 : tensor<64x64xf16> -> tensor<64x64xbf16>
  // CHECK: llm.repack %{{.*}} : tensor<64x64xbf16> -> tensor<64x64xbf16, #packed>
  %2 = llm.repack %1 : tensor<64x64xbf16> -> tensor<64x64xbf16, #llm.packed<[8, 2], "c1 r1 r2 r4">>
  llm.yield %2 : tensor<64x64xbf16, #llm.packed<[8, 2], "c1 r1 r2 r4">>
}

// CHECK-LABEL: @reads_a_weight
func.func @reads_a_weight() -> tensor<96x32xi4> {
  // CHECK: llm.get_weight @rows_of_gguf : tensor<96x32xi4>
  %0 = llm.get_weight @rows_of_gguf : tensor<96x32xi4>
  return %0 : tensor<96x32xi4>
}

// FOLD-LABEL: llm.weight @folds_what_changes_nothing
// FOLD-NEXT: %[[V:.*]] = llm.source_tensor
// FOLD-NEXT: llm.yield %[[V]]
llm.weight @folds_what_changes_nothing : tensor<4x32xf32> {
  %0 = llm.source_tensor @model offset 0 encoding "f32" part "data" : tensor<4x32xf32>
  %1 = llm.convert %0 : tensor<4x32xf32> -> tensor<4x32xf32>
  %2 = llm.repack %1 : tensor<4x32xf32> -> tensor<4x32xf32>
  %3 = llm.concat_rows %2 : tensor<4x32xf32> -> tensor<4x32xf32>
  %4 = llm.slice_rows %3 offset 0 size 4 : tensor<4x32xf32> -> tensor<4x32xf32>
  %5 = llm.permute_rows %4 heads 2 : tensor<4x32xf32>
  llm.yield %5 : tensor<4x32xf32>
}

// FOLD-LABEL: llm.weight @keeps_a_permutation_of_larger_heads
// FOLD: llm.permute_rows
llm.weight @keeps_a_permutation_of_larger_heads : tensor<4x32xf32> {
  %0 = llm.source_tensor @model offset 0 encoding "f32" part "data" : tensor<4x32xf32>
  %1 = llm.permute_rows %0 heads 1 : tensor<4x32xf32>
  llm.yield %1 : tensor<4x32xf32>
}

// FOLD-LABEL: llm.weight @joins_slices_of_slices
// FOLD-NEXT: %[[V:.*]] = llm.source_tensor
// FOLD-NEXT: llm.slice_rows %[[V]] offset 5 size 2 : tensor<16x32xf32> -> tensor<2x32xf32>
llm.weight @joins_slices_of_slices : tensor<2x32xf32> {
  %0 = llm.source_tensor @model offset 0 encoding "f32" part "data" : tensor<16x32xf32>
  %1 = llm.slice_rows %0 offset 4 size 8 : tensor<16x32xf32> -> tensor<8x32xf32>
  %2 = llm.slice_rows %1 offset 1 size 2 : tensor<8x32xf32> -> tensor<2x32xf32>
  llm.yield %2 : tensor<2x32xf32>
}

// FOLD-LABEL: llm.weight @only_the_last_order_counts
// FOLD: llm.repack %{{.*}} : tensor<4x4xf32> -> tensor<4x4xf32, #packed
// FOLD-NOT: llm.repack
llm.weight @only_the_last_order_counts : tensor<4x4xf32, #llm.packed<[2, 1], "r1">> {
  %0 = llm.source_tensor @model offset 0 encoding "f32" part "data" : tensor<4x4xf32>
  %1 = llm.repack %0 : tensor<4x4xf32> -> tensor<4x4xf32, #llm.packed<[4, 1], "r2 r1">>
  %2 = llm.repack %1 : tensor<4x4xf32, #llm.packed<[4, 1], "r2 r1">> -> tensor<4x4xf32, #llm.packed<[2, 1], "r1">>
  llm.yield %2 : tensor<4x4xf32, #llm.packed<[2, 1], "r1">>
}
