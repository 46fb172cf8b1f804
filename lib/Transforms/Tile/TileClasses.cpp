#include "TileClasses.h"
#include "TileValues.h"

using namespace mlir;
using namespace adze::tile;

TileClasses::TileClasses(Region &region) {
  forEachTile(region, [&](Value tile) { add(tile); });
  region.walk([&](Operation *op) { forEachAlike(op, [&](Value a, Value b) { tie(a, b); }); });
}

void TileClasses::add(Value tile) {
  if (!number.try_emplace(tile, order.size()).second)
    return;
  parent.push_back(order.size());
  order.push_back(tile);
}

unsigned TileClasses::find(unsigned tile) {
  while (parent[tile] != tile)
    tile = parent[tile] = parent[parent[tile]];
  return tile;
}

void TileClasses::tie(Value a, Value b) {
  unsigned x = find(number.lookup(a)), y = find(number.lookup(b));
  parent[std::max(x, y)] = std::min(x, y);
}
