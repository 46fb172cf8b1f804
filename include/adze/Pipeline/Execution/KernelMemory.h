// KernelMemory.h: values of the reference evaluator as the bytes that a kernel reads, and back.
#ifndef ADZE_PIPELINE_EXECUTION_KERNELMEMORY_H
#define ADZE_PIPELINE_EXECUTION_KERNELMEMORY_H

#include "adze/Dialect/Llm/Reference/Values.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace adze::execution {

using adze::llm::reference::Batch;
using adze::llm::reference::Cache;
using adze::llm::reference::Tensor;

/// Bytes at a 256-byte boundary, with a guard behind them that a check looks at.
class Buffer {
public:
  explicit Buffer(size_t size, uint8_t fill = 0xff);
  uint8_t *data() { return start; }
  const uint8_t *data() const { return start; }
  size_t size() const { return bytes; }
  /// False if something was written behind the end.
  bool guardIntact() const;

private:
  std::vector<uint8_t> memory;
  uint8_t *start;
  size_t bytes;
};
using BufferRef = std::shared_ptr<Buffer>;

/// The tensor in the order of its type: row-major, or packed.
BufferRef toBytes(const Tensor &tensor, mlir::RankedTensorType type);
Tensor fromBytes(const Buffer &buffer, mlir::RankedTensorType type, int64_t rows);
size_t bytesOf(mlir::RankedTensorType type, int64_t rows);

/// The pool in the order that the type says.
BufferRef toBytes(const Cache &cache, adze::llm::KvType type);
Cache fromBytes(const Buffer &buffer, adze::llm::KvType type);

/// One array of a batch; 32 or 64 bits each.
BufferRef toBytes(const std::vector<int64_t> &array, unsigned bits);

/// The same numbers on every machine.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  /// In -1 .. 1, a multiple of 2^-20.
  double unit() { return (static_cast<int64_t>(next() >> 43) - (1 << 20)) / 1048576.0; }
  int64_t below(int64_t bound) { return static_cast<int64_t>(next() % static_cast<uint64_t>(bound)); }

private:
  uint64_t state;
};
Tensor randomTensor(mlir::RankedTensorType type, int64_t rows, double scale, Random &random);

} // namespace adze::execution

#endif // ADZE_PIPELINE_EXECUTION_KERNELMEMORY_H
