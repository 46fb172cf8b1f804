// RUN: adze-opt %s --llm-form-kernels --llm-choose-schedules --convert-llm-to-tile --canonicalize --cse | FileCheck %s

!kv = !llm.kv<layers = 3, heads = 2, dim = 32, element = bf16, page = 32, keys = dim_token>

// Keys lie [dim][token], values [token][dim]; a tile of 64 positions is two pages of 32, two pieces of 16 each. First
// the tiles that a token sees whole, then the last one, masked.
// CHECK-LABEL: func.func @paged_attention(
// CHECK-DAG: tile.view %{{.*}} {strides = array<i64: 12288, 4096, 1024, 1, 32>} : <5, bf16>
// CHECK-DAG: tile.view %{{.*}} {offset = 4096 : i64, strides = array<i64: 12288, 4096, 1024, 32, 1>} : <5, bf16>
// Where there are prompts, a block takes eight neighbouring tokens: of one request together, one query head after the
// other; of several requests, and of the last fewer than eight, each token goes its own way.
// CHECK: %[[PROMPTS:.*]] = arith.cmpi ugt
// CHECK: %[[SHARE:.*]] = arith.select %[[PROMPTS]], %c8, %c1
// CHECK: %[[BLOCKS:.*]] = arith.divui %{{.*}}, %[[SHARE]]
// CHECK: tile.grid (%[[BLOCK:.*]], %{{.*}}) = (%[[BLOCKS]], %c2) by [1, 1]
// CHECK: %[[TOKEN:.*]] = arith.muli %[[BLOCK]], %[[SHARE]]
// CHECK: %[[END:.*]] = arith.minui
// CHECK: %[[SAME:.*]] = arith.cmpi eq
// CHECK: %[[FULL:.*]] = arith.cmpi eq, %{{.*}}, %c8
// CHECK: %[[TOGETHER:.*]] = arith.andi %[[SAME]], %[[FULL]]
// CHECK: scf.if %[[TOGETHER]] {
// CHECK: scf.for %[[HEAD:.*]] = %c0 to %c3
// CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}, %[[HEAD]], %c0] {dims = array<i64: 0, 3>, {{.*}} -> tensor<8x32xbf16>
// CHECK: tile.dot %{{.*}} : tensor<8x32xf32>, tensor<16x32xf32>, tensor<8x16xf32>
// CHECK: tile.store %{{.*}} {dims = array<i64: 0, 3>
// CHECK: } else {
// CHECK: scf.for %{{.*}} = %[[TOKEN]] to %[[END]]
// CHECK: tile.load {{.*}} -> tensor<3x32xbf16>
// CHECK: scf.for
// CHECK-NOT: arith.select
// CHECK: tile.dot %{{.*}} : tensor<3x32xf32>, tensor<16x32xf32>, tensor<3x16xf32>
// CHECK: tile.dot %{{.*}} : tensor<3x16xf32>, tensor<32x16xf32>, tensor<3x32xf32>
// CHECK: scf.for
// CHECK: arith.select
// CHECK: tile.load %{{.*}} {dims = array<i64: 4, 3>, {{.*}} : <5, bf16> -> tensor<32x16xbf16>
// CHECK: arith.select
// CHECK: tile.store {{.*}} : tensor<3x32xbf16>
func.func @step(%q: tensor<?x192xbf16>, %kv: !kv, %batch: !llm.batch) -> tensor<?x192xbf16> {
  %l = arith.constant 2 : index
  %o = llm.paged_attention %q, %kv, %l, %batch heads 6 scale 1.767770e-01 window 0 : tensor<?x192xbf16>, !kv
  return %o : tensor<?x192xbf16>
}
