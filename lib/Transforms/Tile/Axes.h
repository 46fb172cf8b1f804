//===- Axes.h - which dimensions of which tiles are the same axis
//---------------------------------------------------===//
//
// An axis is a set of (tile, dimension) pairs that ops tie together: elementwise ops tie all dimensions of operands and
// result, a broadcast or a reduction all but one, a loop its carried values. Layouts and tile sizes are properties of
// axes; both passes that change them start from this union-find.
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_LIB_TRANSFORMS_TILE_AXES_H
#define ADZE_LIB_TRANSFORMS_TILE_AXES_H

#include "adze/Dialect/Tile/IR/Tile.h"

#include "llvm/ADT/DenseMap.h"

namespace adze::tile {

class Axes {
public:
  /// `tieDepth`: the k dimensions of a dot's operands are one axis too. Sizes need that, layouts must not have it.
  Axes(mlir::Region &region, bool tieDepth);
  /// Number of the axis of that dimension.
  unsigned of(mlir::Value tile, unsigned dim);
  /// All tiles of the region in order of definition.
  llvm::ArrayRef<mlir::Value> tiles() const { return order; }

private:
  void add(mlir::Value tile);
  void tie(mlir::Value a, unsigned dimA, mlir::Value b, unsigned dimB);
  void tieAll(mlir::Value a, mlir::Value b);
  void visit(mlir::Operation *op, bool tieDepth);
  unsigned find(unsigned slot);
  llvm::DenseMap<mlir::Value, unsigned> firstSlot;
  llvm::SmallVector<unsigned> parent;
  llvm::SmallVector<mlir::Value> order;
};

} // namespace adze::tile

#endif // ADZE_LIB_TRANSFORMS_TILE_AXES_H
