//===- Embedding.cpp - rows of a table ----------------------------------------------------------------------------===//
//
// One row of the table for each token. The table may be packed for the product that shares it: the view's storage order
// says where a row's elements lie.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze;

namespace {
Value tokenAt(KernelBuilder &k, Value tokens, const Place &place) {
  assert(place.rows == 1 && "tokens are looked up one by one");
  if (ADZE_MUTANT("embed-the-row-number"))
    return place.row;
  return k.rowLookup(k.viewOf(mlir::cast<BlockArgument>(tokens)), place.row);
}
} // namespace

Value adze::makeEmbedding(KernelBuilder &k, llm::EmbeddingOp op, const Place &place) {
  Value token = tokenAt(k, op.getTokens(), place);
  auto table = k.viewOf(mlir::cast<BlockArgument>(op.getTable()));
  Value row = k.load(table, {token, k.columnOf(place)}, {1, place.width}, {0, 1}, {0, 1});
  if (KernelBuilder::elementOf(op.getTable()) == KernelBuilder::elementOf(op.getResult()))
    return row;
  return k.round(k.widen(row), KernelBuilder::elementOf(op.getResult()));
}

Value adze::makeQuantizedEmbedding(KernelBuilder &k, llm::QuantizedEmbeddingOp op, const Place &place) {
  assert(place.width == static_cast<int64_t>(op.getGroup()) && "one group at a time");
  Value token = tokenAt(k, op.getTokens(), place);
  QuantizedWeight weight{
      op.getCodes(), op.getScales(), op.getOffsets(), op.getOuter(), static_cast<int64_t>(op.getGroup()),
      op.getScheme()};
  Value number = k.divIndex(k.columnOf(place), weight.group);
  return k.round(dequantize(k, weight, token, 1, true, number), KernelBuilder::elementOf(op.getResult()));
}
