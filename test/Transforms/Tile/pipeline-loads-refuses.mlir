// RUN: adze-opt %s --tile-assign-thread-layouts=target=sm_89 --tile-pipeline-loads --split-input-file --verify-diagnostics

func.func @refuses_more_shared_memory_than_a_block_has(%x: !tile.ptr, %y: !tile.ptr, %T: index)
    attributes {tile.kernel, tile.schedule = {stages = 8 : i64, warps = 1 : i64}} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %c1024 = arith.constant 1024 : index
  %X = tile.view %x[%T, %c1024] : !tile.view<2, bf16>
  %Y = tile.view %y[%T, %c32] : !tile.view<2, f32>
  tile.grid (%t) = (%T) by [32] {
    %zero = arith.constant dense<0.0> : tensor<32x32xf32>
    // expected-error @below {{copies into 8 slots of 16384 bytes each, 131072 bytes of shared memory; a block of sm_89 has 101376; fewer stages or smaller tiles in its schedule need less}}
    %d = scf.for %k = %c0 to %c1024 step %c128 iter_args(%acc = %zero) -> (tensor<32x32xf32>) {
      %a = tile.load %X[%t, %k] {in_bounds = array<i64: 1>} : !tile.view<2, bf16> -> tensor<32x128xbf16>
      %b = tile.load %X[%c0, %k] {in_bounds = array<i64: 1>} : !tile.view<2, bf16> -> tensor<32x128xbf16>
      %s = tile.dot %a, %b, %acc : tensor<32x128xbf16>, tensor<32x128xbf16>, tensor<32x32xf32>
      scf.yield %s : tensor<32x32xf32>
    }
    tile.store %d, %Y[%t, %c0] : tensor<32x32xf32>, !tile.view<2, f32>
  }
  return
}

// -----

// expected-error @below {{asks for 9 stages of copies in its schedule; 1 to 8 are accepted}}
func.func @refuses_more_stages_than_a_ring_has_slots(%x: !tile.ptr, %T: index)
    attributes {tile.kernel, tile.schedule = {stages = 9 : i64, warps = 1 : i64}} {
  %X = tile.view %x[%T] : !tile.view<1, f32>
  tile.grid (%t) = (%T) by [32] {
    %a = tile.load %X[%t] : !tile.view<1, f32> -> tensor<32xf32>
    tile.store %a, %X[%t] : tensor<32xf32>, !tile.view<1, f32>
  }
  return
}
