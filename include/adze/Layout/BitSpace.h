//===- BitSpace.h - linear algebra over GF(2) -------------------------------------------------------------------===//
//
// A vector is the bits of one 64-bit word, addition is XOR. Everything that the layouts ask is a question about spans:
// "can this lane make that element from its own registers?" is `contains`, "from which of them?" is `combination`,
// "which elements move together?" is `intersection`, and "where do two access patterns never meet in a bank?" is
// `commonComplement`.
//
//   BitSpace space({0b011, 0b110});
//   space.contains(0b101)      true: the sum of both
//   space.combination(0b101)   0b11: both were needed
//
// At most 64 vectors are added to one space. No allocation beyond vectors, no failure.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_LAYOUT_BITSPACE_H
#define ADZE_LAYOUT_BITSPACE_H

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace adze {

using BitVector = uint64_t;
using BitVectors = std::vector<BitVector>;

class BitSpace {
public:
  BitSpace() = default;
  explicit BitSpace(std::span<const BitVector> vectors);
  /// False when the vector was inside already. Vectors are numbered in the order of the calls, those inside as well.
  bool add(BitVector vector);
  /// Which added vectors sum to `vector` (bit i = the i-th); the lowest such number. Empty when it is outside.
  std::optional<uint64_t> combination(BitVector vector) const;
  bool contains(BitVector vector) const { return combination(vector).has_value(); }
  bool contains(std::span<const BitVector> vectors) const;
  unsigned rank() const { return rows_.size(); }

private:
  struct Row {
    BitVector vector, pivot;
    uint64_t sum;
  };
  std::vector<Row> rows_; ///< a row holds no pivot of an earlier one
  unsigned added_ = 0;
};

/// Sum of the columns that the bits of `index` name: the image of `index` under the matrix.
BitVector combine(std::span<const BitVector> columns, uint64_t index);
unsigned rank(std::span<const BitVector> vectors);
/// The vectors that the earlier ones do not make.
BitVectors independent(std::span<const BitVector> vectors);
/// `basis`, then every vector of `more` that is needed to span both.
BitVectors extended(BitVectors basis, std::span<const BitVector> more);
/// Basis of the vectors in both spans. Both lists are independent; vectors of `b` that lie in `a` come as they are.
BitVectors intersection(std::span<const BitVector> a, std::span<const BitVector> b);
/// Basis of a space that meets each span in zero only and fills GF(2)^dims with either. Both lists are independent and
/// equally long. It always exists: pair what the spans do not share, add what neither has.
BitVectors commonComplement(std::span<const BitVector> a, std::span<const BitVector> b, unsigned dims);
/// 1, 2, 4, ... : the first `count` unit vectors.
BitVectors unitVectors(unsigned count);

} // namespace adze

#endif // ADZE_LAYOUT_BITSPACE_H
