// Values.h: what the reference evaluator computes with.
//
// A float tensor keeps its elements as f32 whatever its element type says: f16 and bf16 numbers are f32 numbers too, so
// storing them so loses nothing and every op may read plain floats. The element type decides how a result is *written*:
// `roundTo` takes the exact (f64) result to it once, to nearest even. Integers of every width are kept as int64,
// sign-extended. Tensors, batches and caches are shared and immutable; only the evaluator changes a cache in place,
// when nobody else holds it.
#ifndef ADZE_DIALECT_LLM_REFERENCE_VALUES_H
#define ADZE_DIALECT_LLM_REFERENCE_VALUES_H

#include "adze/Dialect/Llm/IR/Llm.h"
#include "adze/Support/Status.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

namespace adze::llm::reference {

enum class Element { F32, F16, BF16, I1, I4, I8, I32, I64, Index };

std::string_view elementName(Element element);
inline bool isFloat(Element element) { return element <= Element::BF16; }
/// The element of an MLIR type; fails for types that the llm level does not use.
mlir::FailureOr<Element> elementOf(mlir::Type type);

/// The number of the element type that is nearest to `exact`, ties to even.
float roundTo(Element element, double exact);

struct Tensor {
  Element element = Element::F32;
  std::vector<int64_t> shape;
  std::vector<float> floats; // elements of float tensors, row-major
  std::vector<int64_t> ints; // elements of all others

  int64_t size() const;
  int64_t rows() const { return shape.front(); }
  int64_t columns() const { return shape.back(); }
  const float *row(int64_t index) const { return floats.data() + index * columns(); }
  float *row(int64_t index) { return floats.data() + index * columns(); }

  static Tensor zeros(Element element, std::vector<int64_t> shape);
  static Tensor ofFloats(Element element, std::vector<int64_t> shape, std::vector<float> values); // rounds each
  static Tensor ofInts(Element element, std::vector<int64_t> shape, std::vector<int64_t> values);
};

/// The arrays of `llm.make_batch`, by the same names.
struct Batch {
  std::vector<int64_t> position, request, kvSlot, queryStart, kvLength, promptLength, pageStart, pages, outputRow;

  int64_t tokens() const { return int64_t(position.size()); }
  int64_t requests() const { return int64_t(kvLength.size()); }
  /// Checks what every op relies on: extents, ascending starts, requests in range. `what` is wrong, found and accepted.
  Status check() const;
};

/// A batch of requests that own their pages alone, in order: request b has positions kvLength[b] - queries[b] to
/// kvLength[b] - 1 in this step, pages numbered from `firstPage[b]`, and its last token as an output row.
struct RequestStep {
  int64_t queries = 0, kvLength = 0, promptLength = 0;
  std::vector<int64_t> pages;
  bool allRows = false; // logits of every token instead of the last one
};
Batch makeBatch(const std::vector<RequestStep> &requests, int64_t pageTokens);

/// The pool: [page][layer][K, V][head][token of the page][dim], both K and V in this order whatever `keys` says (it
/// orders bytes, not numbers). What no token has written is NaN.
struct Cache {
  int64_t layers = 0, heads = 0, dim = 0, page = 0, pages = 0;
  Element element = Element::F32;
  std::vector<float> data;

  static Cache empty(KvType type, int64_t pages);
  /// The dim numbers of one token and head. `kind` is 0 for K and 1 for V.
  float *at(int64_t slot, int64_t layer, int kind, int64_t head);
  const float *at(int64_t slot, int64_t layer, int kind, int64_t head) const {
    return const_cast<Cache *>(this)->at(slot, layer, kind, head);
  }
};

using TensorRef = std::shared_ptr<const Tensor>;
using BatchRef = std::shared_ptr<const Batch>;
using CacheRef = std::shared_ptr<Cache>;

/// A tensor, a batch, a cache, or a scalar (kept as a tensor of rank 0).
struct Value {
  std::variant<std::monostate, TensorRef, BatchRef, CacheRef> content;

  Value() = default;
  Value(Tensor tensor) : content(std::make_shared<const Tensor>(std::move(tensor))) {}
  Value(TensorRef tensor) : content(std::move(tensor)) {}
  Value(Batch batch) : content(std::make_shared<const Batch>(std::move(batch))) {}
  Value(Cache cache) : content(std::make_shared<Cache>(std::move(cache))) {}
  Value(CacheRef cache) : content(std::move(cache)) {}

  bool isTensor() const { return std::holds_alternative<TensorRef>(content); }
  bool isBatch() const { return std::holds_alternative<BatchRef>(content); }
  bool isCache() const { return std::holds_alternative<CacheRef>(content); }
  const Tensor &tensor() const { return *std::get<TensorRef>(content); }
  const Batch &batch() const { return *std::get<BatchRef>(content); }
  const Cache &cache() const { return *std::get<CacheRef>(content); }
  /// A scalar integer or index.
  int64_t integer() const { return tensor().ints.front(); }
};

/// The tensor of a dense attribute; fails for elements that the llm level does not use.
mlir::FailureOr<Tensor> tensorOfAttribute(mlir::ElementsAttr attribute);

} // namespace adze::llm::reference

#endif // ADZE_DIALECT_LLM_REFERENCE_VALUES_H
