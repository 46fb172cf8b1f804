// RUN: adze-opt %s --llm-form-kernels --llm-choose-schedules --convert-llm-to-tile --canonicalize --cse | FileCheck %s

llm.weight @c : tensor<16x64xi4> {
  %0 = arith.constant dense<1> : tensor<16x64xi4>
  llm.yield %0 : tensor<16x64xi4>
}
llm.weight @s : tensor<16x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<16x2xf16>
  llm.yield %0 : tensor<16x2xf16>
}
llm.weight @o : tensor<16x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<16x2xf16>
  llm.yield %0 : tensor<16x2xf16>
}

// int8 activations: the exact inner sum, then fma(sw * sa, dot, acc), then fma(m * sa, sum, acc).
// CHECK-LABEL: func.func @quantized_linear_16x64(
// CHECK: scf.for %[[K:.*]] = %c0 to %c64 step %c32 iter_args(%[[ACC:.*]] =
// CHECK: %[[D:.*]] = tile.dot %{{.*}} {b_unsigned} : tensor<4x32xi8>, tensor<16x32xi4>, tensor<4x16xi32>
// CHECK: %[[F:.*]] = arith.sitofp %[[D]]
// CHECK: tile.load %{{.*}} {dims = array<i64: 0>, in_bounds = array<i64: 1, 0>} : <2, f16> -> tensor<16xf16>
// CHECK: %[[P:.*]] = arith.mulf
// CHECK: %[[A:.*]] = math.fma %[[P]], %[[F]], %[[ACC]]
// CHECK: %[[Q:.*]] = arith.mulf
// CHECK: %[[R:.*]] = math.fma %[[Q]], %{{.*}}, %[[A]]
// CHECK: scf.yield %[[R]]

// float activations: the weight's numbers are formed in the kernel, s * q rounded, then + m.
// CHECK-LABEL: func.func @quantized_linear_16x64_0(
// CHECK: %[[U:.*]] = arith.uitofp %{{.*}} : tensor<16x32xi4> to tensor<16x32xf32>
// CHECK: %[[M:.*]] = arith.mulf %{{.*}}, %[[U]]
// CHECK: %[[W:.*]] = arith.addf %[[M]]
// CHECK: tile.dot %{{.*}}, %[[W]], %{{.*}} : tensor<4x32xf32>, tensor<16x32xf32>, tensor<4x16xf32>
func.func @step(%x: tensor<?x64xf32>, %q: tensor<?x64xi8>, %sa: tensor<?x2xf32>, %su: tensor<?x2xi32>)
    -> (tensor<?x16xf32>, tensor<?x16xf32>) {
  %c = llm.get_weight @c : tensor<16x64xi4>
  %s = llm.get_weight @s : tensor<16x2xf16>
  %o = llm.get_weight @o : tensor<16x2xf16>
  %0 = llm.quantized_linear %q scaled %sa sum %su, %c, %s offsets %o scheme affine group 32
      : (tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xi32>, tensor<16x64xi4>, tensor<16x2xf16>, tensor<16x2xf16>)
      -> tensor<?x16xf32>
  %1 = llm.quantized_linear %x, %c, %s offsets %o scheme affine group 32
      : (tensor<?x64xf32>, tensor<16x64xi4>, tensor<16x2xf16>, tensor<16x2xf16>) -> tensor<?x16xf32>
  return %0, %1 : tensor<?x16xf32>, tensor<?x16xf32>
}
