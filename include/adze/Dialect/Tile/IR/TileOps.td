// Ops of the tile dialect, sequential form. What a GPU does beside its computation is derived from it by passes: copies in
// flight are in RingOps.td; asynchronous dots and roles join it when that form is built.
#ifndef ADZE_DIALECT_TILE_IR_TILEOPS_TD
#define ADZE_DIALECT_TILE_IR_TILEOPS_TD

include "adze/Dialect/Tile/IR/TileDialect.td"
include "adze/Dialect/Tile/IR/RingOps.td"

// ---------------------------------------------------------------- place
def Tile_GridOp : Tile_Op<"grid", [SingleBlock, NoTerminator, RecursiveMemoryEffects]> {
  let summary = "independent work items: the body runs once per tile origin";
  let description = [{
    ```mlir
    tile.grid (%n, %t) = (%N, %T) by [32, 4] { ... }
    ```
    Origins are the multiples of the tile sizes below the extents; order and distribution are the schedule's. Several
    grids in one function follow each other in one range of block numbers; they are independent too.
  }];
  let arguments = (ins Variadic<Index>:$extents, DenseI64ArrayAttr:$tile);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_ViewOp : Tile_Op<"view", [Pure]> {
  let summary = "extents over a pointer";
  let description = [{
    ```mlir
    %W = tile.view %w[%N, %K] {constant, storage = #tile.storage<[8, 32], "c4 c1 c2 r1 r2 r4 c8 c16">} : !tile.view<2, i4>
    ```
    Strides are in elements and row-major by default; `offset` is in bytes. `constant`: no kernel of the step writes
    the memory. `overread`: memory for whole tiles exists beyond the extents (its content is not defined, loads still
    may return it). `storage`: the memory is packed blocks of that order; excludes `strides`.
  }];
  let arguments = (ins Tile_Ptr:$base, Variadic<Index>:$extents, DefaultValuedAttr<I64Attr, "0">:$offset,
                       OptionalAttr<DenseI64ArrayAttr>:$strides, UnitAttr:$constant, UnitAttr:$overread,
                       OptionalAttr<Tile_Storage>:$storage);
  let results = (outs Tile_View:$result);
  let assemblyFormat = "$base `[` $extents `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

// ---------------------------------------------------------------- memory
def Tile_LoadOp : Tile_Op<"load", [MemoryEffects<[MemRead]>]> {
  let summary = "tile at offsets; what lies outside the extents reads as zero";
  let description = [{
    ```mlir
    %x = tile.load %X[%t, %k] : !tile.view<2, f32> -> tensor<4x32xf32>
    ```
    One offset for each dimension of the view. `dims` names the view's dimensions that the tile spans, in the tile's
    order (`dims = array<i64: 1, 0>` is a transposed access); all others have size 1. By default they are the last
    ones. `in_bounds` names view dimensions along which offset + size <= extent has been proved; no mask is made there.
  }];
  let arguments = (ins Tile_View:$view, Variadic<Index>:$offsets, OptionalAttr<DenseI64ArrayAttr>:$dims,
                       OptionalAttr<DenseI64ArrayAttr>:$in_bounds);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$view `[` $offsets `]` attr-dict `:` type($view) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_LookupOp : Tile_Op<"lookup", [MemoryEffects<[MemRead]>]> {
  let summary = "one integer of a table (page table, sequence length) as an index";
  let description = [{
    ```mlir
    %page = tile.lookup %P[%i] : !tile.view<1, i32>
    ```
    Offsets must be inside the extents. Integers are sign-extended.
  }];
  let arguments = (ins Tile_View:$view, Variadic<Index>:$offsets);
  let results = (outs Index:$result);
  let assemblyFormat = "$view `[` $offsets `]` attr-dict `:` type($view)";
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "writes the part of the tile that lies inside the extents";
  let description = [{
    ```mlir
    tile.store %y, %Y[%t, %n] : tensor<4x32xf32>, !tile.view<2, f32>
    ```
    `dims` and `in_bounds` as in tile.load.
  }];
  let arguments = (ins Tile_Tensor:$value, Tile_View:$view, Variadic<Index>:$offsets,
                       OptionalAttr<DenseI64ArrayAttr>:$dims, OptionalAttr<DenseI64ArrayAttr>:$in_bounds);
  let assemblyFormat = "$value `,` $view `[` $offsets `]` attr-dict `:` type($value) `,` type($view)";
  let hasVerifier = 1;
}

// ---------------------------------------------------------------- compute (arith and math do the rest)
def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "result[m,n] = acc[m,n] + sum over k of a[m,k] * b[n,k]";
  let description = [{
    ```mlir
    %d = tile.dot %a, %b, %c {b_unsigned} : tensor<4x32xi8>, tensor<32x32xi4>, tensor<4x32xi32>
    ```
    Floating point: operands f32 or bf16, accumulators f32, one chain of fused multiply-adds for each element of the
    result in ascending k, so that the value of an element does not depend on the tile's shape. Where both operands are
    bf16 the chain is that of the target's own instruction (docs/Numerics.md), one for every shape. Integers: operands i8
    or i4, accumulators i32, exact; `a_unsigned` and `b_unsigned` read an operand's bits as 0 .. 2^w - 1. Signed i8
    operands `a` hold -127 .. 127 (quantized activations never hold -128); `b` may hold any value.
  }];
  let arguments = (ins Tile_Tensor:$a, Tile_Tensor:$b, Tile_Tensor:$acc, UnitAttr:$a_unsigned, UnitAttr:$b_unsigned);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$a `,` $b `,` $acc attr-dict `:` type($a) `,` type($b) `,` type($acc)";
  let hasVerifier = 1;
}

def Tile_ReduceOp : Tile_Op<"reduce", [Pure]> {
  let summary = "\"add\" or \"max\" along dim";
  let description = [{
    ```mlir
    %m = tile.reduce "max" %s dim 1 : tensor<4x64xf32> -> tensor<4xf32>
    ```
    The order of a floating-point sum is a function of the reduced extent and the target's lane count alone
    (docs/Rationale/Tile.md). Maximum is that of arith.maximumf. Identity elements: 0 and minus infinity.
  }];
  let arguments = (ins StrAttr:$kind, Tile_Tensor:$value, I64Attr:$dim);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$kind $value `dim` $dim attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "repeats along the new dimension dim";
  let description = [{
    The result has one dimension more than the operand, at `dim`; its elements do not depend on it.
    ```mlir
    %b = tile.broadcast %scale dim 0 : tensor<32xf32> -> tensor<4x32xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$value, I64Attr:$dim);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$value `dim` $dim attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_SplatOp : Tile_Op<"splat", [Pure]> {
  let summary = "a tile with one scalar everywhere";
  let description = [{
    The scalar is any SSA value of the tile's element type.
    ```mlir
    %len = tile.splat %n : i32 -> tensor<4x64xi32>
    ```
  }];
  let arguments = (ins AnyType:$value);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_IotaOp : Tile_Op<"iota", [Pure]> {
  let summary = "base + position along dim, as an integer tile; masks are comparisons of it";
  let description = [{
    Element (i, j, ...) is base + the coordinate along `dim`, truncated to the element type.
    ```mlir
    %pos = tile.iota %first dim 1 : tensor<4x64xi32>
    ```
  }];
  let arguments = (ins Index:$base, I64Attr:$dim);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$base `dim` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_TransposeOp : Tile_Op<"transpose", [Pure]> {
  let summary = "swaps the two dimensions";
  let description = [{
    The lanes follow: a transposed tile costs nothing where its user wants them there.
    ```mlir
    %t = tile.transpose %v : tensor<64x16xf32> -> tensor<16x64xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$value);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ReshapeOp : Tile_Op<"reshape", [Pure]> {
  let summary = "the same elements, counted row by row, under another shape";
  let description = [{
    Tokens by heads become the rows of one product, and the other way round. Only which number an element has along
    which dimension changes: threads and registers keep what they hold.
    ```mlir
    %q = tile.reshape %heads : tensor<4x4x64xbf16> -> tensor<16x64xbf16>
    ```
  }];
  let arguments = (ins Tile_Tensor:$value);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

// ---------------------------------------------------------------- layout
def Tile_ConvertLayoutOp : Tile_Op<"convert_layout", [Pure]> {
  let summary = "the same tile in another layout";
  let description = [{
    The values stay, the encoding changes: lanes along another dimension, or scalars; registers of other threads; shared
    memory (`#tile.shared`).
    ```mlir
    %y = tile.convert_layout %x : tensor<4x8xf32, #tile.regs<"| c1 c2 c4">> -> tensor<4x8xf32, #tile.regs<"|">>
    ```
  }];
  let arguments = (ins Tile_Tensor:$value);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ExtractOp : Tile_Op<"extract", [Pure]> {
  let summary = "static sub-tile, aligned to its own size";
  let description = [{
    ```mlir
    %hi = tile.extract %x [0, 32] : tensor<4x64xf32> -> tensor<4x32xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$value, DenseI64ArrayAttr:$offsets);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$value $offsets attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

#endif // ADZE_DIALECT_TILE_IR_TILEOPS_TD
