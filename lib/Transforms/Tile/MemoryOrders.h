// MemoryOrders.h: in which order memory holds what a load reads.
#ifndef ADZE_LIB_TRANSFORMS_TILE_MEMORYORDERS_H
#define ADZE_LIB_TRANSFORMS_TILE_MEMORYORDERS_H

#include "adze/Dialect/Tile/IR/Tile.h"
#include "adze/Layout/ThreadLayouts.h"

namespace adze::tile {

/// Every extent of the tile is a power of two.
MemoryOrder memoryOrderOf(LoadOp load);

} // namespace adze::tile

#endif // ADZE_LIB_TRANSFORMS_TILE_MEMORYORDERS_H
