// RUN: adze-opt %s | adze-opt | FileCheck %s

// CHECK-LABEL: @quantizes_rows_and_groups
func.func @quantizes_rows_and_groups(%x: tensor<?x64xf32>) -> (tensor<?x64xi8>, tensor<?x2xi32>) {
  // CHECK: llm.quantize %{{.*}} group 0 : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x1xf32>, tensor<?x1xi32>
  %q, %s, %u = llm.quantize %x group 0 : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x1xf32>, tensor<?x1xi32>
  // CHECK: llm.quantize %{{.*}} group 32 : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xi32>
  %q1, %s1, %u1 = llm.quantize %x group 32 : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xi32>
  return %q, %u1 : tensor<?x64xi8>, tensor<?x2xi32>
}
