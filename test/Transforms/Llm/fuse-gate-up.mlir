// RUN: adze-opt %s --llm-fuse-gate-up --split-input-file | FileCheck %s

llm.weight @gate : tensor<96x64xf32> {
  %0 = arith.constant dense<1.0> : tensor<96x64xf32>
  llm.yield %0 : tensor<96x64xf32>
}
llm.weight @up : tensor<96x64xf32> {
  %0 = arith.constant dense<2.0> : tensor<96x64xf32>
  llm.yield %0 : tensor<96x64xf32>
}
// CHECK-NOT: llm.weight @up :
// CHECK: llm.weight @gate.gate_up : tensor<192x64xf32> {
// CHECK: %[[A:.*]] = arith.constant dense<1.0
// CHECK: %[[B:.*]] = arith.constant dense<2.0
// CHECK: llm.concat_rows %[[A]], %[[B]] : tensor<96x64xf32>, tensor<96x64xf32> -> tensor<192x64xf32>
// CHECK-LABEL: @makes_gate_and_up_at_once
// CHECK: %[[Y:.*]] = llm.linear %arg0, %{{.*}} : (tensor<?x64xf32>, tensor<192x64xf32>) -> tensor<?x192xf32>
// CHECK: llm.slice_columns %[[Y]] offset 0 size 96
// CHECK: llm.slice_columns %[[Y]] offset 96 size 96
func.func @makes_gate_and_up_at_once(%x: tensor<?x64xf32>) -> tensor<?x96xf32> {
  %g = llm.get_weight @gate : tensor<96x64xf32>
  %u = llm.get_weight @up : tensor<96x64xf32>
  %0 = llm.linear %x, %g : (tensor<?x64xf32>, tensor<96x64xf32>) -> tensor<?x96xf32>
  %1 = llm.linear %x, %u : (tensor<?x64xf32>, tensor<96x64xf32>) -> tensor<?x96xf32>
  %2 = llm.silu %0 : tensor<?x96xf32>
  %3 = llm.mul %2, %1 : tensor<?x96xf32>
  return %3 : tensor<?x96xf32>
}

// -----

llm.weight @gate : tensor<96x64xf32> {
  %0 = arith.constant dense<1.0> : tensor<96x64xf32>
  llm.yield %0 : tensor<96x64xf32>
}
llm.weight @up : tensor<96x64xbf16> {
  %0 = arith.constant dense<2.0> : tensor<96x64xbf16>
  llm.yield %0 : tensor<96x64xbf16>
}
// CHECK-LABEL: @keeps_weights_of_two_types_apart
// CHECK-NOT: llm.slice_columns
// CHECK: unfused = ["gate_up: their weights have different encodings"]
func.func @keeps_weights_of_two_types_apart(%x: tensor<?x64xf32>) -> tensor<?x96xf32> {
  %g = llm.get_weight @gate : tensor<96x64xf32>
  %u = llm.get_weight @up : tensor<96x64xbf16>
  %0 = llm.linear %x, %g : (tensor<?x64xf32>, tensor<96x64xf32>) -> tensor<?x96xf32>
  %1 = llm.linear %x, %u : (tensor<?x64xf32>, tensor<96x64xbf16>) -> tensor<?x96xf32>
  %2 = llm.silu %0 : tensor<?x96xf32>
  %3 = llm.mul %2, %1 : tensor<?x96xf32>
  return %3 : tensor<?x96xf32>
}

// -----

llm.weight @gate : tensor<96x64xf32> {
  %0 = arith.constant dense<1.0> : tensor<96x64xf32>
  llm.yield %0 : tensor<96x64xf32>
}
llm.weight @up : tensor<96x64xf32> {
  %0 = arith.constant dense<2.0> : tensor<96x64xf32>
  llm.yield %0 : tensor<96x64xf32>
}
// CHECK-LABEL: @keeps_a_weight_with_two_readers
// CHECK-NOT: llm.slice_columns
// CHECK: unfused = ["gate_up: a weight has another reader"]
func.func @keeps_a_weight_with_two_readers(%x: tensor<?x64xf32>) -> (tensor<?x96xf32>, tensor<?x96xf32>) {
  %g = llm.get_weight @gate : tensor<96x64xf32>
  %u = llm.get_weight @up : tensor<96x64xf32>
  %0 = llm.linear %x, %g : (tensor<?x64xf32>, tensor<96x64xf32>) -> tensor<?x96xf32>
  %1 = llm.linear %x, %u : (tensor<?x64xf32>, tensor<96x64xf32>) -> tensor<?x96xf32>
  %2 = llm.silu %0 : tensor<?x96xf32>
  %3 = llm.mul %2, %1 : tensor<?x96xf32>
  %4 = llm.linear %x, %u : (tensor<?x64xf32>, tensor<96x64xf32>) -> tensor<?x96xf32>
  return %3, %4 : tensor<?x96xf32>, tensor<?x96xf32>
}
