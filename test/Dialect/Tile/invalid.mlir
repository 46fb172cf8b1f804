// RUN: adze-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{only a func.func can be a kernel, found `tile.kernel` on builtin.module}}
module attributes {tile.kernel} {}

// -----

// expected-error @below {{a kernel has no results: it writes through its pointers}}
func.func @kernels_have_no_results(%x: index) -> index attributes {tile.kernel} {
  return %x : index
}

// -----

func.func @grids_have_a_size_for_each_extent(%T: index) {
  // expected-error @below {{needs one tile size and one origin for each extent, found 1 extents, 2 sizes, 1 origins}}
  tile.grid (%t) = (%T) by [1, 2] {}
  return
}

// -----

func.func @tile_sizes_are_positive(%T: index) {
  // expected-error @below {{tile sizes are positive, found 0}}
  tile.grid (%t) = (%T) by [0] {}
  return
}

// -----

func.func @views_have_an_extent_for_each_dimension(%p: !tile.ptr, %T: index) {
  // expected-error @below {{needs one extent for each of the view's 2 dimensions, found 1}}
  %v = tile.view %p[%T] : !tile.view<2, f32>
  return
}

// -----

func.func @packed_memory_has_no_strides(%p: !tile.ptr, %T: index) {
  // expected-error @below {{packed memory has no strides}}
  %v = tile.view %p[%T] {strides = array<i64: 1>, storage = #tile.storage<[8], "r1 r2 r4">} : !tile.view<1, f32>
  return
}

// -----

func.func @storage_has_the_views_rank(%p: !tile.ptr, %T: index) {
  // expected-error @below {{storage block has 1 dimensions, the view 2}}
  %v = tile.view %p[%T, %T] {storage = #tile.storage<[8], "r1 r2 r4">} : !tile.view<2, f32>
  return
}

// -----

// expected-error @below {{storage order "r1 r2" does not cover its block exactly once}}
func.func private @storage_fills_its_block(!tile.ptr {tile.packed = #tile.storage<[8], "r1 r2">})

// -----

// expected-error @below {{storage order "r1 r2 | | | r4" has lane, warp or block bits; memory has addresses alone}}
func.func private @storage_has_no_blocks_of_a_cluster(!tile.ptr {tile.packed = #tile.storage<[8], "r1 r2 | | | r4">})

// -----

// expected-error @below {{layout "| x1" has the word "x1"; accepted are 0 and r, c, d or e followed by a positive number, joined by +}}
func.func private @layouts_have_words(tensor<4xf32, #tile.regs<"| x1">>)

// -----

// expected-error @below {{layout "r1 | r2 | | |" has more than three `|`; its groups are register, lane, warp and block bits}}
func.func private @layouts_have_four_groups(tensor<4xf32, #tile.regs<"r1 | r2 | | |">>)

// -----

// expected-error @below {{layout "| c1" moves a dimension that the tile of rank 1 lacks}}
func.func private @layouts_stay_in_the_tile(tensor<4xf32, #tile.regs<"| c1">>)

// -----

// expected-error @below {{layout "r1 | r4" does not cover the tile exactly once}}
func.func private @layouts_cover_the_tile(tensor<8xf32, #tile.regs<"r1 | r4">>)

// -----

func.func @loads_have_an_offset_for_each_dimension(%v: !tile.view<2, f32>, %i: index) {
  // expected-error @below {{needs one offset for each of the view's 2 dimensions, found 1}}
  %t = tile.load %v[%i] : !tile.view<2, f32> -> tensor<4xf32>
  return
}

// -----

func.func @loads_keep_the_element_type(%v: !tile.view<1, f32>, %i: index) {
  // expected-error @below {{tile has elements 'i32', view 'f32'}}
  %t = tile.load %v[%i] : !tile.view<1, f32> -> tensor<4xi32>
  return
}

// -----

func.func @dims_name_a_view_dimension_for_each_of_the_tile(%v: !tile.view<2, f32>, %i: index) {
  // expected-error @below {{`dims` must name one view dimension for each of the tile's 1}}
  %t = tile.load %v[%i, %i] {dims = array<i64: 0, 1>} : !tile.view<2, f32> -> tensor<4xf32>
  return
}

// -----

func.func @dims_are_different(%v: !tile.view<2, f32>, %i: index, %t: tensor<4x4xf32>) {
  // expected-error @below {{`dims` and `in_bounds` name different dimensions of the view, found 1}}
  tile.store %t, %v[%i, %i] {dims = array<i64: 1, 1>} : tensor<4x4xf32>, !tile.view<2, f32>
  return
}

// -----

func.func @tables_hold_integers(%v: !tile.view<1, f32>, %i: index) {
  // expected-error @below {{looks up integers, found 'f32'}}
  %t = tile.lookup %v[%i] : !tile.view<1, f32>
  return
}

// -----

func.func @products_agree_in_depth(%a: tensor<2x16xf32>, %b: tensor<8x32xf32>, %c: tensor<2x8xf32>) {
  // expected-error @below {{shapes must be [m, k], [n, k], [m, n]}}
  %d = tile.dot %a, %b, %c : tensor<2x16xf32>, tensor<8x32xf32>, tensor<2x8xf32>
  return
}

// -----

func.func @products_take_stated_types(%a: tensor<2x16xf16>, %b: tensor<8x16xf16>, %c: tensor<2x8xf32>) {
  // expected-error @below {{multiplies f32 or bf16 into f32, or i8 and i4 into i32, found 'f16' and 'f16' into 'f32'}}
  %d = tile.dot %a, %b, %c : tensor<2x16xf16>, tensor<8x16xf16>, tensor<2x8xf32>
  return
}

// -----

func.func @floats_are_signed(%a: tensor<2x16xf32>, %b: tensor<8x16xf32>, %c: tensor<2x8xf32>) {
  // expected-error @below {{floats have no unsigned form}}
  %d = tile.dot %a, %b, %c {b_unsigned} : tensor<2x16xf32>, tensor<8x16xf32>, tensor<2x8xf32>
  return
}

// -----

func.func @reductions_are_sums_and_maxima(%a: tensor<2x16xf32>) {
  // expected-error @below {{knows "add" and "max", found "min"}}
  %d = tile.reduce "min" %a dim 1 : tensor<2x16xf32> -> tensor<2xf32>
  return
}

// -----

func.func @reductions_lose_their_dimension(%a: tensor<2x16xf32>) {
  // expected-error @below {{result must be 'tensor<2xf32>'}}
  %d = tile.reduce "add" %a dim 1 : tensor<2x16xf32> -> tensor<16xf32>
  return
}

// -----

func.func @broadcasts_gain_a_dimension(%a: tensor<16xf32>) {
  // expected-error @below {{operand must be 'tensor<2xf32>'}}
  %d = tile.broadcast %a dim 1 : tensor<16xf32> -> tensor<2x16xf32>
  return
}

// -----

func.func @splats_keep_the_type(%a: f32) {
  // expected-error @below {{scalar has type 'f32', elements 'i32'}}
  %d = tile.splat %a : f32 -> tensor<2xi32>
  return
}

// -----

func.func @iotas_are_integers(%a: index) {
  // expected-error @below {{makes integers along one of the tile's dimensions}}
  %d = tile.iota %a dim 0 : tensor<2xf32>
  return
}

// -----

func.func @transposes_swap(%a: tensor<2x16xf32>) {
  // expected-error @below {{swaps the two dimensions of a matrix}}
  %d = tile.transpose %a : tensor<2x16xf32> -> tensor<2x16xf32>
  return
}

// -----

func.func @another_shape_has_as_many_elements(%a: tensor<2x16xf32>) {
  // expected-error @below {{keeps the elements, found 'tensor<2x16xf32>' and 'tensor<4x4xf32>'}}
  %d = tile.reshape %a : tensor<2x16xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @layouts_change_nothing_else(%a: tensor<2x16xf32>) {
  // expected-error @below {{changes the layout alone}}
  %d = tile.convert_layout %a : tensor<2x16xf32> -> tensor<16x2xf32>
  return
}

// -----

func.func @pieces_are_aligned(%a: tensor<2x16xf32>) {
  // expected-error @below {{sub-tile must lie in the tile and be aligned to its own size}}
  %d = tile.extract %a [0, 4] : tensor<2x16xf32> -> tensor<2x8xf32>
  return
}

// -----

func.func @kernels_hold_tiles_of_bounded_size(%x: !tile.ptr) attributes {tile.kernel} {
  // expected-error @below {{has a value of type 'tensor<65537xf32>' in a kernel; a tile has 1 to 65536 elements}}
  %a = arith.constant dense<0.0> : tensor<65537xf32>
  return
}

// -----

func.func @kernels_hold_tiles_of_up_to_four_dimensions(%x: !tile.ptr) attributes {tile.kernel} {
  // expected-error @below {{a tile has a static shape of up to 4 dimensions}}
  %a = arith.constant dense<0.0> : tensor<1x1x1x1x1xf32>
  return
}

// -----

func.func @kernels_hold_no_vectors(%x: !tile.ptr, %T: index) attributes {tile.kernel} {
  // expected-error @below {{has a value of type 'vector<4xindex>' in a kernel; a kernel holds pointers, views, rings, index, numbers and tiles}}
  %v = vector.broadcast %T : index to vector<4xindex>
  return
}

// -----

func.func @tiles_hold_numbers(%x: !tile.ptr) attributes {tile.kernel} {
  // expected-error @below {{elements of a tile are i1, i4, i8, i16, i32, i64, f16, bf16, f32 or f64}}
  %a = arith.constant dense<0> : tensor<4xi3>
  return
}

// -----

func.func @grids_have_up_to_four_dimensions(%n: index) attributes {tile.kernel} {
  // expected-error @below {{has up to 4 dimensions, found 5}}
  tile.grid (%a, %b, %c, %d, %e) = (%n, %n, %n, %n, %n) by [1, 1, 1, 1, 1] {}
  return
}

// -----

func.func @extents_are_not_negative() attributes {tile.kernel} {
  %n = arith.constant -5 : index
  // expected-error @below {{extents are 0 to 2^61, found -5}}
  tile.grid (%a) = (%n) by [4] {}
  return
}

// -----

func.func @memory_holds_whole_numbers_of_bits(%x: !tile.ptr, %n: index) {
  // expected-error @below {{elements in memory are i4, i8, i16, i32, i64, f16, bf16, f32 or f64, found 'i1'}}
  %v = tile.view %x[%n] : !tile.view<1, i1>
  return
}

// -----

func.func @sub_tiles_are_not_empty(%x: tensor<4xf32>) {
  // expected-error @below {{sub-tile must lie in the tile and be aligned to its own size}}
  %y = tile.extract %x [0] : tensor<4xf32> -> tensor<0xf32>
  return
}

// -----

// expected-error @below {{requires attribute 'function_type'}}
"func.func"() <{sym_name = "a_kernel_has_a_type"}> ({
}) {tile.kernel} : () -> ()

// -----

func.func @views_have_up_to_eight_dimensions(%x: !tile.ptr, %n: index) {
  // expected-error @below {{has up to 8 dimensions, found 9}}
  %v = tile.view %x[%n, %n, %n, %n, %n, %n, %n, %n, %n] : !tile.view<9, f32>
  return
}
