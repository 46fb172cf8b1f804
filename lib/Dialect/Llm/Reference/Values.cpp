// Tensors, batches and caches of the reference evaluator.
#include "adze/Dialect/Llm/Reference/Values.h"

#include <bit>
#include <cmath>
#include <limits>

using namespace mlir;

namespace adze::llm::reference {

std::string_view elementName(Element element) {
  switch (element) {
  case Element::F32:
    return "f32";
  case Element::F16:
    return "f16";
  case Element::BF16:
    return "bf16";
  case Element::I1:
    return "i1";
  case Element::I4:
    return "i4";
  case Element::I8:
    return "i8";
  case Element::I32:
    return "i32";
  case Element::I64:
    return "i64";
  case Element::Index:
    return "index";
  }
  return "?";
}

FailureOr<Element> elementOf(Type type) {
  if (type.isF32())
    return Element::F32;
  if (type.isF16())
    return Element::F16;
  if (type.isBF16())
    return Element::BF16;
  if (type.isIndex())
    return Element::Index;
  if (!type.isInteger())
    return failure();
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return Element::I1;
  case 4:
    return Element::I4;
  case 8:
    return Element::I8;
  case 32:
    return Element::I32;
  case 64:
    return Element::I64;
  }
  return failure();
}

/// f64 to f32 such that rounding the result once more to a type of at least two bits less gives what rounding the f64
/// would have given: an inexact result gets an odd last bit.
static float roundToOdd(double exact) {
  float nearest = float(exact);
  if (std::isnan(exact) || std::isinf(exact) || double(nearest) == exact)
    return nearest;
  // Toward zero, then odd: what is too large becomes the largest number, which is odd already.
  if (std::isinf(nearest) || std::abs(double(nearest)) > std::abs(exact))
    nearest = std::nextafter(nearest, 0.0f);
  return std::bit_cast<float>(std::bit_cast<uint32_t>(nearest) | 1u);
}

static float toBf16(double exact) {
  float value = roundToOdd(exact);
  if (std::isnan(value))
    return value;
  uint32_t bits = std::bit_cast<uint32_t>(value);
  bits += 0x7fff + ((bits >> 16) & 1);
  return std::bit_cast<float>(bits & 0xffff0000u);
}

static float toF16(double exact) {
  float value = roundToOdd(exact);
  if (std::isnan(value) || std::isinf(value))
    return value;
  // The step between neighbours: 2^-10 of the number's power of two, never below 2^-24. Dividing and multiplying by a
  // power of two is exact, so rounding to a whole number of steps is the rounding to f16.
  int exponent = std::max(std::ilogb(value == 0 ? 1.0f : value), -14);
  double step = std::ldexp(1.0, exponent - 10);
  double rounded = std::nearbyint(double(value) / step) * step;
  if (std::abs(rounded) >= 65520)
    return std::copysign(std::numeric_limits<float>::infinity(), value);
  return std::copysign(float(rounded), value);
}

float roundTo(Element element, double exact) {
  switch (element) {
  case Element::F16:
    return toF16(exact);
  case Element::BF16:
    return toBf16(exact);
  default:
    return float(exact);
  }
}

static int64_t product(llvm::ArrayRef<int64_t> shape) {
  int64_t size = 1;
  for (int64_t extent : shape)
    size *= extent;
  return size;
}

int64_t Tensor::size() const { return product(shape); }

Tensor Tensor::zeros(Element element, std::vector<int64_t> shape) {
  Tensor tensor{element, std::move(shape), {}, {}};
  if (isFloat(element))
    tensor.floats.resize(tensor.size());
  else
    tensor.ints.resize(tensor.size());
  return tensor;
}

Tensor Tensor::ofFloats(Element element, std::vector<int64_t> shape, std::vector<float> values) {
  assert(isFloat(element) && product(shape) == int64_t(values.size()) && "numbers do not fit the shape");
  if (element != Element::F32)
    for (float &value : values)
      value = roundTo(element, value);
  return {element, std::move(shape), std::move(values), {}};
}

Tensor Tensor::ofInts(Element element, std::vector<int64_t> shape, std::vector<int64_t> values) {
  assert(!isFloat(element) && product(shape) == int64_t(values.size()) && "numbers do not fit the shape");
  if (element == Element::I4)
    for (int64_t &value : values)
      value = ((value & 15) ^ 8) - 8;
  return {element, std::move(shape), {}, std::move(values)};
}

FailureOr<Tensor> tensorOfAttribute(ElementsAttr attribute) {
  ShapedType type = attribute.getShapedType();
  FailureOr<Element> element = elementOf(type.getElementType());
  if (failed(element))
    return failure();
  Tensor tensor = Tensor::zeros(*element, type.getShape().vec());
  if (isFloat(*element)) {
    auto values = attribute.tryGetValues<APFloat>();
    if (!values)
      return failure();
    size_t i = 0;
    for (APFloat value : *values) {
      bool lost;
      value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lost);
      tensor.floats[i++] = value.convertToFloat();
    }
    return tensor;
  }
  auto values = attribute.tryGetValues<APInt>();
  if (!values)
    return failure();
  size_t i = 0;
  for (const APInt &value : *values)
    tensor.ints[i++] = *element == Element::I1 ? int64_t(value.getZExtValue()) : value.getSExtValue();
  return tensor;
}

static Status wrong(const std::string &what) { return invalidInput("the batch is wrong: " + what); }

/// Starts run from 0 to the whole and never fall.
static bool areStarts(const std::vector<int64_t> &starts, int64_t whole) {
  if (starts.empty() || starts.front() != 0 || starts.back() != whole)
    return false;
  for (size_t i = 1; i < starts.size(); ++i)
    if (starts[i] < starts[i - 1])
      return false;
  return true;
}

Status Batch::check() const {
  size_t T = position.size(), B = kvLength.size();
  if (request.size() != T || kvSlot.size() != T)
    return wrong("position, request and kv_slot have " + std::to_string(T) + ", " + std::to_string(request.size()) +
                 " and " + std::to_string(kvSlot.size()) + " elements, not one number of them");
  if (promptLength.size() != B || queryStart.size() != B + 1 || pageStart.size() != B + 1)
    return wrong("kv_length has " + std::to_string(B) +
                 " elements; prompt_length needs as many, query_start and "
                 "page_start one more");
  if (!areStarts(queryStart, int64_t(T)) || !areStarts(pageStart, int64_t(pages.size())))
    return wrong("query_start and page_start run from 0 to the number of tokens and of pages and never fall");
  for (size_t t = 0; t < T; ++t) {
    if (request[t] < 0 || request[t] >= int64_t(B) || int64_t(t) < queryStart[request[t]] ||
        int64_t(t) >= queryStart[request[t] + 1])
      return wrong("token " + std::to_string(t) + " is of request " + std::to_string(request[t]) +
                   ", which has other tokens by query_start");
    if (position[t] < 0 || kvSlot[t] < 0)
      return wrong("token " + std::to_string(t) + " has a negative position or slot");
  }
  for (int64_t row : outputRow)
    if (row < 0 || row >= int64_t(T))
      return wrong("output row " + std::to_string(row) + " is none of the " + std::to_string(T) + " tokens");
  return Status::success();
}

Batch makeBatch(const std::vector<RequestStep> &requests, int64_t pageTokens) {
  Batch batch;
  batch.queryStart.push_back(0);
  batch.pageStart.push_back(0);
  for (size_t b = 0; b < requests.size(); ++b) {
    const RequestStep &step = requests[b];
    for (int64_t i = 0; i < step.queries; ++i) {
      int64_t position = step.kvLength - step.queries + i;
      batch.position.push_back(position);
      batch.request.push_back(int64_t(b));
      batch.kvSlot.push_back(step.pages[position / pageTokens] * pageTokens + position % pageTokens);
      if (step.allRows || i + 1 == step.queries)
        batch.outputRow.push_back(batch.tokens() - 1);
    }
    batch.queryStart.push_back(batch.tokens());
    batch.kvLength.push_back(step.kvLength);
    batch.promptLength.push_back(step.promptLength);
    batch.pages.insert(batch.pages.end(), step.pages.begin(), step.pages.end());
    batch.pageStart.push_back(int64_t(batch.pages.size()));
  }
  return batch;
}

Cache Cache::empty(KvType type, int64_t pages) {
  Cache cache{
      type.getLayers(), type.getHeads(), type.getDim(), type.getPage(), pages, *elementOf(type.getElement()), {}};
  cache.data.assign(pages * cache.layers * 2 * cache.heads * cache.page * cache.dim,
                    std::numeric_limits<float>::quiet_NaN());
  return cache;
}

float *Cache::at(int64_t slot, int64_t layer, int kind, int64_t head) {
  int64_t part = (slot / page * layers + layer) * 2 + kind;
  return data.data() + ((part * heads + head) * page + slot % page) * dim;
}

} // namespace adze::llm::reference
