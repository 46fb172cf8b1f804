// RUN: adze-opt %s | adze-opt | FileCheck %s
// RUN: adze-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK-LABEL: @chooses_rows
func.func @chooses_rows(%x: tensor<?x64xf32>, %batch: !llm.batch) -> tensor<?x64xf32> {
  // CHECK: llm.gather_rows %{{.*}}, %{{.*}} : tensor<?x64xf32> -> tensor<?x64xf32>
  %0 = llm.gather_rows %x, %batch : tensor<?x64xf32> -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// CHECK-LABEL: @slices_of_slices
// FOLD-LABEL: @slices_of_slices
func.func @slices_of_slices(%x: tensor<?x64xf32>) -> tensor<?x8xf32> {
  // CHECK: llm.slice_columns %{{.*}} offset 16 size 32 : tensor<?x64xf32> -> tensor<?x32xf32>
  // FOLD-NEXT: llm.slice_columns %{{.*}} offset 20 size 8 : tensor<?x64xf32> -> tensor<?x8xf32>
  %0 = llm.slice_columns %x offset 16 size 32 : tensor<?x64xf32> -> tensor<?x32xf32>
  %1 = llm.slice_columns %0 offset 4 size 8 : tensor<?x32xf32> -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// FOLD-LABEL: @slice_of_everything(
// FOLD-SAME: %[[X:.*]]: tensor
// FOLD-NEXT: return %[[X]]
func.func @slice_of_everything(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = llm.slice_columns %x offset 0 size 64 : tensor<?x64xf32> -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
