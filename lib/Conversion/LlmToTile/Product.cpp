//===- Product.cpp - kernels whose root is a product with a weight ------------------------------------------------===//
//
// The grid runs over the result's columns first and over rows inside, so that a block of the weight is used for all
// rows while it is in the cache. A gated activation asks for two tiles of one product, half the columns apart: two
// loops over k, each in registers.
//
// A product of integers has two sums for each output, one of the group and one of all groups. Many rows therefore take
// one vector of outputs, and what is left of them, decode above all, takes the schedule's columns by 4 rows and by 1:
// one row is bound by memory, and several streams of weights keep more reads in flight (30 against 20 GB/s by two
// Sapphire Rapids cores).
//
// A GPU has a grid for each row of its schedule: which one works is chosen by the number of tokens when the launch's
// blocks are counted, and by nothing in the kernel. The others have no blocks.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "KernelBuilder.h"

using namespace mlir;
using namespace adze;

namespace {
constexpr int64_t kFewRows = 4;

/// Tiles of `rows` by `width` over the rows [first, first + count). `inside`: count is a multiple of rows.
void buildGrid(KernelBuilder &k, Value first, Value count, int64_t rows, int64_t width, bool inside) {
  auto yield = mlir::cast<llm::YieldOp>(k.group.getBody().front().getTerminator());
  int64_t columns = KernelBuilder::columns(yield.getValues()[0]);
  auto origins = k.startGrid({k.index(columns), count}, {width, rows});
  Place place;
  place.row = k.addIndex(origins[1], first);
  place.rows = rows;
  place.column = origins[0];
  place.width = width;
  place.columnsInside = columns % width == 0;
  place.rowsInside = inside;
  llvm::SmallVector<int64_t> insideDims;
  if (place.allRowsInside())
    insideDims.push_back(0);
  if (place.columnsInside)
    insideDims.push_back(1);
  for (auto [number, value] : llvm::enumerate(yield.getValues()))
    k.store(k.pull(value, place), k.viewOfResult(number), {place.row, k.columnOf(place)}, {0, 1}, insideDims);
}
/// One grid for each row of the schedule; all but the one for this step's number of rows are empty.
void buildGrids(KernelBuilder &k, Value extent) {
  ScheduleRow largest = k.schedule;
  Value none = k.index(0);
  auto rowsIf = [&](Value chosen) -> Value {
    return arith::SelectOp::create(k.builder, k.location, chosen, extent, none);
  };
  auto beyond = [&](int64_t rows) -> Value {
    return arith::CmpIOp::create(k.builder, k.location, arith::CmpIPredicate::sgt, extent, k.index(rows));
  };
  Value left = extent;
  for (const ScheduleRow &row : k.smallSteps) {
    Value more = beyond(row.tokens);
    Value mine = arith::SelectOp::create(k.builder, k.location, more, none, left);
    left = rowsIf(more);
    k.schedule = row;
    buildGrid(k, none, mine, row.tokens, row.columns, false);
    k.endGrid();
  }
  k.schedule = largest;
  buildGrid(k, none, left, largest.tokens, largest.columns, false);
}
} // namespace

void adze::buildProduct(KernelBuilder &k) {
  Value extent = k.resultExtent();
  int64_t rows = k.schedule.tokens;
  auto product = k.group.getBody().front().getOps<llm::QuantizedLinearOp>();
  if (k.target.gpu()) // whose threads mask what is no row
    return buildGrids(k, extent);
  if (product.empty() || !(*product.begin()).getInputScale() || rows <= kFewRows)
    return buildGrid(k, k.index(0), extent, rows, k.schedule.columns, false);
  auto subtract = [&](Value a, Value b) -> Value { return arith::SubIOp::create(k.builder, k.location, a, b); };
  Value many = k.mulIndex(k.divIndex(extent, rows), rows), rest = subtract(extent, many);
  buildGrid(k, k.index(0), many, rows, k.target.lanes(), true);
  k.endGrid();
  Value few = k.mulIndex(k.divIndex(rest, kFewRows), kFewRows);
  // Half of them, at least one vector: four rows of four would fill the registers with sums.
  buildGrid(k, many, few, kFewRows, std::max(k.target.lanes(), k.schedule.columns / 2), true);
  k.endGrid();
  buildGrid(k, k.addIndex(many, few), subtract(rest, few), 1, k.schedule.columns, true);
}
