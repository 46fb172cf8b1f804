//===- LayoutData.h - random layouts, and registers filled as a layout says -------------------------------------===//
#ifndef ADZE_TEST_LAYOUT_LAYOUTDATA_H
#define ADZE_TEST_LAYOUT_LAYOUTDATA_H

#include "adze/Layout/PlanExecutor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace adze {

inline LinearMap parsed(std::string_view text) {
  std::string error;
  std::optional<LinearMap> map = LinearMap::parse(text, &error);
  EXPECT_TRUE(map) << error;
  return map.value_or(LinearMap());
}

/// `bits` random independent vectors of a tile of 2^rowBits rows and the rest columns: half of the time units in random
/// order (what compilers make), else sums of them.
inline std::vector<Coord> randomBasis(std::mt19937 &random, unsigned bits, unsigned rowBits) {
  std::vector<Coord> basis;
  for (unsigned i = 0; i < bits; ++i)
    basis.push_back(i < rowBits ? Coord{int64_t(1) << i, 0, 0, 0} : Coord{0, int64_t(1) << (i - rowBits), 0, 0});
  std::ranges::shuffle(basis, random);
  for (unsigned n = random() % 2 * bits; bits > 1 && n > 0; --n) {
    unsigned i = random() % bits, j = random() % bits;
    if (i != j)
      for (unsigned d = 0; d < kMaxDims; ++d)
        basis[i][d] ^= basis[j][d];
  }
  return basis;
}

/// A layout of that tile over 5 lane bits and `warpBits`. Thread bits that the tile does not fill are copies, and so
/// are `copies` bits of any kind: 0, or the same as another bit.
inline LinearMap randomLayout(std::mt19937 &random, unsigned bits, unsigned rowBits, unsigned warpBits,
                              unsigned copies) {
  std::vector<Coord> vectors = randomBasis(random, bits, rowBits);
  unsigned threads = 5 + warpBits;
  for (unsigned i = copies + (bits < threads ? threads - bits : 0); i > 0; --i)
    vectors.push_back(random() % 2 ? vectors[random() % vectors.size()] : Coord{});
  std::ranges::shuffle(vectors, random);
  LinearMap map;
  map.lane.assign(vectors.begin(), vectors.begin() + 5);
  map.warp.assign(vectors.begin() + 5, vectors.begin() + threads);
  map.reg.assign(vectors.begin() + threads, vectors.end());
  return map;
}

/// A number that names the coordinate; different for neighbours at any width.
inline uint64_t valueOf(const Coord &coord, unsigned elementBits) {
  uint64_t value = 0x9E3779B97F4A7C15u;
  for (int64_t x : coord)
    value = (value ^ uint64_t(x)) * 0xD6E8FEB86659FD93u, value ^= value >> 29;
  return elementBits == 64 ? value : value & ((uint64_t(1) << elementBits) - 1);
}

inline unsigned wordsOf(const LinearMap &layout, unsigned elementBits) {
  return std::max<unsigned>(1, (elementBits << layout.reg.size()) / 32);
}
inline unsigned threadsOf(const LinearMap &layout) {
  return 1u << (layout.lane.size() + layout.warp.size() + layout.block.size());
}

/// Calls see(thread, register, coordinate) for every element.
template <class See> void forEachElement(const LinearMap &layout, See see) {
  uint64_t registers = uint64_t(1) << layout.reg.size();
  for (uint64_t i = 0; i < uint64_t(1) << layout.bits(); ++i)
    see(unsigned(i / registers), unsigned(i % registers), layout.apply(i));
}

inline uint64_t elementOf(const RegisterFile &file, unsigned thread, unsigned reg, unsigned elementBits) {
  unsigned bit = reg * elementBits;
  if (elementBits == 64)
    return file.at(thread, bit / 32) | uint64_t(file.at(thread, bit / 32 + 1)) << 32;
  return file.at(thread, bit / 32) >> bit % 32 & ((uint64_t(1) << elementBits) - 1);
}

inline RegisterFile filled(const LinearMap &layout, unsigned elementBits) {
  RegisterFile file(wordsOf(layout, elementBits), threadsOf(layout));
  forEachElement(layout, [&](unsigned thread, unsigned reg, const Coord &coord) {
    uint64_t value = valueOf(coord, elementBits);
    unsigned bit = reg * elementBits;
    for (unsigned part = 0; part < std::max(1u, elementBits / 32); ++part) {
      uint32_t mask = uint32_t((uint64_t(1) << std::min(32u, elementBits)) - 1) << bit % 32;
      uint32_t &word = file.at(thread, bit / 32 + part);
      word = (word & ~mask) | (uint32_t(value >> 32 * part) << bit % 32 & mask);
    }
  });
  return file;
}

/// How many elements differ from what the layout says; 0 is right.
inline unsigned wrongElements(const LinearMap &layout, unsigned elementBits, const RegisterFile &file) {
  unsigned wrong = 0;
  forEachElement(layout, [&](unsigned thread, unsigned reg, const Coord &coord) {
    wrong += elementOf(file, thread, reg, elementBits) != valueOf(coord, elementBits);
  });
  return wrong;
}

} // namespace adze

#endif // ADZE_TEST_LAYOUT_LAYOUTDATA_H
