// RUN: adze-opt %s --llm-form-kernels=rules=residual --llm-verify-kernels | FileCheck %s

llm.weight @w : tensor<64x64xf32> {
  %0 = arith.constant dense<1.0> : tensor<64x64xf32>
  llm.yield %0 : tensor<64x64xf32>
}

// CHECK-LABEL: @adds_in_the_kernel_of_the_product
// CHECK: %[[Y:.*]] = llm.kernel family "linear"
// CHECK: llm.linear
// CHECK-NEXT: llm.add
// CHECK-NOT: llm.kernel
// CHECK: return %[[Y]]
func.func @adds_in_the_kernel_of_the_product(%x: tensor<?x64xf32>, %r: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %w = llm.get_weight @w : tensor<64x64xf32>
  %0 = llm.linear %x, %w : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %1 = llm.add %r, %0 : tensor<?x64xf32>
  return %1 : tensor<?x64xf32>
}

// CHECK-LABEL: @keeps_a_product_with_two_readers
// CHECK: llm.kernel family "linear"
// CHECK: llm.kernel family "elementwise" {{.*}} unfused = ["residual: the product has other readers"]
func.func @keeps_a_product_with_two_readers(%x: tensor<?x64xf32>, %r: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %w = llm.get_weight @w : tensor<64x64xf32>
  %0 = llm.linear %x, %w : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %1 = llm.add %r, %0 : tensor<?x64xf32>
  return %1, %0 : tensor<?x64xf32>, tensor<?x64xf32>
}

// The later of two products takes the add; the sum of both is no reason to wait for itself.
// CHECK-LABEL: @gives_the_add_to_the_later_product
// CHECK: llm.kernel family "linear"
// CHECK-NOT: llm.add
// CHECK: llm.kernel family "linear"
// CHECK: llm.add
func.func @gives_the_add_to_the_later_product(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %w = llm.get_weight @w : tensor<64x64xf32>
  %0 = llm.linear %x, %w : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %1 = llm.linear %0, %w : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %2 = llm.linear %x, %w : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %3 = llm.add %1, %2 : tensor<?x64xf32>
  return %3 : tensor<?x64xf32>
}
