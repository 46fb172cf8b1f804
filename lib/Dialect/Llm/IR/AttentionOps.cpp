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
  // Not by a matcher, which folds: the constant may stand behind this op and not be verified yet.
  auto constant = layer.getDefiningOp<arith::ConstantOp>();
  auto fixed = constant ? dyn_cast_if_present<IntegerAttr>(Attribute(constant.getProperties().value)) : IntegerAttr();
  if (fixed && (fixed.getValue().isNegative() || fixed.getValue().sge(kv.getLayers())))
    return violates(op, constraint) << "the layer is below the cache's " << kv.getLayers() << " layers, found "
                                    << fixed.getValue().getSExtValue();
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

SizeForm KvAppendOp::getBytesMoved(OpOperand &operand) { // what is read of key and value is written to the cache
  return &operand == &getKvMutable() ? bytesOf(getKey()) + bytesOf(getValue()) : bytesOf(operand.get());
}

Cost KvAppendOp::getCost() { return {bytesMovedBy(getOperation()), {}}; }

LogicalResult PagedAttentionOp::verify() {
  KvType kv = getKv().getType();
  int64_t heads = getHeads();
  if (heads < 1 || heads > (1 << 16) || heads % kv.getHeads() != 0)
    return violates(*this, /*c1*/ 1) << "heads are a multiple of the cache's " << kv.getHeads()
                                     << " and at most 65536, found " << heads;
  if (tensorOf(getQuery()).getDimSize(1) != heads * kv.getDim())
    return violates(*this, /*c2*/ 2) << "the query has " << heads * kv.getDim() << " columns, found "
                                     << tensorOf(getQuery());
  if (int64_t(getWindow()) < 0)
    return violates(*this, /*c3*/ 3) << "the window is not negative, found " << int64_t(getWindow());
  if (!std::isfinite(getScale().convertToFloat()))
    return violates(*this, /*c4*/ 4) << "the scale is finite";
  return verifyLayer(*this, /*c5*/ 5, getLayer(), kv);
}

SizeForm PagedAttentionOp::getBytesMoved(OpOperand &operand) {
  if (&operand != &getKvMutable())
    return bytesOf(operand.get());
  // Keys and values are read once for each request, whatever its number of tokens. A window is not counted: what it
  // leaves out depends on the lengths.
  KvType kv = getKv().getType();
  SizeForm form;
  form.keys = 2 * kv.getHeads() * kv.getDim() * kv.getElement().getIntOrFloatBitWidth() / 8;
  return form;
}

Cost PagedAttentionOp::getCost() { // for each visible pair and head two products of dim and one exponential
  SizeForm operations;
  operations.pairs = int64_t(getHeads()) * (4 * getKv().getType().getDim() + 1);
  return {bytesMovedBy(getOperation()), operations};
}
