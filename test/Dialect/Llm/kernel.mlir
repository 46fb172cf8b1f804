// RUN: adze-opt %s | adze-opt | FileCheck %s
// RUN: adze-opt %s --canonicalize --cse | FileCheck %s --check-prefix=CLEAN

// CHECK-LABEL: @groups
func.func @groups(%x: tensor<?x64xf32>, %w: tensor<32x64xf32>) -> (tensor<?x32xf32>, tensor<?x64xf32>) {
  // CHECK: %{{.*}} = llm.kernel family "linear" (%{{.*}} as %[[A:.*]], %{{.*}} as %[[B:.*]] : tensor<?x64xf32>, tensor<32x64xf32>) -> tensor<?x32xf32> {
  %0 = llm.kernel family "linear" (%x as %a, %w as %b : tensor<?x64xf32>, tensor<32x64xf32>) -> tensor<?x32xf32> {
    // CHECK-NEXT: llm.linear %[[A]], %[[B]]
    %y = llm.linear %a, %b : (tensor<?x64xf32>, tensor<32x64xf32>) -> tensor<?x32xf32>
    // CHECK-NEXT: llm.yield %{{.*}} : tensor<?x32xf32>
    llm.yield %y : tensor<?x32xf32>
  }
  // CHECK: %{{.*}}:2 = llm.kernel (%{{.*}} as %{{.*}} : tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) attributes {fused = ["rule"]} {
  %1:2 = llm.kernel (%x as %a : tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) attributes {fused = ["rule"]} {
    %y = llm.silu %a : tensor<?x64xf32>
    %z = llm.add %a, %y : tensor<?x64xf32>
    llm.yield %y, %z : tensor<?x64xf32>, tensor<?x64xf32>
  }
  return %0, %1#1 : tensor<?x32xf32>, tensor<?x64xf32>
}

// A group with no result that is used is pure like its ops, so it goes.
// CLEAN-LABEL: @unused_group_disappears
// CLEAN-NEXT: return
func.func @unused_group_disappears(%x: tensor<?x64xf32>) {
  %0 = llm.kernel (%x as %a : tensor<?x64xf32>) -> tensor<?x64xf32> {
    %y = llm.silu %a : tensor<?x64xf32>
    llm.yield %y : tensor<?x64xf32>
  }
  return
}

// CHECK-LABEL: @group_of_nothing
// CHECK-NEXT: llm.kernel () {
func.func @group_of_nothing() {
  llm.kernel () {
    llm.yield
  }
  return
}
