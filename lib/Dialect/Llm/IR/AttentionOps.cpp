// Verifiers and costs of the cache and of attention.
#include "Verify.h"
#include "adze/Dialect/Llm/IR/CostForms.h"

#include "mlir/IR/Matchers.h"
#include <cmath>

using namespace mlir;
using namespace adze::llm;

int64_t adze::llm::constantLayer(Value layer) {
  APInt number;
  return matchPattern(layer, m_ConstantInt(&number)) ? number.getSExtValue() : -1;
}

LogicalResult adze::llm::verifyLayer(Operation *op, int constraint, Value layer, KvType kv) {
  APInt number;
  if (matchPattern(layer, m_ConstantInt(&number)) && (number.isNegative() || number.sge(kv.getLayers())))
    return violates(op, constraint) << "the layer is below the cache's " << kv.getLayers() << " layers, found "
                                    << number.getSExtValue();
  return success();
}

LogicalResult KvAppendOp::verify() {
  KvType kv = getKv().getType();
  RankedTensorType key = tensorOf(getKey()), value = tensorOf(getValue());
  int64_t columns = kv.getHeads() * kv.getDim();
  if (key.getDimSize(1) != columns || value.getDimSize(1) != columns || !agree(key.getDimSize(0), value.getDimSize(0)))
    return violates(*this, /*c1*/ 1) << "key and value have the cache's " << columns << " columns and the same rows, "
                                     << "found " << key << " and " << value;
  if (key.getElementType() != kv.getElement() || value.getElementType() != kv.getElement())
    return violates(*this, /*c2*/ 2) << "key and value have the cache's element type " << kv.getElement() << ", found "
                                     << key << " and " << value;
  return verifyLayer(*this, /*c3*/ 3, getLayer(), kv);
}

Cost KvAppendOp::getCost() { // read and written once
  return {(bytesOf(getKey()) + bytesOf(getValue())) * 2, {}};
}

LogicalResult PagedAttentionOp::verify() {
  KvType kv = getKv().getType();
  int64_t heads = getHeads();
  if (heads < 1 || heads % kv.getHeads() != 0)
    return violates(*this, /*c1*/ 1) << "heads are a multiple of the cache's " << kv.getHeads() << ", found " << heads;
  if (tensorOf(getQuery()).getDimSize(1) != heads * kv.getDim())
    return violates(*this, /*c2*/ 2) << "the query has " << heads * kv.getDim() << " columns, found "
                                     << tensorOf(getQuery());
  if (int64_t(getWindow()) < 0)
    return violates(*this, /*c3*/ 3) << "the window is not negative, found " << int64_t(getWindow());
  if (!std::isfinite(getScale().convertToFloat()))
    return violates(*this, /*c4*/ 4) << "the scale is finite";
  return verifyLayer(*this, /*c5*/ 5, getLayer(), kv);
}

Cost PagedAttentionOp::getCost() {
  // Keys and values are read once for each request, whatever its number of tokens; each visible pair of query and key
  // costs two products of dim and one exponential for each head. A window is not counted: it depends on the lengths.
  KvType kv = getKv().getType();
  int64_t perKey = 2 * kv.getHeads() * kv.getDim() * kv.getElement().getIntOrFloatBitWidth() / 8;
  SizeForm bytes = bytesOf(getQuery()) * 2, operations;
  bytes.keys += perKey;
  operations.pairs += int64_t(getHeads()) * (4 * kv.getDim() + 1);
  return {bytes, operations};
}
