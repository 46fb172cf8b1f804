#include "adze/Layout/PackedOrder.h"

#include <cstring>

using namespace adze;

std::optional<PackedOrder> PackedOrder::make(std::span<const int64_t> block, std::string_view order,
                                             std::string *error) {
  auto refuse = [&](std::string text) -> std::optional<PackedOrder> {
    if (error)
      *error = std::move(text);
    return std::nullopt;
  };
  std::optional<LinearMap> map = LinearMap::parse(order, error);
  if (!map)
    return std::nullopt;
  if (block.empty() || block.size() > kMaxDims)
    return refuse("a packed block has 1 to 4 dimensions, this one has " + std::to_string(block.size()));
  if (map->bits() != map->reg.size())
    return refuse("storage order \"" + std::string(order) +
                  "\" has lane, warp or block bits; memory has addresses alone");
  if (map->bits() > 24 || map->rank() != map->bits() || !map->covers(block))
    return refuse("storage order \"" + std::string(order) + "\" does not cover its block exactly once");
  PackedOrder result;
  result.block_.assign(block.begin(), block.end());
  result.map_ = *map;
  result.coords_.reserve(size_t(1) << map->bits());
  for (uint64_t address = 0; address < uint64_t(1) << map->bits(); ++address)
    result.coords_.push_back(map->apply(address));
  return result;
}

int64_t PackedOrder::elements(std::span<const int64_t> extents) const {
  int64_t count = blockElements();
  for (unsigned d = 0; d < block_.size(); ++d)
    count *= blocks(d, extents[d]);
  return count;
}

int64_t PackedOrder::address(std::span<const int64_t> extents, const Coord &coord) const {
  int64_t block = 0;
  Coord inside{};
  for (unsigned d = 0; d < block_.size(); ++d) {
    block = block * blocks(d, extents[d]) + coord[d] / block_[d];
    inside[d] = coord[d] % block_[d];
  }
  return block * blockElements() + map_.find(inside);
}

template <class T>
static void pack(const std::vector<Coord> &coords, const T *rows, int64_t present, int64_t columns, int64_t firstColumn,
                 T *out) {
  for (size_t address = 0; address < coords.size(); ++address) {
    int64_t row = coords[address][0], column = firstColumn + coords[address][1];
    out[address] = row < present && column < columns ? rows[row * columns + column] : T(0);
  }
}

void PackedOrder::packRows(const void *rows, int64_t present, int64_t columns, unsigned elementBits, void *out) const {
  int64_t width = block_.size() > 1 ? block_[1] : 1, count = blockElements();
  std::vector<uint8_t> halves(elementBits == 4 ? count : 0);
  for (int64_t first = 0, block = 0; first < columns; first += width, ++block) {
    auto run = [&]<class T>(T) {
      pack(coords_, static_cast<const T *>(rows), present, columns, first, static_cast<T *>(out) + block * count);
    };
    switch (elementBits) {
    case 4: {
      pack(coords_, static_cast<const uint8_t *>(rows), present, columns, first, halves.data());
      uint8_t *to = static_cast<uint8_t *>(out) + block * count / 2;
      for (int64_t i = 0; i < count / 2; ++i)
        to[i] = uint8_t((halves[2 * i] & 15) | halves[2 * i + 1] << 4);
      break;
    }
    case 8:
      run(uint8_t());
      break;
    case 16:
      run(uint16_t());
      break;
    case 32:
      run(uint32_t());
      break;
    default:
      run(uint64_t());
      break;
    }
  }
}
