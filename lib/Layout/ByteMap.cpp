#include "ByteMap.h"

#include <bit>
#include <set>

using namespace adze;

ByteMap ByteMap::of(const LinearMap &layout, const Coord &box, unsigned elementBits) {
  unsigned byteBits = elementBits < 8 ? 0 : std::countr_zero(elementBits / 8);
  auto bytes = [&](const std::vector<Coord> &vectors) {
    BitVectors flat = flatten(vectors, box);
    for (BitVector &vector : flat)
      vector <<= byteBits;
    return flat;
  };
  ByteMap map;
  map.bytes = byteBits;
  map.reg = unitVectors(byteBits);
  BitVectors elements = bytes(layout.reg);
  map.reg.insert(map.reg.end(), elements.begin() + (elementBits < 8), elements.end());
  map.lane = bytes(layout.lane);
  map.above = bytes(layout.warp);
  map.warps = map.above.size();
  BitVectors blocks = bytes(layout.block);
  map.above.insert(map.above.end(), blocks.begin(), blocks.end());
  return map;
}

BitVectors ByteMap::threads() const {
  BitVectors all(lane);
  all.insert(all.end(), above.begin(), above.end());
  return all;
}

ByteMap ByteMap::inCoordinatesOf(const BitSpace &basis) const {
  ByteMap map = *this;
  for (BitVectors *group : {&map.reg, &map.lane, &map.above})
    for (BitVector &vector : *group)
      vector = *basis.combination(vector);
  return map;
}

WordRegisters WordRegisters::of(const ByteMap &map) {
  size_t inside = std::min<size_t>(kWordBits, map.reg.size());
  return {{map.reg.begin(), map.reg.begin() + inside}, {map.reg.begin() + inside, map.reg.end()}};
}

BytePermute adze::permuteBytes(const WordRegisters &from, const WordRegisters &to) {
  // Place of each basis vector: bits inside a word first, then word bits, whatever is missing inside.
  auto places = [](const WordRegisters &registers) {
    BitVectors place;
    for (size_t i = 0; i < registers.inWord.size(); ++i)
      place.push_back(BitVector(1) << i);
    for (size_t i = 0; i < registers.words.size(); ++i)
      place.push_back(BitVector(1) << (kWordBits + i));
    return place;
  };
  BitVectors fromPlaces = places(from), toPlaces = places(to), fromVectors = from.inWord, toVectors = to.inWord;
  fromVectors.insert(fromVectors.end(), from.words.begin(), from.words.end());
  toVectors.insert(toVectors.end(), to.words.begin(), to.words.end());
  BitSpace space(fromVectors);
  BitVectors sourceOf(kWordBits + to.words.size(), 0); // for each bit of the result's byte number
  for (size_t i = 0; i < toVectors.size(); ++i) {
    BitVector source = combine(fromPlaces, *space.combination(toVectors[i]));
    for (size_t j = 0; j < fromVectors.size(); ++j)
      if (fromPlaces[j] == toPlaces[i] && fromVectors[j] == toVectors[i])
        source = fromPlaces[j];
    sourceOf[std::countr_zero(toPlaces[i])] = source;
  }
  BytePermute permute;
  for (uint64_t byte = 0; byte < 4 * to.count(); ++byte)
    permute.source.push_back(byte % 4 >> to.inWord.size() ? -1 : int32_t(combine(sourceOf, byte)));
  return permute;
}

bool BytePermute::isIdentity() const {
  for (size_t i = 0; i < source.size(); ++i)
    if (source[i] >= 0 && source[i] != int32_t(i))
      return false;
  return true;
}

unsigned BytePermute::instructions() const {
  unsigned count = 0;
  for (size_t word = 0; word < words(); ++word) {
    std::set<int32_t> sources;
    bool inPlace = true;
    for (size_t i = 0; i < 4; ++i)
      if (int32_t from = source[4 * word + i]; from >= 0) {
        sources.insert(from / 4);
        inPlace &= from % 4 == int32_t(i);
      }
    if (sources.size() > 1)
      count += sources.size() - 1;
    else
      count += !inPlace;
  }
  return count;
}

BitVectors adze::basisThrough(BitVectors first, std::initializer_list<BitVectors> lists) {
  for (const BitVectors &list : lists)
    first = extended(std::move(first), list);
  return first;
}

BitVectors adze::sharedVectors(const BitVectors &a, const BitVectors &b, const BitVectors &apart, unsigned most) {
  BitSpace inA(a), inB(b), taken(apart);
  BitVectors result, both = intersection(independent(a), independent(b));
  for (const BitVectors *candidates : {&b, &a, const_cast<const BitVectors *>(&both)})
    for (BitVector vector : *candidates)
      if (result.size() < most && inA.contains(vector) && inB.contains(vector) && !taken.contains(vector)) {
        taken.add(vector);
        result.push_back(vector);
      }
  return result;
}

bool adze::elementsFit(unsigned elementBits, std::initializer_list<const LinearMap *> layouts, std::string *reason) {
  bool fits = std::has_single_bit(elementBits) && elementBits >= 4 && elementBits <= 64;
  std::string text = "elements of 4, 8, 16, 32 or 64 bits are accepted, found " + std::to_string(elementBits);
  if (fits && elementBits == 4)
    for (const LinearMap *layout : layouts)
      if (layout->reg.empty() || layout->reg[0] == Coord{} || layout->reg[0] != (*layouts.begin())->reg[0]) {
        fits = false;
        text = "elements of 4 bits move as bytes: both layouts need the same register bit 0, found \"" +
               (*layouts.begin())->str() + "\" and \"" + layout->str() + "\"; unpack to bytes first";
      }
  if (!fits && reason)
    *reason = text;
  return fits;
}
