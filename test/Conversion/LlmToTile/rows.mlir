// RUN: adze-opt %s --llm-form-kernels --llm-choose-schedules --convert-llm-to-tile --canonicalize --cse | FileCheck %s

llm.weight @n : tensor<160xf32> {
  %0 = arith.constant dense<1.0> : tensor<160xf32>
  llm.yield %0 : tensor<160xf32>
}
llm.weight @t : tensor<50x160xbf16> {
  %0 = arith.constant dense<1.0> : tensor<50x160xbf16>
  llm.yield %0 : tensor<50x160xbf16>
}

// CHECK-LABEL: func.func @embedding(
// CHECK: %[[ID:.*]] = tile.lookup
// CHECK: scf.for
// CHECK: tile.load %{{.*}}[%[[ID]], %{{.*}}] {{.*}} -> tensor<1x64xbf16>
// CHECK: arith.extf
// CHECK: tile.store
// CHECK: tile.load %{{.*}}[%[[ID]], %c128] {{.*}} -> tensor<1x32xbf16>

// The sum of squares of the gathered row, then its groups of 32, normed and quantized.
// CHECK-LABEL: func.func @rms_norm_rows_norm(
// CHECK: %[[ROW:.*]] = tile.lookup
// CHECK: scf.for %{{.*}} = %c0 to %c128 step %c64 iter_args
// CHECK: tile.load %{{.*}}[%[[ROW]],
// CHECK: math.fma
// CHECK: tile.reduce "add"
// CHECK: math.sqrt
// CHECK: scf.for %{{.*}} = %c0 to %c160 step %c32
// CHECK: tile.reduce "max"
// CHECK: math.roundeven
// CHECK: arith.trunci
// CHECK: tile.store {{.*}} : tensor<1x32xi8>
// CHECK: tile.store {{.*}} : tensor<1xf32>
// CHECK: tile.store {{.*}} : tensor<1xi32>
func.func @step(%token: tensor<?xi32>, %batch: !llm.batch)
    -> (tensor<?x160xi8>, tensor<?x5xf32>, tensor<?x5xi32>) {
  %t = llm.get_weight @t : tensor<50x160xbf16>
  %n = llm.get_weight @n : tensor<160xf32>
  %x = llm.embedding %token, %t : tensor<?xi32>, tensor<50x160xbf16> -> tensor<?x160xf32>
  %g = llm.gather_rows %x, %batch : tensor<?x160xf32> -> tensor<?x160xf32>
  %y = llm.rms_norm %g, %n epsilon 1.0e-05 : tensor<?x160xf32>, tensor<160xf32>
  %q, %s, %u = llm.quantize %y group 32 : tensor<?x160xf32> -> tensor<?x160xi8>, tensor<?x5xf32>, tensor<?x5xi32>
  return %q, %s, %u : tensor<?x160xi8>, tensor<?x5xf32>, tensor<?x5xi32>
}

// Stretches of 32 ids, the last one cut at the legal ids, then the largest number and the lowest id that has it.
// CHECK-LABEL: func.func @best_token(
// CHECK: scf.for %{{.*}} = %c0 to %c96 step %c32 iter_args
// CHECK: arith.cmpf ogt
// CHECK: tile.load {{.*}} -> tensor<1x32xf32>
// CHECK: arith.cmpi slt
// CHECK: tile.reduce "max" {{.*}} tensor<1x32xf32>
// CHECK: tile.reduce "max" {{.*}} tensor<1x32xi32>
// CHECK: tile.store {{.*}} : tensor<1xi32>
func.func @choice(%x: tensor<?x104xf32>) -> tensor<?x1xi32> {
  %0 = llm.best_token %x legal 100 : tensor<?x104xf32> -> tensor<?x1xi32>
  return %0 : tensor<?x1xi32>
}
