#include "adze/Layout/TmaTile.h"

#include "adze/Layout/SharedSwizzle.h"

#include <algorithm>
#include <bit>

using namespace adze;

static constexpr uint32_t kMaxExtent = 256;
static constexpr unsigned kMaxBoxRank = 5;

/// The dimension of a unit vector, or kMaxDims.
static unsigned unitDim(const Coord &vector) {
  unsigned found = kMaxDims;
  for (unsigned d = 0; d < kMaxDims; ++d)
    if (vector[d]) {
      if (found != kMaxDims || !std::has_single_bit(uint64_t(vector[d])))
        return kMaxDims;
      found = d;
    }
  return found;
}

/// The order with the exchange of pieces undone.
static LinearMap withoutSwizzle(const LinearMap &storage, unsigned elementBits, unsigned swizzle) {
  LinearMap result = storage;
  unsigned elementLog = std::countr_zero(elementBits);
  for (unsigned bit = 0; bit < storage.reg.size(); ++bit)
    result.reg[bit] = storage.apply(uint64_t(swizzled(1u << (bit + elementLog - 3), swizzle)) * 8 >> elementLog);
  return result;
}

std::optional<TmaTile> adze::tmaTileOf(const LinearMap &storage, unsigned elementBits, std::string *reason) {
  auto refuse = [&](const std::string &text) -> std::optional<TmaTile> {
    if (reason)
      *reason = "\"" + storage.str() + "\" is not made by tensor copies: " + text;
    return std::nullopt;
  };
  if (elementBits < 8 || elementBits > 64 || !std::has_single_bit(elementBits))
    return refuse("elements of 8, 16, 32 or 64 bits are accepted, found " + std::to_string(elementBits));
  if (storage.reg.empty() || storage.bits() != storage.reg.size() || storage.reg.size() > 24)
    return refuse("an order in shared memory has address bits alone, 1 to 24");
  for (unsigned swizzle : kSwizzles) {
    LinearMap plain = withoutSwizzle(storage, elementBits, swizzle);
    if (std::ranges::any_of(plain.reg, [](const Coord &vector) { return unitDim(vector) == kMaxDims; }))
      continue;
    TmaTile tile;
    tile.swizzle = swizzle;
    tile.boxBytes = elementBits / 8;
    unsigned bit = 0;
    for (Coord next{1, 1, 1, 1}; bit < plain.reg.size(); ++bit) {
      unsigned dim = unitDim(plain.reg[bit]);
      bool same = !tile.box.empty() && tile.box.back().dim == dim;
      bool begun = !same && next[dim] > 1;
      bool rowEnds = swizzle && tile.boxBytes == swizzle && tile.box.size() == 1 && same;
      bool full = same ? tile.box.back().extent == kMaxExtent : tile.box.size() == kMaxBoxRank;
      if (plain.reg[bit][dim] != next[dim] || begun || rowEnds || full)
        break;
      if (!same)
        tile.box.push_back({dim, 1});
      tile.box.back().extent *= 2;
      tile.boxBytes *= 2;
      next[dim] *= 2;
    }
    if (tile.box.empty())
      return refuse("the lowest address bit does not run along a dimension from its start");
    tile.origins.reg.assign(plain.reg.begin() + bit, plain.reg.end());
    uint32_t row = tile.box[0].extent * elementBits / 8;
    if (swizzle && row != swizzle)
      return refuse("a swizzle of " + std::to_string(swizzle) + " bytes needs rows of as many bytes, found " +
                    std::to_string(row));
    return tile;
  }
  return refuse("no swizzle of 0, 32, 64 or 128 bytes leaves address bits that run along one dimension each");
}

bool adze::tmaBoxIsLegal(const TmaTile &tile, unsigned elementBits, std::span<const uint64_t> strides,
                         std::string *reason) {
  auto refuse = [&](const std::string &text) {
    if (reason)
      *reason = text;
    return false;
  };
  if (tile.box.empty() || tile.box.size() > kMaxBoxRank)
    return refuse("a box has 1 to 5 dimensions, found " + std::to_string(tile.box.size()));
  if (strides.size() + 1 != tile.box.size())
    return refuse("a box of " + std::to_string(tile.box.size()) + " dimensions has " +
                  std::to_string(tile.box.size() - 1) + " strides, found " + std::to_string(strides.size()));
  for (size_t i = 0; i < tile.box.size(); ++i)
    if (tile.box[i].extent < 1 || tile.box[i].extent > kMaxExtent)
      return refuse("box dimension " + std::to_string(i) + " has " + std::to_string(tile.box[i].extent) +
                    " elements; 1 to 256 are accepted");
  uint64_t row = uint64_t(tile.box[0].extent) * elementBits / 8;
  if (row % 16)
    return refuse("a row of the box has " + std::to_string(row) + " bytes; multiples of 16 are accepted");
  if (tile.swizzle && row > tile.swizzle)
    return refuse("a row of the box has " + std::to_string(row) + " bytes; a swizzle of " +
                  std::to_string(tile.swizzle) + " takes at most as many");
  for (size_t i = 0; i < strides.size(); ++i)
    if (strides[i] % 16 || strides[i] >= uint64_t(1) << 40)
      return refuse("stride " + std::to_string(i + 1) + " of the tensor is " + std::to_string(strides[i]) +
                    " bytes; multiples of 16 below 2^40 are accepted");
  return true;
}
