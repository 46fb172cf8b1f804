// RUN: adze-opt %s --llm-form-kernels=target=sm_80 --llm-choose-schedules=target=sm_80 --convert-llm-to-tile=target=sm_80 --canonicalize --cse | FileCheck %s

!kv = !llm.kv<layers = 3, heads = 2, dim = 96, element = bf16, page = 32, keys = token_dim>

// Three query heads of a KV head, padded to four, times 8 tokens are the 32 rows of a block, for neither their number nor the width is a power of two. Heads of 96 columns are two
// pieces. The second grid joins what the partial results of single tokens are.
// CHECK-LABEL: func.func @paged_attention(
// CHECK-SAME: tile.schedule = {columns = 1 : i64, depth = 64 : i64, rows = 32 : i64, split = 256 : i64, stages = 3 : i64, sums = "invariant", tokens = 1 : i64, warps = 4 : i64}
// CHECK: tile.grid (%[[BLOCK:.*]], %{{.*}}) = (%{{.*}}, %c2) by [1, 1]
// One request after the other; of each what stands before the prompt's end, folded from left to right, then what stands
// after it, run by run.
// CHECK: scf.for %[[REQUEST:.*]] =
// CHECK: scf.if
// CHECK: tile.load {{.*}} {dims = array<i64: 0, 2, 3>, in_bounds = array<i64: 1, 3>} : <4, bf16> -> tensor<8x4x64xbf16>
// CHECK: tile.reshape {{.*}} : tensor<8x4x64xbf16> -> tensor<32x64xbf16>
// CHECK: tile.load {{.*}} -> tensor<8x4x32xbf16>
// CHECK: scf.for
// CHECK-NOT: arith.select
// CHECK: %[[SCORES:.*]] = tile.dot {{.*}} : tensor<32x64xbf16>, tensor<16x64xbf16>, tensor<32x16xf32>
// CHECK: tile.dot {{.*}}, %[[SCORES]] : tensor<32x32xbf16>, tensor<16x32xbf16>, tensor<32x16xf32>
// A probability is two numbers of bf16.
// CHECK: %[[HIGH:.*]] = arith.truncf {{.*}} : tensor<32x16xf32> to tensor<32x16xbf16>
// CHECK: %[[LEFT:.*]] = arith.subf
// CHECK: %[[LOW:.*]] = arith.truncf %[[LEFT]] : tensor<32x16xf32> to tensor<32x16xbf16>
// CHECK: tile.dot %[[HIGH]], {{.*}} : tensor<32x16xbf16>, tensor<8x16xbf16>, tensor<32x8xf32>
// CHECK: tile.dot %[[LOW]], {{.*}} : tensor<32x16xbf16>, tensor<8x16xbf16>, tensor<32x8xf32>
// CHECK: tile.dot %[[HIGH]], {{.*}} : tensor<32x16xbf16>, tensor<64x16xbf16>, tensor<32x64xf32>
// CHECK: tile.dot %[[LOW]], {{.*}} : tensor<32x16xbf16>, tensor<64x16xbf16>, tensor<32x64xf32>
// CHECK: tile.dot %[[HIGH]], {{.*}} : tensor<32x16xbf16>, tensor<32x16xbf16>, tensor<32x32xf32>
// CHECK: scf.for
// CHECK: arith.select
// Only rows of these tokens and heads are written.
// CHECK: %[[ROWS:.*]] = tile.view %{{.*}}[%{{.*}}, %c2, %c3, %c96]
// CHECK: tile.reshape {{.*}} -> tensor<8x4x64xbf16>
// CHECK: tile.store %{{.*}}, %[[ROWS]][{{.*}}] {dims = array<i64: 0, 2, 3>, in_bounds = array<i64: 1, 3>}
// CHECK: scf.for %{{.*}} -> (tensor<32xf32>, tensor<32x8xf32>, tensor<32x64xf32>) {
// CHECK: tile.store
// CHECK: tile.grid (%{{.*}}, %{{.*}}) = (%{{.*}}, %c2) by [1, 1]
// CHECK: scf.for %{{.*}} step %c4 iter_args
// CHECK: tile.load {{.*}} -> tensor<16xf32>
// CHECK-NOT: tile.dot
// CHECK: tile.store

// A run's largest scores, sums and weighted values go to scratch memory, 2 x 3 x (96 + 2) numbers a run.
// CHECK-LABEL: func.func @paged_attention_partials(
// CHECK-SAME: stages = 2 : i64
// CHECK-SAME: warps = 4 : i64
// CHECK-DAG: tile.view %[[SCRATCH:.*]][{{.*}}] {strides = array<i64: 588, 288, 96, 1>} : <4, f32>
// CHECK-DAG: tile.view %[[SCRATCH]][{{.*}}] {offset = 2304 : i64, strides = array<i64: 588, 3, 1>} : <3, f32>
// CHECK-DAG: tile.view %[[SCRATCH]][{{.*}}] {offset = 2328 : i64, strides = array<i64: 588, 3, 1>} : <3, f32>
// CHECK: tile.grid (%{{.*}}, %{{.*}}, %[[FIRST:.*]]) = (%{{.*}}, %c2, %[[BLOCKS:.*]]) by [1, 1, 1]
// CHECK: scf.for %{{.*}} step %[[BLOCKS]]
// CHECK: tile.dot {{.*}} : tensor<16x64xbf16>, tensor<16x64xbf16>, tensor<16x16xf32>
// CHECK: tile.store {{.*}} : tensor<16xf32>, <3, f32>
// CHECK: tile.store {{.*}} : tensor<16xf32>, <3, f32>
// CHECK: tile.store {{.*}} : tensor<16x64xf32>, <4, f32>
// CHECK: tile.store {{.*}} : tensor<16x32xf32>, <4, f32>
func.func @step(%q: tensor<?x576xbf16>, %kv: !kv, %batch: !llm.batch) -> tensor<?x576xbf16> {
  %l = arith.constant 2 : index
  %o = llm.paged_attention %q, %kv, %l, %batch heads 6 scale 1.020621e-01 window 0 : tensor<?x576xbf16>, !kv
  return %o : tensor<?x576xbf16>
}

// A wide head is folded in two parts: the scores of all its columns, the values of some of them.
// CHECK-LABEL: func.func @paged_attention_0(
// CHECK: scf.for %[[PART:.*]] = %c0 to %c256 step %c128
// CHECK: scf.for %{{.*}} -> (tensor<32xf32>, tensor<32x8xf32>, tensor<32x64xf32>, tensor<32x64xf32>) {
// CHECK-COUNT-4: tile.dot {{.*}} : tensor<32x64xbf16>, tensor<16x64xbf16>, tensor<32x16xf32>
// CHECK: tile.load {{.*}}, %[[PART]]] {dims = array<i64: 4, 3>
// Where its runs are joined, both states are carried: four parts.
// CHECK: scf.for %{{.*}} = %c0 to %c256 step %c64
// CHECK: scf.for %{{.*}} -> (tensor<32xf32>, tensor<32x8xf32>, tensor<32x64xf32>) {
// CHECK-LABEL: func.func @paged_attention_partials_1(
// CHECK: scf.for %{{.*}} = %c0 to %c256 step %c128
// CHECK: scf.for %{{.*}} -> (tensor<16xf32>, tensor<16x8xf32>, tensor<16x64xf32>, tensor<16x64xf32>) {
!wide = !llm.kv<layers = 1, heads = 1, dim = 256, element = bf16, page = 64, keys = token_dim>
func.func @wide(%q: tensor<?x512xbf16>, %kv: !wide, %batch: !llm.batch) -> tensor<?x512xbf16> {
  %l = arith.constant 0 : index
  %o = llm.paged_attention %q, %kv, %l, %batch heads 2 scale 6.250000e-02 window 0 : tensor<?x512xbf16>, !wide
  return %o : tensor<?x512xbf16>
}
