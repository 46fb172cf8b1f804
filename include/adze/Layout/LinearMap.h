//===- LinearMap.h - linear maps over GF(2) from index bits to tile coordinates
//-------------------------------------===//
//
// Where does element number i of a register file, a vector or a packed block belong in the tile? For everything that
// hardware and packers do, the answer is linear over GF(2): every bit of i adds (XORs) one fixed vector to the
// coordinate. One class then serves packs, vector lanes, matrix fragments and swizzles, and a pack and the kernel that
// reads it cannot disagree, because both evaluate the same map.
//
// Notation: one word a bit, lowest bit first. Letter = dimension (r, c, d, e = 0, 1, 2, 3), number = what the bit adds
// there, `0` = the bit does not matter (copies), words joined by `+` = the bit moves along several dimensions at once
// or by several amounts (swizzles). `|` separates register, lane and warp bits.
//
//   "c4 c1 c2 r1 r2 r4 c8 c16"   bit 0 adds 4 to dimension 1, bit 1 adds 1, ... : the pack of 4-bit codes for AVX2.
//                                index 5 = bits 0 and 2 -> c4 ^ c2 -> coordinate (0, 6).
//   "r4 | c1 c2 r1 r2"           two registers of 16 lanes; lane 5 of register 1 -> (4 ^ 1, 1) = (5, 1).
//   "c1 c2 c4 r1+c1 r2+c2"       a swizzle: row 1 exchanges neighbours, row 2 pairs.
//
// apply     index -> coordinate.
// compose   (f . g)(x) = f(g(x)) where g's dimension 0 is an index of f.
// invert    coordinate -> index, for a bijective map: input bits are the coordinate's bits, dimension 0's first,
//           the result's dimension 0 is the index.   invert("c1 r1 c2") has inputs (r1, c1, c2) and is "r2 r1 r4".
// covers    every coordinate of a shape exactly once.
//
// Units: indices and coordinates count elements. No dependency, no exceptions, no allocation beyond vectors.
// The idea is that of "Linear Layouts" (arXiv 2505.23819).
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_LAYOUT_LINEARMAP_H
#define ADZE_LAYOUT_LINEARMAP_H

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adze {

inline constexpr unsigned kMaxDims = 4;
using Coord = std::array<int64_t, kMaxDims>;

class LinearMap {
public:
  /// Basis vectors of the three groups of bits, lowest bit first. Storage orders use `reg` alone.
  std::vector<Coord> reg, lane, warp;

  /// Empty and `*error` set (what was found, what is accepted) when the text is not a map.
  static std::optional<LinearMap> parse(std::string_view text, std::string *error = nullptr);
  std::string str() const;

  unsigned bits() const { return reg.size() + lane.size() + warp.size(); }
  std::vector<Coord> all() const;
  /// index = register + lane * registers + warp * registers * lanes.
  Coord apply(uint64_t index) const;
  /// The lowest index that maps to `coord`, or -1.
  int64_t find(const Coord &coord) const;
  /// this . inner; empty when inner reaches beyond this map's bits or moves another dimension than 0.
  std::optional<LinearMap> compose(const LinearMap &inner) const;
  /// Empty when the map is not a bijection onto a box.
  std::optional<LinearMap> invert() const;
  /// Smallest box of powers of two that holds every coordinate.
  Coord extents() const;
  /// Every coordinate of `shape` exactly once (bits that are `0` aside: they copy).
  bool covers(std::span<const int64_t> shape) const;
  /// Rank over GF(2) of the basis vectors.
  unsigned rank() const;
  /// That coordinate no longer matters; later dimensions move down.
  LinearMap drop(unsigned dim) const;
  /// Dimensions 0 and 1 exchanged.
  LinearMap transposed() const;
  bool operator==(const LinearMap &other) const = default;
};

} // namespace adze

#endif // ADZE_LAYOUT_LINEARMAP_H
