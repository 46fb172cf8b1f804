//===- ByteMap.h - layouts as maps of bytes, for planning -------------------------------------------------------===//
//
// Vectors of a ByteMap are byte numbers in the tile (row-major) or, after `inCoordinatesOf`, in a basis chosen by the
// planner. Register bits include the byte bits of an element. Internal to this library.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_LIB_LAYOUT_BYTEMAP_H
#define ADZE_LIB_LAYOUT_BYTEMAP_H

#include "adze/Layout/BytePermute.h"

namespace adze {

inline constexpr unsigned kLaneBits = 5, kWordBits = 2, kVectorBits = 4, kBankBits = 7; ///< in bytes: 4, 16, 128

struct ByteMap {
  BitVectors reg, lane, above; ///< above the lane: warp bits, then block bits
  unsigned warps = 0;          ///< warp bits among these
  unsigned bytes = 0;          ///< byte bits of an element: the first register bits

  /// `box` holds every coordinate. A pair of 4-bit elements (register bit 0) counts as a byte.
  static ByteMap of(const LinearMap &layout, const Coord &box, unsigned elementBits);
  /// Of lanes and above.
  BitVectors threads() const;
  /// Every vector written as a sum of `basis`, which spans them.
  ByteMap inCoordinatesOf(const BitSpace &basis) const;
};

/// Registers as words: at most two bits inside a word (none, one: the upper bytes are not used), and bits of the word.
struct WordRegisters {
  BitVectors inWord, words;
  static WordRegisters of(const ByteMap &map);
  unsigned count() const { return 1u << words.size(); }
};

/// `to` made of `from`, whose span holds it. Bits that are equal in both stay where they are.
BytePermute permuteBytes(const WordRegisters &from, const WordRegisters &to);

/// First the vectors of `first`, then all of `lists` that are needed to span everything: a basis, as coordinates.
BitVectors basisThrough(BitVectors first, std::initializer_list<BitVectors> lists);
/// Vectors of `candidates`, in their order, that lie in both spans and are independent of `apart` and of each other.
BitVectors sharedVectors(const BitVectors &a, const BitVectors &b, const BitVectors &apart, unsigned most);

/// Whether elements of that width can be planned: 8 to 64 bits, or 4 with `layouts` that agree on their low bit.
bool elementsFit(unsigned elementBits, std::initializer_list<const LinearMap *> layouts, std::string *reason);

} // namespace adze

#endif // ADZE_LIB_LAYOUT_BYTEMAP_H
