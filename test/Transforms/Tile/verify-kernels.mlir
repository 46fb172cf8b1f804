// RUN: adze-opt %s --tile-verify-kernels --split-input-file --verify-diagnostics

func.func @accepts_a_sequential_kernel(%x: !tile.ptr, %T: index) attributes {tile.kernel} {
  %X = tile.view %x[%T] : !tile.view<1, f32>
  tile.grid (%t) = (%T) by [8] {
    %a = tile.load %X[%t] : !tile.view<1, f32> -> tensor<8xf32>
    %b = math.exp %a : tensor<8xf32>
    tile.store %b, %X[%t] : tensor<8xf32>, !tile.view<1, f32>
  }
  return
}

// -----

// expected-error @below {{arguments of a kernel are !tile.ptr and index, found 'f32'}}
func.func @arguments_are_pointers_and_indices(%x: f32) attributes {tile.kernel} {
  return
}

// -----

func.func @functions_have_a_generated_form(%x: !tile.ptr, %T: index) attributes {tile.kernel} {
  %X = tile.view %x[%T] : !tile.view<1, f32>
  tile.grid (%t) = (%T) by [8] {
    %a = tile.load %X[%t] : !tile.view<1, f32> -> tensor<8xf32>
    // expected-error @below {{has no generated form}}
    %b = math.erf %a : tensor<8xf32>
    tile.store %b, %X[%t] : tensor<8xf32>, !tile.view<1, f32>
  }
  return
}

// -----

func.func @grids_are_not_nested(%T: index) attributes {tile.kernel} {
  tile.grid (%t) = (%T) by [8] {
    // expected-error @below {{stands inside another region; grids follow each other at the top of a kernel}}
    tile.grid (%u) = (%T) by [8] {}
  }
  return
}

// -----

func.func @constants_are_not_written(%x: !tile.ptr, %T: index) attributes {tile.kernel} {
  %X = tile.view %x[%T] {constant} : !tile.view<1, f32>
  tile.grid (%t) = (%T) by [8] {
    %z = arith.constant dense<0.0> : tensor<8xf32>
    // expected-error @below {{writes memory that its view calls `constant`}}
    tile.store %z, %X[%t] : tensor<8xf32>, !tile.view<1, f32>
  }
  return
}

// -----

func.func @other_dialects_stay_out(%x: !tile.ptr, %T: index) attributes {tile.kernel} {
  // expected-error @below {{is of a dialect that kernels do not use: tile, arith, math and scf are}}
  %v = llvm.mlir.constant(1 : i32) : i32
  return
}
