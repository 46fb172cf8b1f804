// KnownDivisor.h: what a kernel's text says about an index.
#ifndef ADZE_DIALECT_TILE_IR_KNOWNDIVISOR_H
#define ADZE_DIALECT_TILE_IR_KNOWNDIVISOR_H

#include "mlir/IR/Value.h"

#include <algorithm>
#include <cstdint>

namespace adze::tile {

/// No divisor that is known is larger: above every tile, and products of two stay within 63 bits.
inline constexpr int64_t kMostKnown = int64_t(1) << 30;

/// The largest power of two, up to kMostKnown, that divides a number, which may be any that a module holds; 0 for 0.
inline int64_t lowestBit(int64_t number) {
  return int64_t(std::min(uint64_t(number) & -uint64_t(number), uint64_t(kMostKnown)));
}

/// The largest power of two, up to kMostKnown, that is known to divide an index of a tile function: from constants,
/// tiles of its grid, steps of loops and arithmetic on these. 1 where nothing is known.
int64_t knownDivisor(mlir::Value index);

} // namespace adze::tile

#endif // ADZE_DIALECT_TILE_IR_KNOWNDIVISOR_H
