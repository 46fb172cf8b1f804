#include "adze/Pipeline/Execution/KernelMemory.h"

#include "adze/Layout/LinearMap.h"
#include "llvm/ADT/APFloat.h"

#include <cstring>

using namespace mlir;
using namespace adze::execution;
using adze::llm::reference::Element;

namespace {
constexpr size_t kGuard = 512;
constexpr uint8_t kGuardByte = 0xa5;

uint64_t bitsOfFloat(float value, const llvm::fltSemantics &semantics) {
  llvm::APFloat number(value);
  bool lost = false;
  number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &lost);
  return number.bitcastToAPInt().getZExtValue();
}

float floatOfBits(uint64_t bits, const llvm::fltSemantics &semantics) {
  llvm::APFloat number(semantics, llvm::APInt(llvm::APFloat::getSizeInBits(semantics), bits));
  bool lost = false;
  number.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &lost);
  return number.convertToFloat();
}

/// Writes element `index` of a buffer whose elements have `type`.
void put(uint8_t *data, size_t index, Type type, float number, int64_t integer) {
  if (auto floating = mlir::dyn_cast<FloatType>(type)) {
    uint64_t bits = bitsOfFloat(number, floating.getFloatSemantics());
    size_t bytes = floating.getWidth() / 8;
    std::memcpy(data + index * bytes, &bits, bytes);
    return;
  }
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 4) {
    uint8_t &byte = data[index / 2];
    byte = index % 2 ? (byte & 0x0f) | ((integer & 15) << 4) : (byte & 0xf0) | (integer & 15);
    return;
  }
  std::memcpy(data + index * (width / 8), &integer, width / 8);
}

/// Calls `body` with the coordinates (or none, in padding) of each element in memory order.
void forStorage(RankedTensorType type, int64_t rows,
                llvm::function_ref<void(size_t index, std::optional<int64_t> element)> body) {
  llvm::SmallVector<int64_t> shape(type.getShape());
  if (!shape.empty() && ShapedType::isDynamic(shape[0]))
    shape[0] = rows;
  auto packed = mlir::dyn_cast_or_null<adze::llm::PackedAttr>(type.getEncoding());
  if (!packed) {
    int64_t size = 1;
    for (int64_t extent : shape)
      size *= extent;
    for (int64_t i = 0; i < size; ++i)
      body(i, i);
    return;
  }
  auto map = *adze::LinearMap::parse(packed.getMap().str());
  llvm::ArrayRef<int64_t> block = packed.getBlock();
  int64_t inner = 1, second = shape.size() > 1 ? shape[1] : 1, secondBlock = block.size() > 1 ? block[1] : 1;
  for (int64_t extent : block)
    inner *= extent;
  size_t index = 0;
  for (int64_t r = 0; r < shape[0]; r += block[0])
    for (int64_t c = 0; c < second; c += secondBlock)
      for (int64_t i = 0; i < inner; ++i, ++index) {
        auto at = map.apply(i);
        int64_t row = r + at[0], column = c + at[1];
        bool inside = row < shape[0] && column < second;
        body(index, inside ? std::optional<int64_t>(row * second + column) : std::nullopt);
      }
}
} // namespace

Buffer::Buffer(size_t size, uint8_t fill) : memory(size + kGuard + 256, kGuardByte), bytes(size) {
  start = memory.data() + (256 - reinterpret_cast<uintptr_t>(memory.data()) % 256) % 256;
  std::memset(start, fill, size);
}

bool Buffer::guardIntact() const {
  for (const uint8_t *at = start + bytes; at < memory.data() + memory.size(); ++at)
    if (*at != kGuardByte)
      return false;
  return true;
}

size_t adze::execution::bytesOf(RankedTensorType type, int64_t rows) {
  size_t elements = 0;
  forStorage(type, rows, [&](size_t, std::optional<int64_t>) { ++elements; });
  return (elements * type.getElementType().getIntOrFloatBitWidth() + 7) / 8;
}

BufferRef adze::execution::toBytes(const Tensor &tensor, RankedTensorType type) {
  auto buffer = std::make_shared<Buffer>(bytesOf(type, tensor.shape.empty() ? 1 : tensor.shape[0]), 0);
  bool floats = adze::llm::reference::isFloat(tensor.element);
  forStorage(type, tensor.shape[0], [&](size_t index, std::optional<int64_t> element) {
    put(buffer->data(), index, type.getElementType(), element && floats ? tensor.floats[*element] : 0.0f,
        element && !floats ? tensor.ints[*element] : 0);
  });
  return buffer;
}

Tensor adze::execution::fromBytes(const Buffer &buffer, RankedTensorType type, int64_t rows) {
  std::vector<int64_t> shape(type.getShape());
  if (ShapedType::isDynamic(shape[0]))
    shape[0] = rows;
  Tensor tensor = Tensor::zeros(*adze::llm::reference::elementOf(type.getElementType()), shape);
  unsigned bytes = type.getElementType().getIntOrFloatBitWidth() / 8;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, buffer.data() + i * bytes, bytes);
    if (auto floating = mlir::dyn_cast<FloatType>(type.getElementType()))
      tensor.floats[i] = floatOfBits(bits, floating.getFloatSemantics());
    else
      tensor.ints[i] = llvm::SignExtend64(bits, bytes * 8);
  }
  return tensor;
}

namespace {
/// Place of a number of the pool in memory, in elements.
size_t placeOf(adze::llm::KvType type, int64_t page, int64_t layer, int kind, int64_t head, int64_t token,
               int64_t dim) {
  bool tokenFirst = kind == 1 || type.getKeys() == adze::llm::KeyOrder::TokenDim;
  size_t start = (((page * type.getLayers() + layer) * 2 + kind) * type.getHeads() + head) * type.getHeadElements();
  return start + (tokenFirst ? token * type.getDim() + dim : dim * type.getPage() + token);
}

void forCache(adze::llm::KvType type, int64_t pages, llvm::function_ref<void(size_t memory, size_t reference)> body) {
  size_t reference = 0;
  for (int64_t page = 0; page < pages; ++page)
    for (int64_t layer = 0; layer < type.getLayers(); ++layer)
      for (int kind = 0; kind < 2; ++kind)
        for (int64_t head = 0; head < type.getHeads(); ++head)
          for (int64_t token = 0; token < type.getPage(); ++token)
            for (int64_t dim = 0; dim < type.getDim(); ++dim)
              body(placeOf(type, page, layer, kind, head, token, dim), reference++);
}
} // namespace

BufferRef adze::execution::toBytes(const Cache &cache, adze::llm::KvType type) {
  auto buffer = std::make_shared<Buffer>(cache.data.size() * (type.getElement().getIntOrFloatBitWidth() / 8));
  forCache(type, cache.pages, [&](size_t memory, size_t reference) {
    put(buffer->data(), memory, type.getElement(), cache.data[reference], 0);
  });
  return buffer;
}

Cache adze::execution::fromBytes(const Buffer &buffer, adze::llm::KvType type) {
  int64_t bytes = type.getElement().getIntOrFloatBitWidth() / 8;
  int64_t page = type.getLayers() * 2 * type.getHeads() * type.getHeadElements();
  Cache cache = Cache::empty(type, buffer.size() / bytes / page);
  forCache(type, cache.pages, [&](size_t memory, size_t reference) {
    uint64_t bits = 0;
    std::memcpy(&bits, buffer.data() + memory * bytes, bytes);
    cache.data[reference] = floatOfBits(bits, mlir::cast<FloatType>(type.getElement()).getFloatSemantics());
  });
  return cache;
}

BufferRef adze::execution::toBytes(const std::vector<int64_t> &array, unsigned bits) {
  auto buffer = std::make_shared<Buffer>(array.size() * bits / 8);
  for (size_t i = 0; i < array.size(); ++i)
    std::memcpy(buffer->data() + i * bits / 8, &array[i], bits / 8);
  return buffer;
}

Tensor adze::execution::randomTensor(RankedTensorType type, int64_t rows, double scale, Random &random) {
  std::vector<int64_t> shape(type.getShape());
  if (!shape.empty() && ShapedType::isDynamic(shape[0]))
    shape[0] = rows;
  Element element = *adze::llm::reference::elementOf(type.getElementType());
  Tensor tensor = Tensor::zeros(element, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (adze::llm::reference::isFloat(element))
      tensor.floats[i] = adze::llm::reference::roundTo(element, random.unit() * scale);
    else if (element == Element::I4)
      tensor.ints[i] = random.below(16) - 8;
    else
      tensor.ints[i] = random.below(255) - 127;
  }
  return tensor;
}
