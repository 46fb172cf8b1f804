#include "adze/Layout/LinearMap.h"

#include <bit>
#include <charconv>

using namespace adze;

static constexpr std::string_view kLetters = "rcde";

static std::optional<LinearMap> fail(std::string *error, std::string text) {
  if (error)
    *error = std::move(text);
  return std::nullopt;
}

/// "c4" or "r1+c1" or "0".
static bool parseWord(std::string_view word, Coord &out) {
  if (word == "0")
    return true;
  while (!word.empty()) {
    size_t plus = word.find('+');
    std::string_view term = word.substr(0, plus);
    size_t dim = term.empty() ? std::string_view::npos : kLetters.find(term[0]);
    int64_t step = 0;
    if (dim == std::string_view::npos || term.size() < 2)
      return false;
    auto [end, code] = std::from_chars(term.data() + 1, term.data() + term.size(), step);
    if (code != std::errc() || end != term.data() + term.size() || step <= 0 || step > (int64_t(1) << 40))
      return false;
    out[dim] ^= step;
    if (plus == std::string_view::npos)
      return true;
    word.remove_prefix(plus + 1);
  }
  return false;
}

std::optional<LinearMap> LinearMap::parse(std::string_view text, std::string *error) {
  LinearMap map;
  std::vector<Coord> *groups[] = {&map.reg, &map.lane, &map.warp};
  unsigned group = 0;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == ' ') {
      ++at;
    } else if (text[at] == '|') {
      if (++group == 3)
        return fail(error, "layout \"" + std::string(text) + "\" has more than two `|`");
      ++at;
    } else {
      size_t end = text.find_first_of(" |", at);
      std::string_view word = text.substr(at, end == std::string_view::npos ? end : end - at);
      Coord basis{};
      if (!parseWord(word, basis))
        return fail(error, "layout \"" + std::string(text) + "\" has the word \"" + std::string(word) +
                               "\"; accepted are 0 and r, c, d or e followed by a positive number, joined by +");
      groups[group]->push_back(basis);
      at += word.size();
    }
  }
  if (map.bits() > 48)
    return fail(error, "layout \"" + std::string(text) + "\" has more than 48 bits");
  return map;
}

static std::string wordOf(const Coord &basis) {
  std::string word;
  for (unsigned d = 0; d < kMaxDims; ++d)
    if (basis[d])
      word += (word.empty() ? "" : "+") + std::string(1, kLetters[d]) + std::to_string(basis[d]);
  return word.empty() ? "0" : word;
}

std::string LinearMap::str() const {
  std::string text;
  auto append = [&](const std::vector<Coord> &group) {
    for (const Coord &basis : group) {
      if (!text.empty())
        text += ' ';
      text += wordOf(basis);
    }
  };
  append(reg);
  if (!lane.empty() || !warp.empty()) {
    text += text.empty() ? "|" : " |";
    append(lane);
  }
  if (!warp.empty()) {
    text += " |";
    append(warp);
  }
  return text;
}

std::vector<Coord> LinearMap::all() const {
  std::vector<Coord> bases(reg);
  bases.insert(bases.end(), lane.begin(), lane.end());
  bases.insert(bases.end(), warp.begin(), warp.end());
  return bases;
}

static Coord exclusiveOr(Coord a, const Coord &b) {
  for (unsigned d = 0; d < kMaxDims; ++d)
    a[d] ^= b[d];
  return a;
}

Coord LinearMap::apply(uint64_t index) const {
  Coord coord{};
  for (const std::vector<Coord> *group : {&reg, &lane, &warp})
    for (const Coord &basis : *group) {
      if (index & 1)
        coord = exclusiveOr(coord, basis);
      index >>= 1;
    }
  return coord;
}

namespace {
/// Row echelon form of the basis vectors: each row is a reduced vector, its pivot bit and the index bits that make it.
struct Echelon {
  struct Row {
    Coord vector;
    uint64_t index;
    unsigned dim;
    int64_t pivot;
  };
  std::vector<Row> rows;

  /// Removes every pivot from `coord`; the index bits used for that.
  uint64_t reduce(Coord &coord) const {
    uint64_t index = 0;
    for (const Row &row : rows)
      if (coord[row.dim] & row.pivot) {
        coord = exclusiveOr(coord, row.vector);
        index ^= row.index;
      }
    return index;
  }
  explicit Echelon(const std::vector<Coord> &bases) {
    for (size_t i = 0; i < bases.size(); ++i) {
      Coord rest = bases[i];
      uint64_t index = reduce(rest) ^ (uint64_t(1) << i);
      for (unsigned d = 0; d < kMaxDims; ++d)
        if (rest[d]) {
          rows.push_back({rest, index, d, int64_t(std::bit_floor(uint64_t(rest[d])))});
          break;
        }
    }
  }
};
} // namespace

int64_t LinearMap::find(const Coord &coord) const {
  Coord rest = coord;
  uint64_t index = Echelon(all()).reduce(rest);
  return rest == Coord{} ? int64_t(index) : -1;
}

unsigned LinearMap::rank() const { return Echelon(all()).rows.size(); }

std::optional<LinearMap> LinearMap::compose(const LinearMap &inner) const {
  LinearMap result = inner;
  for (std::vector<Coord> *group : {&result.reg, &result.lane, &result.warp})
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
    boxBits += std::countr_zero(uint64_t(extent));
  Echelon echelon(all());
  if (boxBits != bits() || echelon.rows.size() != bits())
    return std::nullopt;
  LinearMap inverse;
  for (unsigned d = 0; d < kMaxDims; ++d)
    for (int64_t step = 1; step < box[d]; step *= 2) {
      Coord unit{};
      unit[d] = step;
      inverse.reg.push_back({int64_t(echelon.reduce(unit)), 0, 0, 0});
    }
  return inverse;
}

bool LinearMap::covers(std::span<const int64_t> shape) const {
  Coord box = extents();
  unsigned boxBits = 0;
  for (unsigned d = 0; d < kMaxDims; ++d) {
    if (box[d] != (d < shape.size() ? shape[d] : 1))
      return false;
    boxBits += std::countr_zero(uint64_t(box[d]));
  }
  return shape.size() <= kMaxDims && rank() == boxBits;
}

LinearMap LinearMap::drop(unsigned dim) const {
  LinearMap result = *this;
  for (std::vector<Coord> *group : {&result.reg, &result.lane, &result.warp})
    for (Coord &basis : *group) {
      for (unsigned d = dim; d + 1 < kMaxDims; ++d)
        basis[d] = basis[d + 1];
      basis[kMaxDims - 1] = 0;
    }
  return result;
}

LinearMap LinearMap::transposed() const {
  LinearMap result = *this;
  for (std::vector<Coord> *group : {&result.reg, &result.lane, &result.warp})
    for (Coord &basis : *group)
      std::swap(basis[0], basis[1]);
  return result;
}
