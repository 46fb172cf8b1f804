//===- Heads.cpp - kernels that work head by head: norms of heads, rotation, append -------------------------------===//
//
// On a CPU a block takes one row: sines and cosines of its position are made once, for queries and keys alike. On a GPU
// it takes one row of a few heads (the columns of the schedule), for heads that follow each other in one block wait for
// memory one by one. Each result and each half of the cache is written head by head, in two halves of a head where
// something is rotated, on a GPU each in powers of two.
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

/// Calls `body` for each piece of a head.
void forPieces(KernelBuilder &k, const Place &row, Value head, const HeadShape &shape,
               llvm::function_ref<void(const Place &)> body) {
  int64_t width = shape.rotated ? shape.dim / 2 : shape.dim;
  Place place = row;
  place.column = k.mulIndex(head, shape.dim);
  for (int64_t half = 0; half < shape.dim; half += width) {
    place.offset = half;
    for (int64_t piece : k.piecesOf(width)) {
      place.width = piece;
      body(place);
      place.offset += piece;
    }
  }
}

/// The grid over rows, and over heads where they are spread over blocks.
class HeadGrid {
public:
  HeadGrid(KernelBuilder &k, int64_t dim)
      : k(k), perBlock(k.target.gpu() ? std::max<int64_t>(1, k.schedule.columns / dim) : 0) {
    if (!perBlock)
      startRow(k.startGrid({k.resultExtent()}, {1})[0]);
  }

  /// Calls `body` for each head, in a block where `row` is at hand; `start` comes before the heads.
  void forHeads(int64_t heads, llvm::function_ref<void()> start, llvm::function_ref<void(Value)> body) {
    Value first = k.index(0), end = k.index(heads);
    if (perBlock) {
      llvm::SmallVector<Value> at = k.startGrid({k.resultExtent(), end}, {1, perBlock});
      startRow(at[0]);
      first = at[1];
      end = arith::MinUIOp::create(k.builder, k.location, end, k.addIndex(first, perBlock));
    }
    start();
    k.loop(first, end, 1, {}, [&](Value head, llvm::ArrayRef<Value>) {
      body(head);
      return llvm::SmallVector<Value>{};
    });
    if (perBlock)
      k.endGrid();
  }
  Place row;

private:
  void startRow(Value origin) {
    row.row = origin;
    k.prepareRow(row);
  }
  KernelBuilder &k;
  int64_t perBlock; ///< heads of a block; 0: all
};
} // namespace

void adze::buildHeads(KernelBuilder &k) {
  HeadShape shape = shapeOf(k.group);
  auto yield = mlir::cast<llm::YieldOp>(k.group.getBody().front().getTerminator());
  HeadGrid grid(k, shape.dim);
  const Place &row = grid.row;

  for (auto [number, value] : llvm::enumerate(yield.getValues())) {
    if (!mlir::isa<RankedTensorType>(value.getType()))
      continue;
    auto view = k.viewOfResult(number);
    grid.forHeads(
        KernelBuilder::columns(value) / shape.dim, [] {},
        [&](Value head) {
          forPieces(k, row, head, shape, [&](const Place &at) {
            k.store(k.pull(value, at), view, {at.row, k.columnOf(at)}, {0, 1}, {0, 1});
          });
        });
  }

  for (auto append : k.group.getBody().front().getOps<llm::KvAppendOp>()) {
    auto type = append.getKv().getType();
    auto keys = cacheView(k, append.getKv(), false), values = cacheView(k, append.getKv(), true);
    Value page, token;
    auto findSlot = [&] {
      Value slot = k.rowLookup(BatchArray::KvSlot, row.row);
      page = k.divIndex(slot, type.getPage());
      token = k.remIndex(slot, type.getPage());
    };
    grid.forHeads(type.getHeads(), findSlot, [&](Value head) {
      forPieces(k, row, head, shape, [&](const Place &at) {
        llvm::SmallVector<Value> offsets{page, k.layer(), head, token, k.index(at.offset)};
        k.store(k.pull(append.getKey(), at), keys, offsets, {3, 4}, {0, 1, 2, 3, 4});
        k.store(k.pull(ADZE_MUTANT("append-keys-as-values") ? append.getKey() : append.getValue(), at), values, offsets,
                {3, 4}, {0, 1, 2, 3, 4});
      });
    });
  }
}
