// KnownDivisor.h: what a kernel's text says about an index.
#ifndef ADZE_DIALECT_TILE_IR_KNOWNDIVISOR_H
#define ADZE_DIALECT_TILE_IR_KNOWNDIVISOR_H

#include "mlir/IR/Value.h"

namespace adze::tile {

/// The largest power of two, up to 2^32, that is known to divide an index of a tile function: from constants, tiles of
/// its grid, steps of loops and arithmetic on these. 1 where nothing is known.
int64_t knownDivisor(mlir::Value index);

} // namespace adze::tile

#endif // ADZE_DIALECT_TILE_IR_KNOWNDIVISOR_H
