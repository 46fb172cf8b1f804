// RUN: adze-opt %s | adze-opt | FileCheck %s

// CHECK-LABEL: @chooses_the_best_token_of_each_row
func.func @chooses_the_best_token_of_each_row(%x: tensor<?x104xf32>) -> tensor<?x1xi32> {
  // CHECK: llm.best_token %{{.*}} legal 100 : tensor<?x104xf32> -> tensor<?x1xi32>
  %0 = llm.best_token %x legal 100 : tensor<?x104xf32> -> tensor<?x1xi32>
  return %0 : tensor<?x1xi32>
}
