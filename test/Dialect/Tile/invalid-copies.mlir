// RUN: adze-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{a ring has 2 to 8 slots, found 1}}
func.func private @rings_have_two_slots(!tile.ring<1, tensor<8xf32, #tile.shared_order<"r1 r2 r4">>>)

// -----

// expected-error @below {{a field is a tile in #tile.shared_order, found 'tensor<8xf32>'}}
func.func private @fields_have_an_order(!tile.ring<2, tensor<8xf32>>)

// -----

// expected-error @below {{order "r1 r2" does not give every element of the tile one address}}
func.func private @orders_cover_the_tile(tensor<8xf32, #tile.shared_order<"r1 r2">>)

// -----

// expected-error @below {{order "r1 r2 r4 0" does not give every element of the tile one address}}
func.func private @orders_hold_no_copies(tensor<8xf32, #tile.shared_order<"r1 r2 r4 0">>)

// -----

// expected-error @below {{order "r1 | r2 r4" does not give every element of the tile one address}}
func.func private @orders_have_no_lanes(tensor<8xf32, #tile.shared_order<"r1 | r2 r4">>)

// -----

// expected-error @below {{a tile in shared memory holds numbers of at least 4 bits, found 'i1'}}
func.func private @orders_are_of_numbers(tensor<8xi1, #tile.shared_order<"r1 r2 r4">>)

// -----

func.func @rings_belong_to_a_block() {
  // expected-error @below {{stands outside a tile.grid; copies and their memory belong to a block}}
  %r = tile.ring : !tile.ring<2, tensor<8xf32, #tile.shared_order<"r1 r2 r4">>>
  return
}

// -----

func.func @groups_belong_to_a_block() {
  // expected-error @below {{stands outside a tile.grid; copies and their memory belong to a block}}
  tile.commit
  return
}

// -----

!ring = !tile.ring<2, tensor<8xf32, #tile.shared_order<"r1 r2 r4">>>
func.func @puts_name_a_field(%r: !ring, %v: !tile.view<1, f32>, %i: index) {
  // expected-error @below {{names field 1 of a ring that has 1}}
  tile.put %r[%i] field 1, %v[%i] {threads = #tile.regs<"| r1 r2 r4">} : !ring, !tile.view<1, f32>
  return
}

// -----

!ring = !tile.ring<2, tensor<8xf32, #tile.shared_order<"r1 r2 r4">>>
func.func @puts_have_an_offset_for_each_dimension(%r: !ring, %v: !tile.view<2, f32>, %i: index) {
  // expected-error @below {{needs one offset for each of the view's 2 dimensions, found 1}}
  tile.put %r[%i] field 0, %v[%i] {threads = #tile.regs<"| r1 r2 r4">} : !ring, !tile.view<2, f32>
  return
}

// -----

!ring = !tile.ring<2, tensor<8xf32, #tile.shared_order<"r1 r2 r4">>>
func.func @puts_keep_the_element_type(%r: !ring, %v: !tile.view<1, i32>, %i: index) {
  // expected-error @below {{field holds 'f32', view 'i32'}}
  tile.put %r[%i] field 0, %v[%i] {threads = #tile.regs<"| r1 r2 r4">} : !ring, !tile.view<1, i32>
  return
}

// -----

!ring = !tile.ring<2, tensor<8xf32, #tile.shared_order<"r1 r2 r4">>>
func.func @puts_name_the_dimensions_of_the_field(%r: !ring, %v: !tile.view<2, f32>, %i: index) {
  // expected-error @below {{`dims` names one view dimension for each of the field's 1}}
  tile.put %r[%i] field 0, %v[%i, %i] {dims = array<i64: 0, 1>, threads = #tile.regs<"| r1 r2 r4">} : !ring, !tile.view<2, f32>
  return
}

// -----

!ring = !tile.ring<2, tensor<8xf32, #tile.shared_order<"r1 r2 r4">>>
func.func @puts_spread_the_field(%r: !ring, %v: !tile.view<1, f32>, %i: index) {
  // expected-error @below {{layout "c1 | r1 r2" moves a dimension that the tile of rank 1 lacks}}
  tile.put %r[%i] field 0, %v[%i] {threads = #tile.regs<"c1 | r1 r2">} : !ring, !tile.view<1, f32>
  return
}

// -----

func.func @waits_leave_few_groups() {
  // expected-error @below {{leaves 0 to 7 groups in flight, found 8}}
  tile.wait 8
  return
}

// -----

!ring = !tile.ring<2, tensor<8xf32, #tile.shared_order<"r1 r2 r4">>>
func.func @gets_give_the_field(%r: !ring, %i: index) {
  // expected-error @below {{field 0 holds 'tensor<8xf32, #tile.shared_order<"r1 r2 r4">>', found 'tensor<8xf32>'}}
  %t = tile.get %r[%i] field 0 : !ring -> tensor<8xf32>
  return
}
