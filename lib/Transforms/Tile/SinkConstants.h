// SinkConstants.h: one copy of a constant tile for each use, so that two uses never tie two axes together.
#ifndef ADZE_LIB_TRANSFORMS_TILE_SINKCONSTANTS_H
#define ADZE_LIB_TRANSFORMS_TILE_SINKCONSTANTS_H

#include "TileValues.h"

#include "mlir/IR/Builders.h"

namespace adze::tile {

/// Inside the region, gives every use of a constant, splat or iota tile its own copy beside the user.
inline void sinkConstants(mlir::Region &region) {
  llvm::SmallVector<mlir::OpOperand *> uses;
  region.walk([&](mlir::Operation *op) {
    for (mlir::OpOperand &operand : op->getOpOperands()) {
      mlir::Operation *source = operand.get().getDefiningOp();
      if (isTile(operand.get()) && source &&
          (llvm::isa<mlir::arith::ConstantOp>(source) || llvm::isa<SplatOp>(source) || llvm::isa<IotaOp>(source)))
        uses.push_back(&operand);
    }
  });
  for (mlir::OpOperand *use : uses) {
    mlir::Operation *source = use->get().getDefiningOp();
    if (source->hasOneUse() && region.isAncestor(source->getParentRegion()))
      continue;
    mlir::OpBuilder builder(use->getOwner());
    use->set(builder.clone(*source)->getResult(0));
    if (source->use_empty() && region.isAncestor(source->getParentRegion()))
      source->erase();
  }
}

} // namespace adze::tile

#endif // ADZE_LIB_TRANSFORMS_TILE_SINKCONSTANTS_H
