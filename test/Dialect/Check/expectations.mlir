// RUN: not adze-evaluate %s 2>&1 | FileCheck %s
// Expectations that fail say where, what was expected and what was found.

// CHECK-DAG: fails: @one_element_differs
// CHECK-DAG: 'check.expect_eq' op element [1, 0]: expected 3, found 4 (1 of 4 differ)
func.func @one_element_differs() {
  %x = arith.constant dense<[[1.0, 2.0], [4.0, 4.0]]> : tensor<2x2xf32>
  check.expect_eq %x, dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  return
}

// CHECK-DAG: fails: @outside_the_tolerance
// CHECK-DAG: 'check.expect_almost_eq' op element [1]: expected 100, found 100.25 (1 of 2 differ)
func.func @outside_the_tolerance() {
  %x = arith.constant dense<[0.0009, 100.25]> : tensor<2xf32>
  check.expect_almost_eq %x, dense<[0.0, 100.0]> : tensor<2xf32> within 1.0e-3
  return
}

// CHECK-DAG: fails: @nan_is_no_number
// CHECK-DAG: 'check.expect_almost_eq' op element [0]: expected 0, found nan (1 of 1 differ)
func.func @nan_is_no_number() {
  %x = arith.constant dense<0x7FC00000> : tensor<1xf32>
  check.expect_almost_eq %x, dense<0.0> : tensor<1xf32> within 1.0e30
  return
}

// CHECK-DAG: fails: @integers_differ
// CHECK-DAG: 'check.expect_eq' op element [0]: expected -7, found 7 (1 of 1 differ)
func.func @integers_differ() {
  %x = arith.constant dense<7> : tensor<1xi4>
  check.expect_eq %x, dense<-7> : tensor<1xi4>
  return
}

// CHECK-DAG: holds: @within_the_tolerance
func.func @within_the_tolerance() {
  %x = arith.constant dense<[0.0009, 100.05, 0x7FC00000]> : tensor<3xf32>
  check.expect_almost_eq %x, dense<[0.0, 100.0, 0x7FC00000]> : tensor<3xf32> within 1.0e-3
  return
}

// CHECK-DAG: @checks_nothing: expects nothing
func.func @checks_nothing() {
  return
}
