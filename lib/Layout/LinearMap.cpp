#include "adze/Layout/LinearMap.h"

#include <bit>

using namespace adze;

static unsigned log2Of(int64_t powerOfTwo) { return std::countr_zero(uint64_t(powerOfTwo)); }

static Coord exclusiveOr(Coord a, const Coord &b) {
  for (unsigned d = 0; d < kMaxDims; ++d)
    a[d] ^= b[d];
  return a;
}

static bool inside(const Coord &coord, const Coord &box) {
  for (unsigned d = 0; d < kMaxDims; ++d)
    if (coord[d] < 0 || coord[d] >= box[d])
      return false;
  return true;
}

BitVector adze::flatten(const Coord &coord, const Coord &box) {
  BitVector flat = 0;
  for (unsigned d = 0; d < kMaxDims; ++d)
    flat = flat << log2Of(box[d]) | BitVector(coord[d]);
  return flat;
}

BitVectors adze::flatten(const std::vector<Coord> &vectors, const Coord &box) {
  BitVectors flat;
  for (const Coord &vector : vectors)
    flat.push_back(flatten(vector, box));
  return flat;
}

static Coord unflatten(BitVector flat, const Coord &box) {
  Coord coord{};
  for (unsigned d = kMaxDims; d-- > 0; flat >>= log2Of(box[d]))
    coord[d] = int64_t(flat & (BitVector(box[d]) - 1));
  return coord;
}

std::vector<Coord> LinearMap::all() const {
  std::vector<Coord> bases;
  for (const std::vector<Coord> *group : groups())
    bases.insert(bases.end(), group->begin(), group->end());
  return bases;
}

Coord LinearMap::apply(uint64_t index) const {
  Coord coord{};
  for (const std::vector<Coord> *group : groups())
    for (const Coord &basis : *group) {
      if (index & 1)
        coord = exclusiveOr(coord, basis);
      index >>= 1;
    }
  return coord;
}

int64_t LinearMap::find(const Coord &coord) const {
  Coord box = extents();
  if (!inside(coord, box))
    return -1;
  std::optional<uint64_t> index = BitSpace(flatten(all(), box)).combination(flatten(coord, box));
  return index ? int64_t(*index) : -1;
}

unsigned LinearMap::rank() const { return adze::rank(flatten(all(), extents())); }

std::optional<LinearMap> LinearMap::compose(const LinearMap &inner) const {
  LinearMap result = inner;
  for (std::vector<Coord> *group : result.groups())
    for (Coord &basis : *group) {
      if (basis[1] || basis[2] || basis[3] || basis[0] >> bits())
        return std::nullopt;
      basis = apply(basis[0]);
    }
  return result;
}

Coord LinearMap::extents() const {
  Coord extents;
  extents.fill(1);
  for (const Coord &basis : all())
    for (unsigned d = 0; d < kMaxDims; ++d)
      while (basis[d] >= extents[d])
        extents[d] *= 2;
  return extents;
}

std::optional<LinearMap> LinearMap::invert() const {
  Coord box = extents();
  unsigned boxBits = 0;
  for (int64_t extent : box)
    boxBits += log2Of(extent);
  BitSpace space(flatten(all(), box));
  if (boxBits != bits() || space.rank() != bits())
    return std::nullopt;
  LinearMap inverse;
  for (unsigned d = 0; d < kMaxDims; ++d)
    for (int64_t step = 1; step < box[d]; step *= 2) {
      Coord unit{};
      unit[d] = step;
      inverse.reg.push_back({int64_t(*space.combination(flatten(unit, box))), 0, 0, 0});
    }
  return inverse;
}

LinearMap LinearMap::product(const LinearMap &outer) const {
  LinearMap result = *this;
  Coord tile = extents();
  for (unsigned group = 0; group < groups().size(); ++group)
    for (Coord basis : *outer.groups()[group]) {
      for (unsigned d = 0; d < kMaxDims; ++d)
        basis[d] *= tile[d];
      result.groups()[group]->push_back(basis);
    }
  return result;
}

std::optional<LinearMap> LinearMap::divide(const LinearMap &tile) const {
  LinearMap rest;
  Coord box = tile.extents();
  for (unsigned group = 0; group < groups().size(); ++group) {
    const std::vector<Coord> &whole = *groups()[group], &part = *tile.groups()[group];
    if (whole.size() < part.size() || !std::equal(part.begin(), part.end(), whole.begin()))
      return std::nullopt;
    for (size_t i = part.size(); i < whole.size(); ++i) {
      Coord basis = whole[i];
      for (unsigned d = 0; d < kMaxDims; ++d) {
        if (basis[d] & (box[d] - 1))
          return std::nullopt;
        basis[d] /= box[d];
      }
      rest.groups()[group]->push_back(basis);
    }
  }
  return rest;
}

bool LinearMap::covers(std::span<const int64_t> shape) const {
  Coord box = extents();
  unsigned boxBits = 0;
  for (unsigned d = 0; d < kMaxDims; ++d) {
    if (box[d] != (d < shape.size() ? shape[d] : 1))
      return false;
    boxBits += log2Of(box[d]);
  }
  return shape.size() <= kMaxDims && rank() == boxBits;
}

std::optional<LinearMap> LinearMap::reshaped(std::span<const int64_t> from, std::span<const int64_t> to) const {
  Coord boxes[2];
  unsigned boxBits[2] = {};
  for (unsigned side = 0; side < 2; ++side) {
    std::span<const int64_t> shape = side ? to : from;
    if (shape.size() > kMaxDims)
      return std::nullopt;
    boxes[side].fill(1);
    for (size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] < 1 || !std::has_single_bit(uint64_t(shape[d])))
        return std::nullopt;
      boxes[side][d] = shape[d];
      boxBits[side] += log2Of(shape[d]);
    }
  }
  if (boxBits[0] != boxBits[1] || boxBits[0] > 62)
    return std::nullopt;
  LinearMap result = *this;
  for (std::vector<Coord> *group : result.groups())
    for (Coord &basis : *group) {
      if (!inside(basis, boxes[0]))
        return std::nullopt;
      basis = unflatten(flatten(basis, boxes[0]), boxes[1]);
    }
  return result;
}

LinearMap LinearMap::drop(unsigned dim) const {
  LinearMap result = *this;
  for (std::vector<Coord> *group : result.groups())
    for (Coord &basis : *group) {
      for (unsigned d = dim; d + 1 < kMaxDims; ++d)
        basis[d] = basis[d + 1];
      basis[kMaxDims - 1] = 0;
    }
  return result;
}

LinearMap LinearMap::transposed() const {
  LinearMap result = *this;
  for (std::vector<Coord> *group : result.groups())
    for (Coord &basis : *group)
      std::swap(basis[0], basis[1]);
  return result;
}
