//===- Heads.cpp - kernels that work head by head: norms of heads, rotation, append -------------------------------===//
//
// A block takes one row. Sines and cosines of its position are made once, for queries and keys alike; then each result
// and each half of the cache is written head by head, in two halves of a head where something is rotated, on a GPU each
// in powers of two.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Cache.h"
#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze;

namespace {
struct HeadShape {
  int64_t dim = 0;
  bool rotated = false;
};

HeadShape shapeOf(llm::KernelOp group) {
  HeadShape shape;
  for (Operation &op : group.getBody().front()) {
    if (auto rope = mlir::dyn_cast<llm::RopeOp>(op)) {
      shape.dim = rope.getHeadDim();
      shape.rotated = true;
    } else if (auto append = mlir::dyn_cast<llm::KvAppendOp>(op)) {
      shape.dim = append.getKv().getType().getDim();
    } else if (auto norm = mlir::dyn_cast<llm::RmsNormOp>(op); norm && !shape.dim) {
      shape.dim = mlir::cast<RankedTensorType>(norm.getWeight().getType()).getDimSize(0);
    }
  }
  return shape;
}

/// Calls `body` for each head and each piece of a head.
void forPieces(KernelBuilder &k, const Place &row, int64_t heads, const HeadShape &shape,
               llvm::function_ref<void(Value head, const Place &)> body) {
  k.loop(k.index(0), k.index(heads), 1, {}, [&](Value head, llvm::ArrayRef<Value>) {
    int64_t width = shape.rotated ? shape.dim / 2 : shape.dim;
    Place place = row;
    place.column = k.mulIndex(head, shape.dim);
    for (int64_t half = 0; half < shape.dim; half += width) {
      place.offset = half;
      for (int64_t piece : k.piecesOf(width)) {
        place.width = piece;
        body(head, place);
        place.offset += piece;
      }
    }
    return llvm::SmallVector<Value>{};
  });
}
} // namespace

void adze::buildHeads(KernelBuilder &k) {
  HeadShape shape = shapeOf(k.group);
  auto yield = mlir::cast<llm::YieldOp>(k.group.getBody().front().getTerminator());
  Place row;
  row.row = k.startGrid({k.resultExtent()}, {1})[0];
  k.prepareRow(row);

  for (auto [number, value] : llvm::enumerate(yield.getValues())) {
    if (!mlir::isa<RankedTensorType>(value.getType()))
      continue;
    auto view = k.viewOfResult(number);
    forPieces(k, row, KernelBuilder::columns(value) / shape.dim, shape, [&](Value, const Place &at) {
      k.store(k.pull(value, at), view, {at.row, k.columnOf(at)}, {0, 1}, {0, 1});
    });
  }

  for (auto append : k.group.getBody().front().getOps<llm::KvAppendOp>()) {
    auto type = append.getKv().getType();
    auto keys = cacheView(k, append.getKv(), false), values = cacheView(k, append.getKv(), true);
    Value slot = k.rowLookup(BatchArray::KvSlot, row.row);
    Value page = k.divIndex(slot, type.getPage()), token = k.remIndex(slot, type.getPage());
    forPieces(k, row, type.getHeads(), shape, [&](Value head, const Place &at) {
      llvm::SmallVector<Value> offsets{page, k.layer(), head, token, k.index(at.offset)};
      k.store(k.pull(append.getKey(), at), keys, offsets, {3, 4}, {0, 1, 2, 3, 4});
      k.store(k.pull(ADZE_MUTANT("append-keys-as-values") ? append.getKey() : append.getValue(), at), values, offsets,
              {3, 4}, {0, 1, 2, 3, 4});
    });
  }
}
