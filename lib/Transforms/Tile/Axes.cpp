#include "Axes.h"
#include "TileValues.h"

using namespace mlir;
using namespace adze::tile;

Axes::Axes(Region &region, bool tieDepth) {
  forEachTile(region, [&](Value tile) { add(tile); });
  region.walk([&](Operation *op) {
    forEachAlike(op, [&](Value a, Value b) { tieAll(a, b); });
    visit(op, tieDepth);
  });
}

void Axes::add(Value tile) {
  if (!firstSlot.try_emplace(tile, parent.size()).second)
    return;
  order.push_back(tile);
  for (int64_t d = 0; d < cast<RankedTensorType>(tile.getType()).getRank(); ++d)
    parent.push_back(parent.size());
}

unsigned Axes::find(unsigned slot) {
  while (parent[slot] != slot)
    slot = parent[slot] = parent[parent[slot]];
  return slot;
}

unsigned Axes::of(Value tile, unsigned dim) { return find(firstSlot.lookup(tile) + dim); }

void Axes::tie(Value a, unsigned dimA, Value b, unsigned dimB) {
  unsigned x = of(a, dimA), y = of(b, dimB);
  parent[std::max(x, y)] = std::min(x, y);
}

void Axes::tieAll(Value a, Value b) {
  for (int64_t d = 0; d < cast<RankedTensorType>(a.getType()).getRank(); ++d)
    tie(a, d, b, d);
}

void Axes::visit(Operation *op, bool tieDepth) {
  if (auto dot = dyn_cast<DotOp>(op)) {
    tie(dot.getB(), 0, dot.getResult(), 1);
    if (tieDepth) {
      tie(dot.getA(), 0, dot.getResult(), 0);
      tie(dot.getA(), 1, dot.getB(), 1);
    }
  } else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    for (int64_t d = 0; d < cast<RankedTensorType>(broadcast.getValue().getType()).getRank(); ++d)
      tie(broadcast.getValue(), d, broadcast.getResult(), d + (d >= int64_t(broadcast.getDim())));
  } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
    for (int64_t d = 0; d < reduce.getResult().getType().getRank(); ++d)
      tie(reduce.getResult(), d, reduce.getValue(), d + (d >= int64_t(reduce.getDim())));
  } else if (auto transpose = dyn_cast<TransposeOp>(op)) {
    tie(transpose.getValue(), 0, transpose.getResult(), 1);
    tie(transpose.getValue(), 1, transpose.getResult(), 0);
  } else if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    // Trailing dimensions that the two shapes share stay what they are.
    auto from = reshape.getValue().getType(), to = reshape.getResult().getType();
    for (int64_t i = 1; i <= std::min(from.getRank(), to.getRank()); ++i) {
      if (from.getDimSize(from.getRank() - i) != to.getDimSize(to.getRank() - i))
        break;
      tie(reshape.getValue(), from.getRank() - i, reshape.getResult(), to.getRank() - i);
    }
  } else if (auto extract = dyn_cast<ExtractOp>(op)) {
    // A piece shares the lanes of the whole, and its size only where it takes all.
    auto whole = extract.getValue().getType(), piece = extract.getResult().getType();
    for (int64_t d = 0; d < piece.getRank(); ++d)
      if (!tieDepth || whole.getDimSize(d) == piece.getDimSize(d))
        tie(extract.getValue(), d, extract.getResult(), d);
  }
}
