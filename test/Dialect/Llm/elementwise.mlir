// RUN: adze-opt %s | adze-opt | FileCheck %s

// CHECK-LABEL: @elementwise
func.func @elementwise(%x: tensor<?x64xf32>, %y: tensor<?x64xf32>) -> tensor<?x64xbf16> {
  // CHECK: llm.silu %{{.*}} : tensor<?x64xf32>
  %0 = llm.silu %x : tensor<?x64xf32>
  // CHECK: llm.mul %{{.*}}, %{{.*}} : tensor<?x64xf32>
  %1 = llm.mul %0, %y : tensor<?x64xf32>
  // CHECK: llm.add %{{.*}}, %{{.*}} : tensor<?x64xf32>
  %2 = llm.add %1, %x : tensor<?x64xf32>
  %3 = arith.truncf %2 : tensor<?x64xf32> to tensor<?x64xbf16>
  return %3 : tensor<?x64xbf16>
}
