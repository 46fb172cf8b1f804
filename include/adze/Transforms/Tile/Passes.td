// Passes.td: passes on kernels of the tile dialect.
#ifndef ADZE_TRANSFORMS_TILE_PASSES_TD
#define ADZE_TRANSFORMS_TILE_PASSES_TD

include "adze/Transforms/NumericEffect.td"

class Tile_Pass<string flag> : Adze_Pass<flag, "Exact"> {
  let dependentDialects = ["::adze::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TilePeelBoundariesPass : Tile_Pass<"tile-peel-boundaries"> {
  let summary = "split a grid into whole tiles, which need no masks, and a rest";
  let description = [{
    A grid over an extent that its tile size need not divide becomes two: the whole tiles, and a rest. A rest of a
    run-time extent (tokens) runs by 4 where the tile is larger, and what is left of that by 1, so that one token costs
    one row; the rest of a static extent (outputs) is one tile of what is left. Tiles that span the dimension get the rest's size. Loads and stores along the grid's dimension
    whose view has the grid's extent are marked `in_bounds`.

    It must not fire for a grid dimension whose size divides a static extent or a factor of a product that is the extent
    (only `in_bounds` is added), nor for one along which a tile is reduced by something that is not a tile dimension of
    the grid's size; such a grid stays masked.

    Before:
    ```mlir
    tile.grid (%n, %t) = (%N, %T) by [16, 4] { ... tensor<4x16xf32> ... }
    ```
    After:
    ```mlir
    %r = arith.remui %T, %c4 : index
    %whole = arith.subi %T, %r : index
    tile.grid (%n, %t) = (%N, %whole) by [16, 4] { ... tensor<4x16xf32> ... }
    tile.grid (%n, %i) = (%N, %r) by [16, 1] { %t = arith.addi %i, %whole : index ... tensor<1x16xf32> ... }
    ```
  }];
  let statistics = [Statistic<"peeledCount", "peeled", "grid dimensions split into whole tiles and a rest">,
                    Statistic<"keptCount", "kept-masked", "grid dimensions that stay masked">];
}

def TileAssignLayoutsPass : Tile_Pass<"tile-assign-layouts"> {
  let summary = "say along which dimension the lanes of each tile run";
  let description = [{
    Every tile gets a `#tile.regs` encoding. A dot's result and accumulator have lanes along n, its `b` along the same
    n; that spreads over elementwise ops, broadcasts, reductions, transposes and loop-carried values. A tile that no dot
    reaches has its lanes along its last dimension; a reduced tile whose lanes went away holds scalars. A packed view
    must have the lanes that its storage order has: else the pass fails with both.

    It must not fire for a dot's `a` (any layout serves) and never changes a computation; two dots that want different
    lanes of one tile are an error.

    Before: `tensor<4x16xf32>`. After: `tensor<4x16xf32, #tile.regs<"| c1 c2 c4">>`.
  }];
  let options = [Option<"target", "target", "std::string", "\"x86-64-v3\"", "name of the target, as --cpu spells it">];
  let statistics = [Statistic<"tileCount", "tiles", "tiles that got a layout">];
}

def TileAssignThreadLayoutsPass : Adze_Pass<"tile-assign-thread-layouts", "Reorders"> {
  let summary = "spread each tile over the threads of a GPU's block";
  let description = [{
    Every tile gets a whole `#tile.regs` map (register, lane, warp bits), and `tile.convert_layout` stands wherever a value
    changes its threads. Tiles that elementwise ops, accumulators and loops tie together are one class and have one
    layout, chosen in this order:

    1. The result of a dot has the layout that the target's matrix instruction leaves, the warps where each has the
       fewest rows of both operands to read, along the outputs where that is equal. A dot in f32, or of fewer rows or k than an instruction has, has none: its result lies in squares, and
       its operands go to shared memory.
    2. An operand of an instruction that comes from memory is loaded as the instruction wants it where that touches no
       more sectors than it must (a weight that was packed for it); else it is loaded as it lies and converted. The
       cheaper of the two, by sectors and the conversion's plan. Where loads of a loop will be copied ahead (`stages`) and
       something is done to the tile before it is multiplied (a mask), it lies as the instruction wants it: that is how it
       will be read from shared memory. What a loop does not change is converted before it.
    3. What is broadcast, reduced or transposed follows its neighbour.
    4. All else, largest tiles first, lies as memory does: 16 bytes a lane, neighbouring lanes neighbours.

    `tile.threads` and `tile.target` are set. The number of warps is the schedule's, 4 without one. The order of a sum
    follows from its tile's layout, hence from static shapes and the schedule alone.

    It must not fire for a kernel that has `tile.threads` already or for a function that is no kernel. A tile with an extent
    that is no power of two, and a dot of 4-bit codes, are errors.

    Before: `tensor<32x64xbf16>`. After: `tensor<32x64xbf16, #tile.regs<"c1 c2 c4 r16 | c8 c16 c32 r1 r2 | r4 r8">>`.
  }];
  let options = [Option<"target", "target", "std::string", "\"sm_80\"", "name of the GPU, as --target spells it">];
  let statistics = [Statistic<"tileCount", "tiles", "tiles that got a layout">,
                    Statistic<"conversionCount", "conversions", "places where a tile changes its layout">];
}

def TilePipelineLoadsPass : Tile_Pass<"tile-pipeline-loads"> {
  let summary = "copy what a loop of products loads into shared memory, iterations ahead";
  let description = [{
    In a loop over the depth of a product with layouts of threads, every load whose address follows from the loop's
    counter, by arithmetic or through a table (the pages of a cache), becomes a copy into a ring of shared memory (`tile.ring`, `tile.put`), issued `stages - 1` iterations ahead;
    `stages`, 2 to 8, is a number of the kernel's schedule, and a loop of fewer iterations gets as many slots as it has
    iterations. Each iteration waits for its own copies, which is the block's one barrier, starts those of a later
    iteration into the slot that the iteration before has left, and reads its tiles from its slot as who multiplies wants
    them: rows under the swizzle with the fewest conflicts, packs as they lie in memory. Nothing else moves, every sum
    keeps its order.

    It must not fire for a kernel without `stages`, for a loop without a product by matrix instructions, nor for a load
    whose address follows from a carried value or from a table that the kernel writes, whose memory the kernel writes, or of
    which no thread could copy 4 neighbouring bytes; that one stays a load. A ring that needs more shared memory than a block of the target has is an
    error that names both.

    Before:
    ```mlir
    %d = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero) -> (!acc) {
      %x = tile.load %X[%t, %k] : !tile.view<2, bf16> -> !rows
      %a = tile.convert_layout %x : !rows -> !a
      ...
    ```
    After, with three stages:
    ```mlir
    %r = tile.ring : !tile.ring<3, !slot>
    tile.put %r[%c0] field 0, %X[%t, %c0] ..   tile.commit   tile.put %r[%c1] field 0, %X[%t, %c64] ..   tile.commit
    %d:3 = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero, %slot = %c0, %free = %c2) -> (!acc, index, index) {
      tile.wait 1
      %later = arith.addi %k, %c128 : index
      %more = arith.cmpi slt, %later, %K : index
      scf.if %more { tile.put %r[%free] field 0, %X[%t, %later] .. }
      tile.commit
      %x = tile.get %r[%slot] field 0 : !tile.ring<3, !slot> -> !slot
      %a = tile.convert_layout %x : !slot -> !a
      ...
      scf.yield %sum, %next, %slot : !acc, index, index
    ```
  }];
  let statistics = [Statistic<"loopCount", "loops", "loops whose loads are copied ahead">,
                    Statistic<"copiedCount", "copied", "loads that became copies">,
                    Statistic<"keptCount", "kept", "loads of such loops that stayed">];
}

def TileVerifyKernelsPass : Tile_Pass<"tile-verify-kernels"> {
  let summary = "check what every kernel must satisfy before its way down";
  let description = [{
    Fails, by name of the op, for: a kernel with results or arguments other than pointers and indices; a grid inside
    another region; an op that no target has a form for; a tile carried by a loop that is too large; a packed argument
    (`tile.packed`) that a view reads in another order; a store to memory marked `constant`.

    Before and after are equal.
  }];
  let options = [Option<"target", "target", "std::string", "\"x86-64-v3\"", "name of the target, as --cpu spells it">];
  let statistics = [Statistic<"kernelCount", "kernels", "kernels checked">];
}

#endif // ADZE_TRANSFORMS_TILE_PASSES_TD
