// Evaluation of the expectations.
#include "Check.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace adze::check;
using adze::llm::reference::Cache;
using adze::llm::reference::Machine;
using adze::llm::reference::Tensor;
using adze::llm::reference::tensorOfAttribute;
using ReferenceValue = adze::llm::reference::Value;

#include "CheckDialect.cpp.inc"
#define GET_OP_CLASSES
#include "CheckOps.cpp.inc"

void CheckDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "CheckOps.cpp.inc"
      >();
}

/// "[1, 2]" of a flat index.
static std::string place(const Tensor &tensor, int64_t index) {
  std::string text;
  for (size_t dim = tensor.shape.size(); dim-- > 0; index /= tensor.shape[dim])
    text = std::to_string(index % tensor.shape[dim]) + (text.empty() ? "" : ", ") + text;
  return "[" + text + "]";
}

/// Compares every element; the message names the first that differs and how many do.
template <class Same>
static LogicalResult compare(Operation *op, const Tensor &found, ElementsAttr attribute, Same same) {
  FailureOr<Tensor> expected = tensorOfAttribute(attribute);
  if (failed(expected) || expected->element != found.element)
    return op->emitOpError() << "expects elements of another type than it finds";
  if (expected->shape != found.shape)
    return op->emitOpError() << "expects " << expected->size() << " elements, found " << found.size()
                             << ", or their extents differ";
  int64_t first = -1, count = 0;
  double wanted = 0, value = 0;
  for (int64_t i = 0; i < found.size(); ++i) {
    bool floats = isFloat(found.element);
    double a = floats ? double(found.floats[i]) : double(found.ints[i]);
    double b = floats ? double(expected->floats[i]) : double(expected->ints[i]);
    bool equal = std::isnan(a) || std::isnan(b) ? std::isnan(a) && std::isnan(b) : a == b || same(a, b);
    if (!equal && count++ == 0)
      first = i, value = a, wanted = b;
  }
  if (count == 0)
    return success();
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::format("element %s: expected %.9g, found %.9g (%lld of %lld differ)", place(found, first).c_str(), wanted,
                     value, (long long)count, (long long)found.size());
  return op->emitOpError() << text;
}

LogicalResult ExpectEqOp::evaluate(MutableArrayRef<ReferenceValue> operands, SmallVectorImpl<ReferenceValue> &,
                                   Machine &) {
  return compare(*this, operands[0].tensor(), cast<ElementsAttr>(getExpected()), [](double, double) { return false; });
}

LogicalResult ExpectAlmostEqOp::evaluate(MutableArrayRef<ReferenceValue> operands, SmallVectorImpl<ReferenceValue> &,
                                         Machine &) {
  double tolerance = getTolerance().convertToDouble();
  return compare(*this, operands[0].tensor(), cast<ElementsAttr>(getExpected()), [&](double found, double expected) {
    return std::abs(found - expected) <= tolerance * std::max(1.0, std::abs(expected));
  });
}

LogicalResult EmptyKvOp::evaluate(MutableArrayRef<ReferenceValue>, SmallVectorImpl<ReferenceValue> &results,
                                  Machine &) {
  results.push_back(Cache::empty(getType(), getPages()));
  return success();
}

LogicalResult ReadKvOp::evaluate(MutableArrayRef<ReferenceValue> operands, SmallVectorImpl<ReferenceValue> &results,
                                 Machine &) {
  const Cache &cache = operands[0].cache();
  if (int64_t(getLayer()) >= cache.layers || int64_t(getSlot()) >= cache.pages * cache.page)
    return emitOpError() << "reads outside the cache";
  for (int kind : {0, 1}) {
    std::vector<float> numbers;
    for (int64_t head = 0; head < cache.heads; ++head)
      numbers.insert(numbers.end(), cache.at(getSlot(), getLayer(), kind, head),
                     cache.at(getSlot(), getLayer(), kind, head) + cache.dim);
    results.push_back(Tensor{cache.element, {cache.heads, cache.dim}, std::move(numbers), {}});
  }
  return success();
}
