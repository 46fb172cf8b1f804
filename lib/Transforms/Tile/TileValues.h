// TileValues.h: the tiles of a region, and which of them an op makes alike.
#ifndef ADZE_LIB_TRANSFORMS_TILE_TILEVALUES_H
#define ADZE_LIB_TRANSFORMS_TILE_TILEVALUES_H

#include "adze/Dialect/Tile/IR/Tile.h"

namespace adze::tile {

inline bool isTile(mlir::Value value) { return llvm::isa<mlir::RankedTensorType>(value.getType()); }

/// Every tile of the region, in order of first sight; a tile may be seen more than once.
void forEachTile(mlir::Region &region, llvm::function_ref<void(mlir::Value)> body);

/// Pairs of tiles of one shape and place: a dot's accumulator and result, what a loop carries, what a branch yields,
/// operands and result of an elementwise op.
void forEachAlike(mlir::Operation *op, llvm::function_ref<void(mlir::Value, mlir::Value)> body);

} // namespace adze::tile

#endif // ADZE_LIB_TRANSFORMS_TILE_TILEVALUES_H
