#ifndef ADZE_DIALECT_TILE_IR_PARTNAMES_H
#define ADZE_DIALECT_TILE_IR_PARTNAMES_H

#include "mlir/IR/Operation.h"

namespace adze::tile {

/// Code of a kernel `@k` takes the names `@k_blocks` and, on the way, `@k_entry`. Fails, at what has one of them in the
/// kernel's module, where it is taken.
mlir::LogicalResult verifyPartNames(mlir::Operation *kernel);

} // namespace adze::tile

#endif // ADZE_DIALECT_TILE_IR_PARTNAMES_H
