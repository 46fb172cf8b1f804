// The cache and attention over it.
#include "Operations.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;

namespace adze::llm::reference {

static LogicalResult checkLayer(Operation *op, int64_t layer, const Cache &cache) {
  if (layer < 0 || layer >= cache.layers)
    return op->emitOpError() << "layer " << layer << " is none of the cache's " << cache.layers;
  return success();
}

LogicalResult evaluate(KvAppendOp op, Operands operands, Results &results, Machine &) {
  const Tensor &key = operands[0].tensor(), &value = operands[1].tensor();
  CacheRef cache = std::move(std::get<CacheRef>(operands[2].content));
  int64_t layer = operands[3].integer();
  const Batch &batch = operands[4].batch();
  if (failed(checkLayer(op, layer, *cache)))
    return failure();
  if (key.rows() != batch.tokens() || value.rows() != batch.tokens())
    return op.emitOpError() << "has " << key.rows() << " rows, the batch " << batch.tokens() << " tokens";
  if (cache.use_count() > 1) // somebody still looks at the old one
    cache = std::make_shared<Cache>(*cache);
  for (int64_t t = 0; t < batch.tokens(); ++t) {
    int64_t slot = batch.kvSlot[t];
    if (slot >= cache->pages * cache->page)
      return op.emitOpError() << "token " << t << " has slot " << slot << ", the cache has "
                              << cache->pages * cache->page;
    for (int64_t head = 0; head < cache->heads; ++head) {
      std::copy_n(key.row(t) + head * cache->dim, cache->dim, cache->at(slot, layer, 0, head));
      std::copy_n(value.row(t) + head * cache->dim, cache->dim, cache->at(slot, layer, 1, head));
    }
  }
  results.push_back(std::move(cache));
  return success();
}

/// One query head over the given slots: the weighted mean of V, or zeros where there is no slot.
static void attend(const float *query, const Cache &cache, int64_t layer, int64_t head, llvm::ArrayRef<int64_t> slots,
                   double scale, float *out, Element element) {
  std::vector<double> score(slots.size()), mean(cache.dim);
  double largest = -std::numeric_limits<double>::infinity(), whole = 0;
  for (auto [i, slot] : llvm::enumerate(slots)) {
    const float *key = cache.at(slot, layer, 0, head);
    double product = 0;
    for (int64_t d = 0; d < cache.dim; ++d)
      product += double(query[d]) * double(key[d]);
    score[i] = scale * product;
    largest = std::max(largest, score[i]);
  }
  for (auto [i, slot] : llvm::enumerate(slots)) {
    double weight = std::exp(score[i] - largest);
    const float *value = cache.at(slot, layer, 1, head);
    whole += weight;
    for (int64_t d = 0; d < cache.dim; ++d)
      mean[d] += weight * double(value[d]);
  }
  for (int64_t d = 0; d < cache.dim; ++d)
    out[d] = roundTo(element, slots.empty() ? 0 : mean[d] / whole);
}

LogicalResult evaluate(PagedAttentionOp op, Operands operands, Results &results, Machine &) {
  const Tensor &query = operands[0].tensor();
  const Cache &cache = operands[1].cache();
  int64_t layer = operands[2].integer();
  const Batch &batch = operands[3].batch();
  if (failed(checkLayer(op, layer, cache)))
    return failure();
  if (query.rows() != batch.tokens())
    return op.emitOpError() << "has " << query.rows() << " rows, the batch " << batch.tokens() << " tokens";
  int64_t heads = op.getHeads(), window = op.getWindow(), perKvHead = heads / cache.heads;
  Tensor out = Tensor::zeros(query.element, query.shape);
  std::vector<int64_t> slots;
  for (int64_t t = 0; t < query.rows(); ++t) {
    int64_t b = batch.request[t], position = batch.position[t];
    int64_t first = window == 0 ? 0 : std::max<int64_t>(0, position - window + 1);
    int64_t end = std::min(position + 1, batch.kvLength[b]);
    slots.clear();
    for (int64_t j = first; j < end; ++j) {
      int64_t entry = batch.pageStart[b] + j / cache.page;
      if (entry >= batch.pageStart[b + 1] || batch.pages[entry] < 0 || batch.pages[entry] >= cache.pages)
        return op.emitOpError() << "request " << b << " has no page of the cache for position " << j;
      slots.push_back(batch.pages[entry] * cache.page + j % cache.page);
    }
    for (int64_t h = 0; h < heads; ++h)
      attend(query.row(t) + h * cache.dim, cache, layer, h / perKvHead, slots, op.getScale().convertToFloat(),
             out.row(t) + h * cache.dim, out.element);
  }
  results.push_back(std::move(out));
  return success();
}

} // namespace adze::llm::reference
