// Ops of copies in flight: what tile-pipeline-loads makes of a loop's loads. One sequential program still; a copy that was
// put lies in its slot only behind a wait.
#ifndef ADZE_DIALECT_TILE_IR_RINGOPS_TD
#define ADZE_DIALECT_TILE_IR_RINGOPS_TD

include "adze/Dialect/Tile/IR/TileDialect.td"

def Tile_RingOp : Tile_Op<"ring", [MemoryEffects<[MemAlloc]>]> {
  let summary = "shared memory for the slots of a ring";
  let description = [{
    ```mlir
    %r = tile.ring : !tile.ring<3, tensor<16x64xbf16, #tile.shared_order<"..">>>
    ```
    Every read of shared memory before it is over when the first copy into the ring starts. The memory is the ring's up to
    its last use. It stands in a `tile.grid`: a block's memory ends with the block.
  }];
  let results = (outs Tile_Ring:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_PutOp : Tile_Op<"put", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "starts the copy of a tile of memory into one field of a slot";
  let description = [{
    ```mlir
    tile.put %r[%slot] field 0, %X[%t, %k] {threads = #tile.regs<"..">} : !tile.ring<..>, !tile.view<2, bf16>
    ```
    The tile is that of the field; offsets, `dims` and `in_bounds` are those of tile.load, and what lies outside the
    extents becomes zero. `threads` says which thread copies what: a whole map whose lowest register bits are neighbours in
    memory and in the slot, 4, 8 or 16 bytes of them. The copy belongs to the group that the next `tile.commit` ends, and
    nobody may read or write the field until a `tile.wait` that covers this group.
  }];
  let arguments = (ins Tile_Ring:$ring, Index:$slot, I64Attr:$field, Tile_View:$view, Variadic<Index>:$offsets,
                       OptionalAttr<DenseI64ArrayAttr>:$dims, OptionalAttr<DenseI64ArrayAttr>:$in_bounds,
                       Tile_Regs:$threads);
  let assemblyFormat = "$ring `[` $slot `]` `field` $field `,` $view `[` $offsets `]` attr-dict `:` type($ring) `,` type($view)";
  let hasVerifier = 1;
}

def Tile_CommitOp : Tile_Op<"commit", [MemoryEffects<[MemWrite]>]> {
  let summary = "ends a group of copies: those that were put since the last commit";
  let description = [{
    A group may be empty; it counts all the same. Copies belong to a block, so it stands in a `tile.grid`.
    ```mlir
    tile.commit
    ```
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Tile_WaitOp : Tile_Op<"wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until all groups of copies but the youngest ones lie in their slots";
  let description = [{
    ```mlir
    tile.wait 1
    ```
    At most that many groups, the youngest, are still in flight afterwards. All threads of the block meet here: each sees
    what the others copied, and no read of a slot before the wait is still going on behind it.
  }];
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
  let hasVerifier = 1;
}

def Tile_GetOp : Tile_Op<"get", [MemoryEffects<[MemRead]>]> {
  let summary = "the tile that a field of a slot holds";
  let description = [{
    ```mlir
    %x = tile.get %r[%slot] field 0 : !tile.ring<3, !x> -> !x
    ```
    Nothing moves: `tile.convert_layout` reads it, before the next copy into this slot starts.
  }];
  let arguments = (ins Tile_Ring:$ring, Index:$slot, I64Attr:$field);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$ring `[` $slot `]` `field` $field attr-dict `:` type($ring) `->` type($result)";
  let hasVerifier = 1;
}

#endif // ADZE_DIALECT_TILE_IR_RINGOPS_TD
