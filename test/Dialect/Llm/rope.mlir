// RUN: adze-opt %s | adze-opt | FileCheck %s

// CHECK-LABEL: @rope
func.func @rope(%x: tensor<?x160xbf16>, %f: tensor<40xf32>, %batch: !llm.batch) -> tensor<?x160xbf16> {
  // CHECK: llm.rope %{{.*}}, %{{.*}}, %{{.*}} head_dim 80 attention_factor 1.250000e+00 : tensor<?x160xbf16>, tensor<40xf32>
  %0 = llm.rope %x, %f, %batch head_dim 80 attention_factor 1.25 : tensor<?x160xbf16>, tensor<40xf32>
  return %0 : tensor<?x160xbf16>
}
