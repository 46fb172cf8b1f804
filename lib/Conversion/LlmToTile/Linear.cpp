//===- Linear.cpp - products with float weights -------------------------------------------------------------------===//
//
// One block makes [rows, columns] of the result: k runs in steps of the schedule's depth and, where K is no multiple of
// it, in one last, shorter step, so that no step needs a mask. Every element is one chain of fused multiply-adds in
// ascending k (tile.dot), whatever the tile.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze;

Value adze::makeLinear(KernelBuilder &k, llm::LinearOp op, const Place &place) {
  auto weightType = mlir::cast<RankedTensorType>(op.getWeight().getType());
  auto weights = k.viewOf(mlir::cast<BlockArgument>(op.getWeight()));
  Value firstRow = k.columnOf(place);
  llvm::SmallVector<int64_t> inside{1};
  if (place.columnsInside)
    inside.push_back(0);
  // A pack is padded with zeros to whole blocks, which the matrix instructions of a GPU ask for.
  auto pack = mlir::dyn_cast_or_null<llm::PackedAttr>(weightType.getEncoding());
  int64_t least = k.target.gpu() && pack ? pack.getBlock()[1] : 1;

  Place start = place;
  start.column = nullptr;
  start.offset = 0;
  start.columnsInside = true;
  Value zero = k.constant({place.rows, place.width}, 0.0);
  Value sum = k.chunks(
      start, weightType.getDimSize(1), k.schedule.depth, {zero},
      [&](const Place &at, llvm::ArrayRef<Value> carried) {
        Value a = k.pull(op.getInput(), at);
        Value b = k.load(weights, {firstRow, k.columnOf(at)}, {place.width, at.width}, {0, 1}, inside);
        // bf16 operands go to the target's own product; all else is exact in f32.
        bool narrow = KernelBuilder::elementOf(a).isBF16() && KernelBuilder::elementOf(b).isBF16();
        if (!narrow)
          a = k.widen(a), b = k.widen(b);
        return llvm::SmallVector<Value>{k.dot(a, b, carried[0])};
      },
      least)[0];
  if (op.getBias() && !ADZE_MUTANT("forget-bias-of-products"))
    sum = k.binary<arith::AddFOp>(sum, k.broadcast(k.vectorAt(op.getBias(), place), 0, place.rows));
  return k.round(sum, KernelBuilder::elementOf(op.getResult()));
}
