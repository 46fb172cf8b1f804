//===- ThreadLayouts.h - layouts of a block's threads that no instruction prescribes ------------------------------===//
//
// A tile that no matrix instruction touches may lie anywhere. Three wishes decide: neighbours in memory go to the
// registers of one lane (16 bytes by one load) and to neighbouring lanes; a sum along a dimension wants its result
// where it is made; a product without a matrix instruction wants a square of outputs in each thread.
//
// Memory order. The bits of a tile's coordinate, ordered by what they add to the address: rows of 64 columns are
// "c1 c2 c4 c8 c16 c32 r1 r2 .."; a packed block its own map, then the number of the block. `run` counts the lowest
// bits whose addresses are 1, 2, 4, .. elements: those can be moved together.
//
//   32 rows of 64 bf16 in memory, four warps: eight numbers a lane, eight lanes a row, four rows a warp and load:
//     "c1 c2 c4 r16 | c8 c16 c32 r1 r2 | r4 r8"
//   the same spread over fewer elements than there are threads copies:
//     [1, 64]: "| c1 c2 c4 c8 c16 | c32 0"
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_LAYOUT_THREADLAYOUTS_H
#define ADZE_LAYOUT_THREADLAYOUTS_H

#include "adze/Layout/GlobalAccess.h"
#include "adze/Layout/PackedOrder.h"

namespace adze {

struct MemoryOrder {
  std::vector<Coord> bits; ///< of the tile's coordinate, by what they add to the address
  unsigned run = 0;        ///< lowest of them that are neighbours in memory
};

/// A tile whose dimension `dims[0]` is contiguous, `dims[1]` the next, ... : every dimension is named once. Extents are
/// powers of two. `contiguous`: dims[0] has a stride of one element.
MemoryOrder plainOrder(std::span<const int64_t> shape, std::span<const unsigned> dims, bool contiguous);
/// A tile in packed memory, aligned to its blocks or inside one; `dims[i]` is the dimension of the pack that the tile's
/// dimension i runs along.
MemoryOrder packedOrder(std::span<const int64_t> shape, std::span<const unsigned> dims, const PackedOrder &pack);

/// The lowest bits to the registers (16 bytes at most, and only what the threads leave over), then lanes, warps, and
/// what is left to further registers.
LinearMap spreadOver(const MemoryOrder &order, unsigned elementBits, unsigned warpBits);
/// The lowest `together` bits to the registers whatever the threads leave over, then lanes, warps and further
/// registers: who copies memory in pieces of that size. Threads that get no piece are copies of others.
LinearMap piecesOver(const MemoryOrder &order, unsigned together, unsigned warpBits);
/// m x n outputs of a product without matrix instructions: neighbouring columns to neighbouring lanes, a square of
/// rows and columns to the registers of a thread.
LinearMap squaresOver(int64_t m, int64_t n, unsigned warpBits);

/// How a layout reads memory of that order.
GlobalAccess accessOf(const LinearMap &layout, const MemoryOrder &order, unsigned elementBits);
/// Sectors of 32 bytes that a whole block asks for, those that several warps ask for counted for each.
uint64_t sectorsOf(const LinearMap &layout, const MemoryOrder &order, unsigned elementBits);

/// Where the result of a reduction along `dim` lies, and what a broadcast along it reads: the coordinate no longer
/// matters, registers that would be copies go.
LinearMap reducedLayout(const LinearMap &layout, unsigned dim);

} // namespace adze

#endif // ADZE_LAYOUT_THREADLAYOUTS_H
