#include "adze/Layout/GlobalAccess.h"

#include <algorithm>

using namespace adze;

static constexpr unsigned kVectorBits = 128, kSectorBits = 256;

GlobalAccess adze::globalAccess(const LinearMap &layout, unsigned innermost, unsigned elementBits) {
  // Coordinates with the innermost dimension lowest; a row takes whole sectors.
  Coord box = layout.extents();
  box[innermost] = std::max<int64_t>(box[innermost], kSectorBits / elementBits);
  auto flat = [&](const std::vector<Coord> &vectors) {
    BitVectors result;
    Coord order = box;
    std::swap(order[innermost], order[kMaxDims - 1]);
    for (Coord vector : vectors) {
      std::swap(vector[innermost], vector[kMaxDims - 1]);
      result.push_back(flatten(vector, order));
    }
    return result;
  };
  BitVectors registers = flat(layout.reg), lanes = flat(layout.lane);
  BitSpace own(registers);
  unsigned bits = 0;
  for (; elementBits << (bits + 1) <= kVectorBits && own.contains(BitVector(1) << bits);)
    ++bits;
  BitVectors piece = unitVectors(bits), warp = piece;
  warp.insert(warp.end(), lanes.begin(), lanes.end());
  BitSpace together(warp);
  unsigned run = bits;
  while (BitVector(1) << run < BitVector(box[innermost]) && together.contains(BitVector(1) << run))
    ++run;
  // Addresses of sectors: what is left of each vector without its place in the sector.
  BitVectors sectors;
  for (BitVector vector : warp)
    sectors.push_back(vector & ~BitVector(kSectorBits / elementBits - 1));
  return {1u << bits, (elementBits << bits) / 8, 1u << (run - bits), 1u << rank(sectors)};
}
