//===- Product.cpp - kernels whose root is a product with a weight ------------------------------------------------===//
//
// The grid runs over the result's columns first and over rows inside, so that a block of the weight is used for all
// rows while it is in the cache. A gated activation asks for two tiles of one product, half the columns apart: two
// loops over k, each in registers.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "KernelBuilder.h"

using namespace mlir;
using namespace adze;

void adze::buildProduct(KernelBuilder &k) {
  auto yield = mlir::cast<llm::YieldOp>(k.group.getBody().front().getTerminator());
  int64_t columns = KernelBuilder::columns(yield.getValues()[0]);
  int64_t width = k.schedule.columns, rows = k.schedule.tokens;
  auto origins = k.startGrid({k.index(columns), k.resultExtent()}, {width, rows});
  Place place;
  place.row = origins[1];
  place.rows = rows;
  place.column = origins[0];
  place.width = width;
  place.columnsInside = columns % width == 0;
  llvm::SmallVector<int64_t> inside;
  if (rows == 1)
    inside.push_back(0);
  if (place.columnsInside)
    inside.push_back(1);
  for (auto [number, value] : llvm::enumerate(yield.getValues()))
    k.store(k.pull(value, place), k.viewOfResult(number), {place.row, k.columnOf(place)}, {0, 1}, inside);
}
