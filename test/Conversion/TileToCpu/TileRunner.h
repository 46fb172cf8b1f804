//===- TileRunner.h - compiles a kernel of the tile dialect and runs it in a test ---------------------------------===//
//
// Buffers lie between pages that cannot be touched: an access before the first or after the last byte ends the test.
// They start full of 0xFF, which is a NaN in every float format, so that an element that no block writes shows.
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_TEST_CONVERSION_TILETOCPU_TILERUNNER_H
#define ADZE_TEST_CONVERSION_TILETOCPU_TILERUNNER_H

#include "adze/Abi/Program.h"
#include "adze/Layout/PackedOrder.h"
#include "adze/Target/TargetInfo.h"

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace adze::test {

/// Memory between two guard pages, its end at the upper one.
class GuardedBytes {
public:
  explicit GuardedBytes(size_t size);
  ~GuardedBytes();
  GuardedBytes(const GuardedBytes &) = delete;
  uint8_t *data() const { return begin; }

private:
  uint8_t *mapping, *begin;
  size_t mapped;
};

template <class T> class Buffer {
public:
  explicit Buffer(size_t count) : bytes(std::make_shared<GuardedBytes>(count * sizeof(T))), count(count) {}
  Buffer(const std::vector<T> &values) : Buffer(values.size()) {
    if (count)
      std::memcpy(data(), values.data(), count * sizeof(T));
  }
  T *data() const { return reinterpret_cast<T *>(bytes->data()); }
  size_t size() const { return count; }
  T &operator[](size_t i) const { return data()[i]; }
  operator void *() const { return data(); }

private:
  std::shared_ptr<GuardedBytes> bytes;
  size_t count;
};

/// A kernel compiled for one level and loaded.
class TileKernel {
public:
  /// Prints diagnostics and returns null when the text has no CPU form. Instructions that this machine lacks are
  /// emulated. With the environment's TILE_KERNELS set to a folder, what was compiled for the level itself is kept
  /// there as well: TileKernelReplay runs it on a machine without a compiler.
  static std::unique_ptr<TileKernel> compile(const std::string &text, const std::string &name,
                                             const TargetInfo &target);
  static std::unique_ptr<TileKernel> load(const std::string &file, const std::string &name);
  ~TileKernel();
  int64_t blocks(const std::vector<void *> &pointers, int64_t tokens, int64_t requests = 0, int64_t rows = 0,
                 int64_t layer = 0) const;
  /// Runs every block, in `pieces` calls of the entry, or the pieces [first, last) alone.
  void run(const std::vector<void *> &pointers, int64_t tokens, int64_t requests = 0, int64_t rows = 0,
           int64_t layer = 0, int64_t pieces = 1, int64_t first = 0, int64_t last = -1) const;
  AdzeKernelEntry entry = nullptr;
  AdzeKernelBlocks count = nullptr;
  std::vector<std::string> undefined; ///< names that the object file lacks

private:
  void *library = nullptr;
};

/// The levels to test, weakest first: all of them, or for TileKernelReplay those that the machine has.
std::vector<const TargetInfo *> testedTargets();
/// Whether that level's kernels run on this machine's own instructions.
bool runsHere(const TargetInfo &target);
/// Where a compiled kernel is kept.
std::string storedKernel(const std::string &folder, const std::string &text, const TargetInfo &target);

/// `text` with every `$NAME` replaced.
std::string fill(std::string text, const std::vector<std::pair<std::string, std::string>> &values);
/// "#tile.storage<[8, 32], "c4 c1 ...">".
std::string storageText(const WeightPack &pack);

/// Packs a row-major matrix; 4-bit elements come one in a byte.
template <class T>
Buffer<uint8_t> packed(const WeightPack &pack, const std::vector<T> &values, int64_t rows, int64_t columns,
                       unsigned bits) {
  PackedOrder order = *PackedOrder::make(pack.block, pack.order);
  int64_t extents[] = {rows, columns}, block = pack.block[0];
  Buffer<uint8_t> out(order.bytes(extents, bits));
  int64_t row = order.blocks(1, columns) * order.blockElements() * bits / 8;
  for (int64_t r = 0; r < rows; r += block)
    order.packRows(&values[r * columns], std::min(block, rows - r), columns, bits, out.data() + r / block * row);
  return out;
}

/// Integers from a fixed generator; floats are multiples of 1/64 in [-1, 1].
class Values {
public:
  explicit Values(unsigned seed) : random(seed) {}
  int64_t integer(int64_t low, int64_t high) { return low + int64_t(random() % uint64_t(high - low + 1)); }
  float real() { return float(integer(-640000, 640000)) / 640000.0f; }
  std::vector<float> reals(size_t count) {
    std::vector<float> values(count);
    for (float &value : values)
      value = real();
    return values;
  }

private:
  std::mt19937_64 random;
};

/// f32 rounded to bf16, and half precision to f32.
uint16_t toBf16(float value);
float fromBf16(uint16_t value);

} // namespace adze::test

#endif // ADZE_TEST_CONVERSION_TILETOCPU_TILERUNNER_H
