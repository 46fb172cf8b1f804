// RUN: adze-opt %s --llm-assign-numerics=numerics=f32 | FileCheck %s --check-prefix=F32
// RUN: adze-opt %s --llm-assign-numerics=numerics=bf16 | FileCheck %s --check-prefix=BF16
// RUN: adze-opt %s --llm-assign-numerics=numerics=a8 | FileCheck %s --check-prefix=A8

llm.weight @w : tensor<32x64xf16> {
  %0 = arith.constant dense<1.0> : tensor<32x64xf16>
  llm.yield %0 : tensor<32x64xf16>
}
llm.weight @c : tensor<32x64xi4> {
  %0 = arith.constant dense<1> : tensor<32x64xi4>
  llm.yield %0 : tensor<32x64xi4>
}
llm.weight @s : tensor<32x2xf16> {
  %0 = arith.constant dense<1.0> : tensor<32x2xf16>
  llm.yield %0 : tensor<32x2xf16>
}

// F32: element = f32
// BF16: element = bf16
// F32: llm.weight @w : tensor<32x64xf16>
// F32-NOT: llm.convert
// BF16: llm.weight @w : tensor<32x64xbf16>
// BF16: %[[W:.*]] = llm.convert %{{.*}} : tensor<32x64xf16> -> tensor<32x64xbf16>
// BF16: llm.yield %[[W]]

// F32-LABEL: @rounds_an_activation_once
// F32-NOT: arith.truncf
// F32-NOT: llm.quantize %
// BF16-LABEL: @rounds_an_activation_once
// BF16: %[[X:.*]] = arith.truncf %arg0 : tensor<?x64xf32> to tensor<?x64xbf16>
// BF16-NOT: arith.truncf
// BF16: llm.linear %[[X]], %{{.*}} : (tensor<?x64xbf16>, tensor<32x64xbf16>) -> tensor<?x32xf32>
// BF16: llm.linear %[[X]]
// BF16: llm.quantized_linear %[[X]], %{{.*}} : (tensor<?x64xbf16>
// A8-LABEL: @rounds_an_activation_once
// A8-DAG: %[[X:.*]] = arith.truncf %arg0
// A8-DAG: %[[Q:.*]], %[[S:.*]], %[[U:.*]] = llm.quantize %arg0 group 32 : tensor<?x64xf32>
// A8: llm.linear %[[X]]
// A8: llm.quantized_linear %[[Q]] scaled %[[S]] sum %[[U]], %{{.*}} scheme zero_point group 32
func.func @rounds_an_activation_once(%x: tensor<?x64xf32>) -> (tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>) {
  %w = llm.get_weight @w : tensor<32x64xf16>
  %c = llm.get_weight @c : tensor<32x64xi4>
  %s = llm.get_weight @s : tensor<32x2xf16>
  %0 = llm.linear %x, %w : (tensor<?x64xf32>, tensor<32x64xf16>) -> tensor<?x32xf32>
  %1 = llm.linear %x, %w : (tensor<?x64xf32>, tensor<32x64xf16>) -> tensor<?x32xf32>
  %2 = llm.quantized_linear %x, %c, %s scheme zero_point group 32
      : (tensor<?x64xf32>, tensor<32x64xi4>, tensor<32x2xf16>) -> tensor<?x32xf32>
  return %0, %1, %2 : tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>
}

// BF16-LABEL: @caches_bf16
// BF16: llm.kv_append %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x64xbf16>, tensor<?x64xbf16>
// BF16: %[[O:.*]] = llm.paged_attention %{{.*}} : tensor<?x64xbf16>
// BF16: llm.linear %[[O]]
// A8-LABEL: @caches_bf16
// A8: llm.paged_attention %{{.*}} : tensor<?x64xbf16>
// A8-NOT: arith.extf
func.func @caches_bf16(%q: tensor<?x64xf32>, %batch: !llm.batch,
    %kv: !llm.kv<layers = 1, heads = 1, dim = 64, element = f32, page = 16, keys = token_dim>)
    -> (tensor<?x32xf32>, !llm.kv<layers = 1, heads = 1, dim = 64, element = f32, page = 16, keys = token_dim>) {
  %l = arith.constant 0 : index
  %w = llm.get_weight @w : tensor<32x64xf16>
  %k1 = llm.kv_append %q, %q, %kv, %l, %batch : tensor<?x64xf32>, tensor<?x64xf32>,
      !llm.kv<layers = 1, heads = 1, dim = 64, element = f32, page = 16, keys = token_dim>
  %o = llm.paged_attention %q, %k1, %l, %batch heads 1 scale 1.250000e-01 window 0 : tensor<?x64xf32>,
      !llm.kv<layers = 1, heads = 1, dim = 64, element = f32, page = 16, keys = token_dim>
  %y = llm.linear %o, %w : (tensor<?x64xf32>, tensor<32x64xf16>) -> tensor<?x32xf32>
  return %y, %k1 : tensor<?x32xf32>, !llm.kv<layers = 1, heads = 1, dim = 64, element = f32, page = 16, keys = token_dim>
}
