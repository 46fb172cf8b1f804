// RUN: adze-opt %s --llm-assign-weight-packs --llm-form-kernels --llm-choose-schedules --convert-llm-to-tile --canonicalize --cse | FileCheck %s

llm.weight @w : tensor<32x72xf32> {
  %0 = arith.constant dense<1.0> : tensor<32x72xf32>
  llm.yield %0 : tensor<32x72xf32>
}
llm.weight @b : tensor<32xf16> {
  %0 = arith.constant dense<1.0> : tensor<32xf16>
  llm.yield %0 : tensor<32xf16>
}
llm.weight @h : tensor<20x32xbf16> {
  %0 = arith.constant dense<1.0> : tensor<20x32xbf16>
  llm.yield %0 : tensor<20x32xbf16>
}

// K = 72 is two steps of 32 in a loop and one of 8 after it; bias, then the residual.
// CHECK-LABEL: func.func @linear_32x72_residual(
// CHECK-SAME: !tile.ptr {tile.packed = #tile.storage<[8, 8], "r1 r2 r4 c1 c2 c4">}
// CHECK: tile.view %{{.*}} {constant, storage = #tile.storage<[8, 8], "r1 r2 r4 c1 c2 c4">}
// CHECK: tile.grid (%[[N:.*]], %[[M:.*]]) = (%c32, %{{.*}}) by [16, 4] {
// CHECK: %[[L:.*]] = scf.for %[[K:.*]] = %c0 to %c64 step %c32
// CHECK: tile.load %{{.*}}[%[[M]], %[[K]]] {dims = array<i64: 0, 1>, in_bounds = array<i64: 1>} : <2, f32> -> tensor<4x32xf32>
// CHECK: tile.load %{{.*}}[%[[N]], %[[K]]] {{.*}} -> tensor<16x32xf32>
// CHECK: tile.dot
// CHECK: tile.load %{{.*}}[%[[M]], %c64] {{.*}} -> tensor<4x8xf32>
// CHECK: %[[D:.*]] = tile.dot {{.*}}, %[[L]] : tensor<4x8xf32>, tensor<16x8xf32>, tensor<4x16xf32>
// CHECK: %[[B:.*]] = tile.broadcast %{{.*}} dim 0 : tensor<16xf32> -> tensor<4x16xf32>
// CHECK: %[[S:.*]] = arith.addf %[[D]], %[[B]]
// CHECK: %[[Y:.*]] = arith.addf %{{.*}}, %[[S]]
// CHECK: tile.store %[[Y]]

// bf16 operands keep their type: the target has its own product for them. N = 20 is no multiple of the tile.
// CHECK-LABEL: func.func @linear_20x32(
// CHECK: tile.load {{.*}}in_bounds = array<i64: 1>} : <2, bf16> -> tensor<16x32xbf16>
// CHECK: tile.dot %{{.*}} : tensor<4x32xbf16>, tensor<16x32xbf16>, tensor<4x16xf32>
func.func @step(%x: tensor<?x72xf32>, %r: tensor<?x32xf32>, %z: tensor<?x32xbf16>) -> (tensor<?x32xf32>, tensor<?x20xf32>) {
  %w = llm.get_weight @w : tensor<32x72xf32>
  %b = llm.get_weight @b : tensor<32xf16>
  %h = llm.get_weight @h : tensor<20x32xbf16>
  %0 = llm.linear %x, %w bias %b : (tensor<?x72xf32>, tensor<32x72xf32>, tensor<32xf16>) -> tensor<?x32xf32>
  %1 = llm.add %r, %0 : tensor<?x32xf32>
  %2 = llm.linear %z, %h : (tensor<?x32xbf16>, tensor<20x32xbf16>) -> tensor<?x20xf32>
  return %1, %2 : tensor<?x32xf32>, tensor<?x20xf32>
}
