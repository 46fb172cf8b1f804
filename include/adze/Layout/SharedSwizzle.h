//===- SharedSwizzle.h - the orders in which hardware keeps a tile in shared memory ------------------------------===//
//
// TMA and wgmma know four orders of a tile [rows, columns] (`#tile.shared<0 | 32 | 64 | 128>`). With a swizzle of S
// bytes a row is cut into panels of S bytes; a panel holds all rows, one after the other, and panels follow each other
// (one TMA box each). Then 16-byte pieces are exchanged inside rows: bits 4 .. of the address are XORed with bits 7 ..
// : one bit for 32, two for 64, three for 128 bytes. So 8 rows of a 16-byte column, which would all lie in the same
// banks, lie in all 32. Without a swizzle rows follow each other whole.
//
//   sharedStorage(16, 64, 16 bits, 128)  "c1 c2 c4 c8 c16 c32 r1+c8 r2+c16 r4+c32 r8"
//   sharedStorage(16, 32, 16 bits, 64)   "c1 c2 c4 c8 c16 r1 r2+c8 r4+c16 r8"
//   sharedStorage(8, 128, 16 bits, 128)  "c1 c2 c4 c8 c16 c32 r1+c8 r2+c16 r4+c32 c64"     two panels
//
// A tile whose rows are its contiguous dimension's other way round ([n, k] kept with n contiguous) is the transposed
// map.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_LAYOUT_SHAREDSWIZZLE_H
#define ADZE_LAYOUT_SHAREDSWIZZLE_H

#include "adze/Layout/SharedAccess.h"

namespace adze {

inline constexpr unsigned kSwizzles[] = {0, 32, 64, 128};

/// Bits of the byte address that a swizzle of `bytes` exchanges: 0 to 3. Their sources lie three bits higher.
unsigned swizzleBits(unsigned bytes);
/// The physical place of byte `address` of the order without exchange, and back.
uint32_t swizzled(uint32_t address, unsigned bytes);

/// Address bits (of elements) to coordinates. Empty and `*reason` set when an extent is no power of two, the swizzle is
/// none of kSwizzles or a row is shorter than it.
std::optional<LinearMap> sharedStorage(int64_t rows, int64_t columns, unsigned elementBits, unsigned swizzle,
                                       std::string *reason = nullptr);

struct SwizzleChoice {
  unsigned swizzle;
  LinearMap storage;
  unsigned wavefronts; ///< of all stores and loads together, one warp each
};

/// The swizzle with which warps that store and load the tile in these layouts take the fewest wavefronts; the smaller
/// one of equals. Empty and `*reason` set when a layout does not fit the tile.
std::optional<SwizzleChoice> chooseSwizzle(int64_t rows, int64_t columns, unsigned elementBits,
                                           std::span<const LinearMap> stores, std::span<const LinearMap> loads,
                                           const SharedFacts &facts = {}, std::string *reason = nullptr);

} // namespace adze

#endif // ADZE_LAYOUT_SHAREDSWIZZLE_H
