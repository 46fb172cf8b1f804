//===- LinearMap.h - linear maps over GF(2) from index bits to tile coordinates ---------------------------------===//
//
// Where does element number i of a register file, a vector, a shared tile or a packed block belong in the tile? For
// everything that hardware and packers do, the answer is linear over GF(2): every bit of i adds (XORs) one fixed vector
// to the coordinate. One class then serves packs, vector lanes, matrix fragments and swizzles, and a pack and the
// kernel that reads it cannot disagree, because both evaluate the same map.
//
// Notation: one word a bit, lowest bit first. Letter = dimension (r, c, d, e = 0, 1, 2, 3), number = what the bit adds
// there, `0` = the bit does not matter (copies), words joined by `+` = the bit moves along several dimensions at once
// or by several amounts (swizzles). `|` separates the bits of register, lane, warp and block of a cluster.
//
//   "c4 c1 c2 r1 r2 r4 c8 c16"   bit 0 adds 4 to dimension 1, bit 1 adds 1, ... : the pack of 4-bit codes for AVX2.
//                                index 5 = bits 0 and 2 -> c4 ^ c2 -> coordinate (0, 6).
//   "r4 | c1 c2 r1 r2"           two registers of 16 lanes; lane 5 of register 1 -> (4 ^ 1, 1) = (5, 1).
//   "c1 c2 c4 r1+c1 r2+c2"       a swizzle: row 1 exchanges neighbours, row 2 pairs.
//   "c1 r8 | c2 c4 r1 r2 r4 | r16 r32 | r64"   what mma leaves: 16 x 8 a warp, four warps, two blocks of a cluster.
//
// A question about hardware is a question about maps:
//
// * Is a tile the operand of an instruction? The instruction's operand is a map as well; `divide` takes it off. A 64 x
// 64
//   tile "c1 r8 c8 c16 c32 | c2 c4 r1 r2 r4 | r16 r32" divided by the A operand of mma.m16n8k16, "c1 r8 c8 | c2 c4 r1
//   r2 r4", leaves "c1 c2 | | r1 r2": four instructions along k, four warps along m. `product` is the way back; an
//   operand that does not divide is not the instruction's. MmaLayouts.h is the table of such operands.
// * How much may one lane load at once? The units c1, c2, c4 of the innermost dimension that lie in the span of its
//   register bits: GlobalAccess.h.
// * Do lanes meet in a bank? Lanes go through the tile's map to a coordinate and through the inverse of the storage's
// map
//   to an address: a composition. Two accesses share a bank when bits 2 to 6 of their addresses agree, so the number of
//   serial steps is 2 to the rank that is lost when those bits alone are looked at: SharedAccess.h.
// * How does a value get from layout A to layout B? Element B(x) is found at A(y) with A(y) = B(x); y as a linear
//   function of x says which register, lane and warp holds it. If lane and warp of y are those of x, registers are
//   renamed; if the warp is, words go by shuffle; else by shared memory: ConversionPlan.h.
//
// apply     index -> coordinate.
// compose   (f . g)(x) = f(g(x)) where g's dimension 0 is an index of f.
// invert    coordinate -> index, for a bijective map: input bits are the coordinate's bits, dimension 0's first,
//           the result's dimension 0 is the index.   invert("c1 r1 c2") has inputs (r1, c1, c2) and is "r2 r1 r4".
// covers    every coordinate of a shape exactly once.
// product   a tile, repeated: "c1 | r1" x "r1 c1 | | c1" = "c1 r2 c2 | r1 | c4" (the second counts in tiles).
// divide    "c1 r2 c2 | r1 | c4" / "c1 | r1" = "r1 c1 | | c2"; empty when the tile is not the lowest bits of each
// group. reshaped  the same elements under another shape, row-major: "c1 r1" of [2, 2] is "r1 r2" of [4].
//
// Units: indices and coordinates count elements. A map has at most 48 bits and reaches at most 2^62 coordinates. No
// dependency, no exceptions, no allocation beyond vectors. The idea is that of "Linear Layouts" (arXiv 2505.23819).
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_LAYOUT_LINEARMAP_H
#define ADZE_LAYOUT_LINEARMAP_H

#include "adze/Layout/BitSpace.h"

#include <array>
#include <string>
#include <string_view>

namespace adze {

inline constexpr unsigned kMaxDims = 4;
using Coord = std::array<int64_t, kMaxDims>;

class LinearMap {
public:
  /// Basis vectors of the four groups of bits, lowest bit first. Storage orders use `reg` alone.
  std::vector<Coord> reg, lane, warp, block;

  /// Empty and `*error` set (what was found, what is accepted) when the text is not a map.
  static std::optional<LinearMap> parse(std::string_view text, std::string *error = nullptr);
  std::string str() const;

  std::array<std::vector<Coord> *, 4> groups() { return {&reg, &lane, &warp, &block}; }
  std::array<const std::vector<Coord> *, 4> groups() const { return {&reg, &lane, &warp, &block}; }
  unsigned bits() const { return reg.size() + lane.size() + warp.size() + block.size(); }
  std::vector<Coord> all() const;
  /// index = register + registers * (lane + lanes * (warp + warps * block)).
  Coord apply(uint64_t index) const;
  /// The lowest index that maps to `coord`, or -1.
  int64_t find(const Coord &coord) const;
  /// this . inner; empty when inner reaches beyond this map's bits or moves another dimension than 0.
  std::optional<LinearMap> compose(const LinearMap &inner) const;
  /// Empty when the map is not a bijection onto a box.
  std::optional<LinearMap> invert() const;
  /// This tile repeated as `outer` says, which counts in units of extents().
  LinearMap product(const LinearMap &outer) const;
  /// The map that `tile.product` makes this one of; empty when there is none.
  std::optional<LinearMap> divide(const LinearMap &tile) const;
  /// Smallest box of powers of two that holds every coordinate.
  Coord extents() const;
  /// Every coordinate of `shape` exactly once (bits that are `0` aside: they copy).
  bool covers(std::span<const int64_t> shape) const;
  /// Rank over GF(2) of the basis vectors.
  unsigned rank() const;
  /// Coordinates of shape `from` as coordinates of `to`, both row-major. Empty when an extent is no power of two, the
  /// element counts differ, a shape has more than four dimensions or the map reaches outside `from`.
  std::optional<LinearMap> reshaped(std::span<const int64_t> from, std::span<const int64_t> to) const;
  /// That coordinate no longer matters; later dimensions move down.
  LinearMap drop(unsigned dim) const;
  /// Dimensions 0 and 1 exchanged.
  LinearMap transposed() const;
  bool operator==(const LinearMap &other) const = default;
};

/// Row-major number of a coordinate inside a box of powers of two, last dimension lowest: vectors as BitSpace takes
/// them.
BitVector flatten(const Coord &coord, const Coord &box);
BitVectors flatten(const std::vector<Coord> &vectors, const Coord &box);

} // namespace adze

#endif // ADZE_LAYOUT_LINEARMAP_H
