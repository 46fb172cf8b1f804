//===- Rows.cpp - kernels that make their results row by row ------------------------------------------------------===//
//
// Norms, quantization, elementwise work, embeddings, gathered rows, best tokens and any group of these: a block takes
// one row, makes what belongs to the whole row, then walks its columns in chunks. A chunk is a group of a quantization
// where there is one.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "KernelBuilder.h"

using namespace mlir;
using namespace adze;

namespace {
int64_t chunkOf(KernelBuilder &k) {
  int64_t chunk = k.schedule.columns;
  for (Operation &op : k.group.getBody().front()) {
    if (auto embedding = mlir::dyn_cast<llm::QuantizedEmbeddingOp>(op))
      chunk = embedding.getGroup();
    if (auto quantize = mlir::dyn_cast<llm::QuantizeOp>(op))
      if (quantize.getGroup() &&
          static_cast<int64_t>(quantize.getGroup()) != KernelBuilder::columns(quantize.getInput()))
        chunk = quantize.getGroup();
  }
  return chunk;
}

/// Scale and sum of a quantization have one column for each group of the codes.
bool perGroup(Value value) {
  auto quantize = value.getDefiningOp<llm::QuantizeOp>();
  return quantize && value != quantize.getCodes();
}

/// One number for the row, whatever its columns.
bool perRow(Value value) {
  return value.getDefiningOp<llm::BestTokenOp>() || (perGroup(value) && KernelBuilder::columns(value) == 1);
}
} // namespace

void adze::buildRows(KernelBuilder &k) {
  auto yield = mlir::cast<llm::YieldOp>(k.group.getBody().front().getTerminator());
  int64_t columns = 0;
  for (Value value : yield.getValues())
    if (perGroup(value))
      columns = std::max(columns, KernelBuilder::columns(value.getDefiningOp<llm::QuantizeOp>().getInput()));
    else if (!perRow(value))
      columns = std::max(columns, KernelBuilder::columns(value));
  int64_t chunk = chunkOf(k);

  Place row;
  row.row = k.startGrid({k.resultExtent()}, {1})[0];
  row.width = columns;
  k.prepareRow(row);
  k.chunks(row, columns, chunk, {}, [&](const Place &at, llvm::ArrayRef<Value>) {
    for (auto [number, value] : llvm::enumerate(yield.getValues())) {
      if (perRow(value))
        continue;
      if (!perGroup(value)) {
        k.store(k.pull(value, at), k.viewOfResult(number), {at.row, k.columnOf(at)}, {0, 1}, {0, 1});
      } else {
        Value group = k.divIndex(k.columnOf(at), chunk);
        k.store(k.pull(value, at), k.viewOfResult(number), {at.row, group}, {0}, {0, 1});
      }
    }
    return llvm::SmallVector<Value>{};
  });
  for (auto [number, value] : llvm::enumerate(yield.getValues()))
    if (perRow(value))
      k.store(k.pull(value, row), k.viewOfResult(number), {row.row, k.index(0)}, {0}, {0, 1});
}
