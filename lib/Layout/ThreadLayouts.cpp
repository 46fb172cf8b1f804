#include "adze/Layout/ThreadLayouts.h"

#include <algorithm>
#include <bit>

using namespace adze;

static constexpr unsigned kLaneBits = 5, kVectorBits = 128;

static Coord unit(unsigned dim, int64_t step) {
  Coord coord{};
  coord[dim] = step;
  return coord;
}

static bool isZero(const Coord &coord) { return coord == Coord{}; }

MemoryOrder adze::plainOrder(std::span<const int64_t> shape, std::span<const unsigned> dims, bool contiguous) {
  MemoryOrder order;
  for (unsigned dim : dims) {
    for (int64_t step = 1; step < shape[dim]; step *= 2)
      order.bits.push_back(unit(dim, step));
    if (contiguous && dim == dims[0])
      order.run = order.bits.size();
  }
  return order;
}

MemoryOrder adze::packedOrder(std::span<const int64_t> shape, std::span<const unsigned> dims, const PackedOrder &pack) {
  MemoryOrder order;
  std::vector<int> dimOfPack(pack.block().size(), -1);
  for (size_t i = 0; i < dims.size(); ++i)
    dimOfPack[dims[i]] = int(i);
  bool whole = true;
  for (const Coord &basis : pack.map().reg) {
    // A bit of a pack moves along one dimension.
    unsigned along = 0;
    while (!basis[along])
      ++along;
    int dim = dimOfPack[along];
    if (dim < 0 || basis[along] >= shape[dim]) {
      whole = false;
      continue;
    }
    order.bits.push_back(unit(dim, basis[along]));
    order.run += whole;
  }
  for (unsigned along = pack.block().size(); along-- > 0;)
    if (int dim = dimOfPack[along]; dim >= 0)
      for (int64_t step = pack.block()[along]; step < shape[dim]; step *= 2)
        order.bits.push_back(unit(dim, step));
  return order;
}

LinearMap adze::spreadOver(const MemoryOrder &order, unsigned elementBits, unsigned warpBits) {
  unsigned threadBits = kLaneBits + warpBits, all = order.bits.size();
  unsigned vector = std::countr_zero(std::max(1u, kVectorBits / elementBits));
  return piecesOver(order, std::min({vector, order.run, all > threadBits ? all - threadBits : 0}), warpBits);
}

LinearMap adze::piecesOver(const MemoryOrder &order, unsigned together, unsigned warpBits) {
  size_t next = 0, all = order.bits.size();
  LinearMap map;
  auto take = [&](std::vector<Coord> &group, size_t count, bool copies) {
    for (size_t i = 0; i < count; ++i)
      if (next < all)
        group.push_back(order.bits[next++]);
      else if (copies)
        group.push_back({});
  };
  take(map.reg, together, false);
  take(map.lane, kLaneBits, true);
  take(map.warp, warpBits, true);
  take(map.reg, all, false);
  return map;
}

LinearMap adze::squaresOver(int64_t m, int64_t n, unsigned warpBits) {
  unsigned rows = std::countr_zero(uint64_t(m)), columns = std::countr_zero(uint64_t(n));
  unsigned threadBits = kLaneBits + warpBits;
  unsigned own = rows + columns > threadBits ? rows + columns - threadBits : 0;
  // Rows of a thread are its lowest, columns its highest, so that lanes keep neighbouring columns.
  unsigned ownRows = std::min(rows, (own + 1) / 2), ownColumns = std::min(columns, own - ownRows);
  ownRows = own - ownColumns;
  LinearMap map;
  for (unsigned i = 0; i < ownRows; ++i)
    map.reg.push_back(unit(0, int64_t(1) << i));
  for (unsigned i = columns - ownColumns; i < columns; ++i)
    map.reg.push_back(unit(1, int64_t(1) << i));
  std::vector<Coord> rest;
  for (unsigned i = 0; i < columns - ownColumns; ++i)
    rest.push_back(unit(1, int64_t(1) << i));
  for (unsigned i = ownRows; i < rows; ++i)
    rest.push_back(unit(0, int64_t(1) << i));
  rest.resize(threadBits);
  map.lane.assign(rest.begin(), rest.begin() + kLaneBits);
  map.warp.assign(rest.begin() + kLaneBits, rest.end());
  return map;
}

/// The layout as a map into memory: (what lies apart, place in a run).
static LinearMap intoMemory(const LinearMap &layout, const MemoryOrder &order) {
  Coord box;
  box.fill(1);
  for (const Coord &bit : order.bits)
    for (unsigned d = 0; d < kMaxDims; ++d)
      while (bit[d] >= box[d])
        box[d] *= 2;
  BitSpace space(flatten(order.bits, box));
  LinearMap result = layout;
  for (std::vector<Coord> *group : result.groups())
    for (Coord &basis : *group) {
      uint64_t index = space.combination(flatten(basis, box)).value_or(0);
      basis = {int64_t(index >> order.run), int64_t(index & ((uint64_t(1) << order.run) - 1)), 0, 0};
    }
  return result;
}

GlobalAccess adze::accessOf(const LinearMap &layout, const MemoryOrder &order, unsigned elementBits) {
  return globalAccess(intoMemory(layout, order), 1, elementBits);
}

uint64_t adze::sectorsOf(const LinearMap &layout, const MemoryOrder &order, unsigned elementBits) {
  GlobalAccess access = accessOf(layout, order, elementBits);
  uint64_t instructions = std::max<uint64_t>(1, (uint64_t(1) << layout.reg.size()) / access.elements);
  return instructions * access.sectors << layout.warp.size();
}

LinearMap adze::reducedLayout(const LinearMap &layout, unsigned dim) {
  LinearMap result = layout.drop(dim);
  std::erase_if(result.reg, isZero);
  return result;
}
