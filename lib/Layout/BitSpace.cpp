#include "adze/Layout/BitSpace.h"

#include <algorithm>
#include <bit>

using namespace adze;

BitSpace::BitSpace(std::span<const BitVector> vectors) {
  for (BitVector vector : vectors)
    add(vector);
}

bool BitSpace::add(BitVector vector) {
  uint64_t sum = uint64_t(1) << added_++;
  for (const Row &row : rows_)
    if (vector & row.pivot) {
      vector ^= row.vector;
      sum ^= row.sum;
    }
  if (vector)
    rows_.push_back({vector, std::bit_floor(vector), sum});
  return vector != 0;
}

std::optional<uint64_t> BitSpace::combination(BitVector vector) const {
  uint64_t sum = 0;
  for (const Row &row : rows_)
    if (vector & row.pivot) {
      vector ^= row.vector;
      sum ^= row.sum;
    }
  return vector ? std::nullopt : std::optional(sum);
}

bool BitSpace::contains(std::span<const BitVector> vectors) const {
  return std::ranges::all_of(vectors, [&](BitVector vector) { return contains(vector); });
}

BitVector adze::combine(std::span<const BitVector> columns, uint64_t index) {
  BitVector sum = 0;
  for (BitVector column : columns) {
    sum ^= index & 1 ? column : 0;
    index >>= 1;
  }
  return sum;
}

unsigned adze::rank(std::span<const BitVector> vectors) { return BitSpace(vectors).rank(); }

BitVectors adze::independent(std::span<const BitVector> vectors) { return extended({}, vectors); }

BitVectors adze::extended(BitVectors basis, std::span<const BitVector> more) {
  BitSpace space(basis);
  for (BitVector vector : more)
    if (!space.contains(vector)) {
      space.add(vector);
      basis.push_back(vector);
    }
  return basis;
}

BitVectors adze::intersection(std::span<const BitVector> a, std::span<const BitVector> b) {
  // A vector of b that a and the earlier ones of b make: its part from a is in both spans.
  BitSpace space(a);
  BitVectors both;
  for (BitVector vector : b) {
    if (std::optional<uint64_t> sum = space.combination(vector))
      both.push_back(combine(a, *sum));
    space.add(vector);
  }
  return both;
}

BitVectors adze::commonComplement(std::span<const BitVector> a, std::span<const BitVector> b, unsigned dims) {
  BitVectors shared = intersection(a, b);
  BitVectors onlyA = extended(shared, a), onlyB = extended(shared, b), result;
  for (size_t i = shared.size(); i < onlyA.size(); ++i)
    result.push_back(onlyA[i] ^ onlyB[i]);
  BitVectors both = extended(onlyA, b);
  BitVectors all = extended(both, unitVectors(dims));
  result.insert(result.end(), all.begin() + both.size(), all.end());
  return result;
}

BitVectors adze::unitVectors(unsigned count) {
  BitVectors units(count);
  for (unsigned i = 0; i < count; ++i)
    units[i] = BitVector(1) << i;
  return units;
}
