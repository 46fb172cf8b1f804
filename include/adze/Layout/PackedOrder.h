//===- PackedOrder.h - tensors stored as blocks of a linear map
//------------------------------------------------------===//
//
// A packed tensor is cut into blocks; blocks follow each other row-major, ceil(extent / block) in each dimension;
// inside a block a LinearMap says which coordinate an element address holds. Elements beyond the extents are zeros.
//
// Worked example: 4-bit codes [N, K] with block [8, 32] and order "c4 c1 c2 r1 r2 r4 c8 c16" (256 elements, 128 bytes).
// The element (row 11, column 37) of a matrix with 64 columns lies in block (1, 1) = number 1 * 2 + 1 = 3, at
// (3, 5) inside it: 5 = 4 + 1 -> address bits 0 and 1, 3 = 1 + 2 -> bits 3 and 4: address 27. Element address
// 3 * 256 + 27 = 795, that is the high half of byte 397.
// A 32-byte load from a block so holds 8 rows times 4 neighbouring columns in its low halves, the next 4 in the high.
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_LAYOUT_PACKEDORDER_H
#define ADZE_LAYOUT_PACKEDORDER_H

#include "adze/Layout/LinearMap.h"

namespace adze {

class PackedOrder {
public:
  /// Empty and `*error` set when the order does not cover the block exactly once. One to four dimensions.
  static std::optional<PackedOrder> make(std::span<const int64_t> block, std::string_view order,
                                         std::string *error = nullptr);
  const std::vector<int64_t> &block() const { return block_; }
  const LinearMap &map() const { return map_; }
  int64_t blockElements() const { return int64_t(1) << map_.bits(); }
  /// Blocks along dimension `dim` for that extent.
  int64_t blocks(unsigned dim, int64_t extent) const { return (extent + block_[dim] - 1) / block_[dim]; }
  /// Elements of the stored tensor, padding included.
  int64_t elements(std::span<const int64_t> extents) const;
  /// Bytes of the stored tensor; `elementBits` is 4, 8, 16, 32 or 64.
  int64_t bytes(std::span<const int64_t> extents, unsigned elementBits) const {
    return (elements(extents) * elementBits + 7) / 8;
  }
  /// Element address of a coordinate inside the extents.
  int64_t address(std::span<const int64_t> extents, const Coord &coord) const;
  /// Packs one row of blocks of a matrix. `rows` holds `present` (at most block()[0]) row-major rows of `columns`
  /// elements; 4-bit elements come one in a byte. `out` receives blocks(1, columns) * blockElements() elements; 4-bit
  /// elements lie two in a byte, the even address in the low half. One-dimensional orders take columns = 1.
  void packRows(const void *rows, int64_t present, int64_t columns, unsigned elementBits, void *out) const;

private:
  std::vector<int64_t> block_;
  LinearMap map_;
  std::vector<Coord> coords_; ///< of every address of a block
};

} // namespace adze

#endif // ADZE_LAYOUT_PACKEDORDER_H
