// TileClasses.h: which tiles must lie in one layout.
//
// Elementwise ops take and give one type, a dot adds to its accumulator in place, loops carry their tiles: such tiles
// are one class and have one layout. Between classes (a dot's operands, broadcasts, reductions, transposes) a layout
// may change.
#ifndef ADZE_LIB_TRANSFORMS_TILE_TILECLASSES_H
#define ADZE_LIB_TRANSFORMS_TILE_TILECLASSES_H

#include "adze/Dialect/Tile/IR/Tile.h"

namespace adze::tile {

class TileClasses {
public:
  explicit TileClasses(mlir::Region &region);
  /// Every tile of the region, in order.
  llvm::ArrayRef<mlir::Value> tiles() const { return order; }
  /// The first tile of the class.
  mlir::Value of(mlir::Value tile) { return order[find(number.lookup(tile))]; }

private:
  void add(mlir::Value tile);
  unsigned find(unsigned tile);
  void tie(mlir::Value a, mlir::Value b);

  llvm::SmallVector<mlir::Value> order;
  llvm::DenseMap<mlir::Value, unsigned> number;
  std::vector<unsigned> parent;
};

} // namespace adze::tile

#endif // ADZE_LIB_TRANSFORMS_TILE_TILECLASSES_H
