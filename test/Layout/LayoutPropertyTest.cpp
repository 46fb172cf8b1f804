// Properties of layouts and of what is planned from them, for random layouts: units in any order, sums of units,
// copies.
#include "ManualOrders.h"

#include "adze/Layout/GlobalAccess.h"
#include "adze/Layout/MmaLayouts.h"
#include "adze/Layout/SharedSwizzle.h"

#include <bit>
#include <map>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <set>

using namespace adze;

namespace {
unsigned below(unsigned bound) { return *rc::gen::resize(100, rc::gen::inRange(0u, bound)); }
std::mt19937 anyRandom() {
  return std::mt19937(*rc::gen::noShrink(rc::gen::resize(100, rc::gen::arbitrary<uint32_t>())));
}
template <class T> T oneOf(std::initializer_list<T> values) { return *rc::gen::elementOf(std::vector<T>(values)); }

BitVectors anyVectors(std::mt19937 &random, unsigned dims) {
  BitVectors vectors(random() % (dims + 2));
  for (BitVector &vector : vectors)
    vector = random() % (1u << dims);
  return vectors;
}

/// All sums.
std::set<BitVector> spanOf(const BitVectors &vectors) {
  std::set<BitVector> sums;
  for (uint64_t i = 0; i < uint64_t(1) << vectors.size(); ++i)
    sums.insert(combine(vectors, i));
  return sums;
}

/// Two layouts of one tile. Warps and blocks beyond `mixedWarps` hold the same data in both, up to a shift inside.
struct Pair {
  LinearMap from, to;
  unsigned elementBits;
};
Pair anyPair(unsigned mixedWarps) {
  Pair pair;
  std::mt19937 random = anyRandom();
  unsigned bits = 1 + below(10), rowBits = below(bits + 1);
  pair.elementBits = oneOf({4u, 8u, 16u, 32u, 64u});
  LinearMap above;
  for (unsigned i = below(2); i > 0; --i)
    above.warp.push_back({int64_t(1) << i, 0, 0, 0});
  for (unsigned i = below(2); i > 0; --i)
    above.block.push_back({0, int64_t(1) << i, 0, 0});
  for (LinearMap *layout : {&pair.from, &pair.to}) {
    *layout = randomLayout(random, bits, rowBits, mixedWarps, below(3)).product(above);
    if (pair.elementBits == 4) // codes move in pairs
      *layout = parsed("c1").product(*layout);
  }
  // What a warp or block of the result starts from may lie anywhere inside the same warp or block of the source.
  for (auto [group, first] : {std::pair(&pair.to.warp, size_t(mixedWarps)), {&pair.to.block, size_t(0)}})
    for (size_t i = first; i < group->size(); ++i) {
      const Coord &shift = pair.from.lane[random() % 5];
      for (unsigned d = 0; random() % 2 && d < kMaxDims; ++d)
        (*group)[i][d] ^= shift[d];
    }
  return pair;
}

/// Executes the plan; what it says about itself must be what happened.
void expectMoves(const Pair &pair, const ConversionPlan &plan) {
  ExecutionCounts counts;
  RegisterFile out = applyPlan(plan, filled(pair.from, pair.elementBits), counts);
  unsigned warps = threadsOf(pair.from) / 32;
  RC_LOG() << pair.from.str() << " -> " << pair.to.str() << " x" << pair.elementBits << ": " << describe(plan) << "\n";
  RC_ASSERT(counts.fault == "");
  RC_ASSERT(out.words == wordsOf(pair.to, pair.elementBits));
  RC_ASSERT(wrongElements(pair.to, pair.elementBits, out) == 0u);
  RC_ASSERT(counts.shuffles == (plan.shuffle ? warps * plan.shuffle->shuffles() : 0));
  if (plan.shared) {
    RC_ASSERT(counts.storeWavefronts == uint64_t(warps) * plan.shared->slices * plan.shared->store.wavefronts);
    RC_ASSERT(counts.loadWavefronts == uint64_t(warps) * plan.shared->slices * plan.shared->load.wavefronts);
  }
}

/// An order of 16- or 8-bit elements near those of the hardware: one of them, or with two address bits exchanged, or
/// with one bit that moves along another one's vector as well.
LinearMap nearlyCanonical(std::mt19937 &random, unsigned elementBits) {
  int64_t columns = int64_t(32) << below(3), rows = int64_t(8) << below(4);
  std::optional<LinearMap> storage = sharedStorage(rows, columns, elementBits, oneOf({0u, 32u, 64u, 128u}));
  RC_PRE(storage.has_value());
  std::vector<Coord> &bits = storage->reg;
  size_t i = random() % bits.size(), j = random() % bits.size();
  unsigned change = below(4);
  if (change == 0)
    std::swap(bits[i], bits[j]);
  if (change == 1 && i != j)
    for (unsigned d = 0; d < kMaxDims; ++d)
      bits[i][d] ^= bits[j][d];
  if (change == 2) // core matrices: 8 rows of 16 bytes together
    std::rotate(bits.begin() + (elementBits == 8 ? 4 : 3), bits.begin() + std::countr_zero(uint64_t(columns)),
                bits.end());
  return below(2) ? *storage : storage->transposed();
}

/// A tile in shared memory in one of the hardware's orders, rows or columns contiguous.
struct SharedTile {
  LinearMap storage;
  unsigned elementBits, rowBits, columnBits;
};
SharedTile anySharedTile() {
  SharedTile tile;
  tile.elementBits = oneOf({8u, 16u, 32u});
  tile.rowBits = below(6);
  tile.columnBits = 2 + below(6);
  std::optional<LinearMap> storage =
      sharedStorage(1 << tile.rowBits, 1 << tile.columnBits, tile.elementBits, oneOf({0u, 32u, 64u, 128u}));
  RC_PRE(storage.has_value());
  tile.storage = *storage;
  if (below(2)) {
    tile.storage = tile.storage.transposed();
    std::swap(tile.rowBits, tile.columnBits);
  }
  return tile;
}
} // namespace

RC_GTEST_PROP(BitSpace, HoldsExactlyTheSumsOfItsVectors, ()) {
  std::mt19937 random = anyRandom();
  unsigned dims = 1 + below(8);
  BitVectors vectors = anyVectors(random, dims);
  BitSpace space(vectors);
  std::set<BitVector> sums = spanOf(vectors);
  RC_ASSERT(sums.size() == size_t(1) << space.rank());
  for (BitVector vector = 0; vector < BitVector(1) << dims; ++vector) {
    std::optional<uint64_t> sum = space.combination(vector);
    RC_ASSERT(sum.has_value() == (sums.count(vector) != 0));
    if (sum) {
      RC_ASSERT(combine(vectors, *sum) == vector);
      for (uint64_t lower = 0; lower < *sum; ++lower)
        RC_ASSERT(combine(vectors, lower) != vector);
    }
  }
}

RC_GTEST_PROP(BitSpace, IntersectsAsSetsDo, ()) {
  std::mt19937 random = anyRandom();
  unsigned dims = 1 + below(8);
  BitVectors a = independent(anyVectors(random, dims)), b = independent(anyVectors(random, dims));
  std::set<BitVector> inA = spanOf(a), inB = spanOf(b), both;
  std::ranges::set_intersection(inA, inB, std::inserter(both, both.end()));
  BitVectors shared = intersection(a, b);
  RC_ASSERT(rank(shared) == shared.size());
  RC_ASSERT(spanOf(shared) == both);
}

RC_GTEST_PROP(BitSpace, FindsACommonComplementOfAnyTwoSpacesOfOneRank, ()) {
  std::mt19937 random = anyRandom();
  unsigned dims = 1 + below(10);
  BitVectors a = independent(anyVectors(random, dims)), b = independent(anyVectors(random, dims));
  a.resize(std::min(a.size(), b.size()));
  b.resize(a.size());
  BitVectors complement = commonComplement(a, b, dims);
  RC_ASSERT(complement.size() == dims - a.size());
  RC_ASSERT(rank(extended(a, complement)) == dims);
  RC_ASSERT(rank(extended(b, complement)) == dims);
}

RC_GTEST_PROP(LinearMap, PrintsWhatItParsesWithBlocks, ()) {
  Pair pair = anyPair(below(3));
  RC_ASSERT(LinearMap::parse(pair.from.str()) == pair.from);
}

RC_GTEST_PROP(LinearMap, AProductPutsTilesWhereTheOuterMapSays, ()) {
  std::mt19937 random = anyRandom();
  LinearMap tile = randomLayout(random, 4, below(5), below(2), below(2));
  LinearMap outer = randomLayout(random, 4, below(5), below(2), below(2)), whole = tile.product(outer);
  Coord box = tile.extents();
  // Index bits of the whole: for each group the tile's, then the outer's.
  uint64_t inner = random() % (1u << tile.bits()), over = random() % (1u << outer.bits()), index = 0;
  unsigned place = 0, innerPlace = 0, outerPlace = 0;
  for (unsigned group = 0; group < 4; ++group) {
    for (size_t i = 0; i < tile.groups()[group]->size(); ++i)
      index |= (inner >> innerPlace++ & 1) << place++;
    for (size_t i = 0; i < outer.groups()[group]->size(); ++i)
      index |= (over >> outerPlace++ & 1) << place++;
  }
  Coord expected = tile.apply(inner), which = outer.apply(over);
  for (unsigned d = 0; d < kMaxDims; ++d)
    expected[d] += which[d] * box[d];
  RC_ASSERT(whole.apply(index) == expected);
  RC_ASSERT(whole.divide(tile) == outer);
}

RC_GTEST_PROP(LinearMap, ReshapingKeepsRowMajorNumbers, ()) {
  std::mt19937 random = anyRandom();
  LinearMap map = randomLayout(random, 8, 3, 1, below(2));
  int64_t from[] = {8, 32}, to[] = {2, 4, 16, 2};
  std::optional<LinearMap> other = map.reshaped(from, to);
  RC_ASSERT(other.has_value());
  uint64_t index = random() % (1u << map.bits());
  Coord a = map.apply(index), b = other->apply(index);
  RC_ASSERT(a[0] * 32 + a[1] == ((b[0] * 4 + b[1]) * 16 + b[2]) * 2 + b[3]);
  RC_ASSERT(other->reshaped(to, from) == map);
}

RC_GTEST_PROP(GlobalAccess, PromisesOnlyRunsThatAreThere, ()) {
  std::mt19937 random = anyRandom();
  LinearMap map = randomLayout(random, 6 + below(4), below(6), 0, below(2));
  unsigned elementBits = oneOf({8u, 16u, 32u}), innermost = below(2);
  GlobalAccess access = globalAccess(map, innermost, elementBits);
  RC_ASSERT(access.bytes == access.elements * elementBits / 8);
  RC_ASSERT(access.bytes <= 16u);
  // The elements of lane 0 hold an aligned run of that length, and the lanes together one of that many times more.
  auto holdsRun = [&](unsigned lanes, int64_t length) {
    std::set<Coord> coords;
    forEachElement(map, [&](unsigned thread, unsigned, const Coord &coord) {
      if (thread < lanes)
        coords.insert(coord);
    });
    for (int64_t x = 0; x < length; ++x) {
      Coord coord{};
      coord[innermost] = x;
      if (!coords.count(coord))
        return false;
    }
    return true;
  };
  RC_ASSERT(holdsRun(1, access.elements));
  RC_ASSERT(holdsRun(32, int64_t(access.elements) * access.lanes));
  int64_t wider = 2 * int64_t(access.elements);
  RC_ASSERT(access.bytes == 16u || !holdsRun(1, wider));
  // Sectors of what each lane reads when its first register is at the start of a run.
  std::set<std::pair<Coord, int64_t>> sectors;
  for (unsigned lane = 0; lane < 32; ++lane) {
    Coord coord = map.apply(uint64_t(lane) << map.reg.size());
    int64_t sector = coord[innermost] * elementBits / 256;
    coord[innermost] = 0;
    sectors.insert({coord, sector});
  }
  RC_ASSERT(access.sectors == sectors.size());
}

RC_GTEST_PROP(SharedAccess, LoadsWhatTheStorageHoldsAndPredictsItsWavefronts, ()) {
  SharedTile tile = anySharedTile();
  std::mt19937 random = anyRandom();
  unsigned warpBits = below(3), elementBytes = tile.elementBits / 8;
  LinearMap layout = randomLayout(random, tile.rowBits + tile.columnBits, tile.rowBits, warpBits, below(3));
  RC_LOG() << tile.storage.str() << " / " << layout.str() << " x" << tile.elementBits << "\n";
  std::string reason, fault;
  std::optional<SharedTransfer> load = planSharedTransfer(tile.storage, layout, tile.elementBits, false, {}, &reason);
  RC_ASSERT(reason == "");
  std::vector<uint8_t> memory(elementBytes << tile.storage.bits());
  for (uint64_t address = 0; address < uint64_t(1) << tile.storage.bits(); ++address)
    for (unsigned byte = 0; byte < elementBytes; ++byte)
      memory[address * elementBytes + byte] =
          uint8_t(valueOf(tile.storage.apply(address), tile.elementBits) >> 8 * byte);
  unsigned words = std::max(1u, load->access.bytes / 4) * load->access.ofInstruction.size(), warps = 1u << warpBits;
  RegisterFile registers(words, 32 * warps);
  for (unsigned warp = 0; warp < warps; ++warp) {
    uint64_t steps = applyAccess(load->access, false, memory, registers, 32 * warp, warp, 0, fault);
    RC_ASSERT(steps == load->access.wavefronts);
  }
  RC_ASSERT(fault == "");
  RC_ASSERT(wrongElements(layout, tile.elementBits, applyPermute(load->permute, registers)) == 0u);

  // The same layout stored gives the same memory.
  std::optional<SharedTransfer> store = planSharedTransfer(tile.storage, layout, tile.elementBits, true);
  std::vector<uint8_t> written(memory.size(), 0xCD);
  RegisterFile source = applyPermute(store->permute, filled(layout, tile.elementBits));
  for (unsigned warp = 0; warp < warps; ++warp)
    RC_ASSERT(applyAccess(store->access, true, written, source, 32 * warp, warp, 0, fault) == store->access.wavefronts);
  RC_ASSERT(fault == "");
  RC_ASSERT(written == memory);
}

RC_GTEST_PROP(SharedSwizzle, IsTheExchangeOfPiecesThatTmaMakes, ()) {
  unsigned swizzle = oneOf({32u, 64u, 128u}), elementBits = oneOf({8u, 16u, 32u}), panels = 1u << below(3);
  int64_t rows = int64_t(8) << below(4), width = swizzle * 8 / elementBits;
  std::optional<LinearMap> storage = sharedStorage(rows, width * panels, elementBits, swizzle);
  RC_ASSERT(storage.has_value());
  int64_t row = below(rows), column = below(width * panels);
  // Box by box, row by row, then the 16-byte piece number is XORed with bits of the 128-byte line number.
  uint32_t address = uint32_t(column / width * rows + row) * swizzle + uint32_t(column % width * elementBits / 8);
  uint32_t line = address / 128 % (swizzle / 16);
  RC_ASSERT(storage->apply((address ^ line << 4) * 8 / elementBits) == (Coord{row, column, 0, 0}));
}

RC_GTEST_PROP(WgmmaDescriptor, ReadsEveryElementOfAnyOrderThatItAccepts, ()) {
  std::mt19937 random = anyRandom();
  unsigned elementBits = oneOf({8u, 16u});
  LinearMap storage = nearlyCanonical(random, elementBits);
  int64_t rows = int64_t(8) << below(4);
  std::string reason;
  std::optional<WgmmaDescriptor> found = wgmmaDescriptor(storage, rows, elementBits, &reason);
  RC_LOG() << storage.str() << " " << reason << "\n";
  RC_ASSERT(found.has_value() == reason.empty());
  if (found)
    RC_ASSERT(wrongReads(storage, *found, rows, elementBits) == 0u);
}

RC_GTEST_PROP(TmaTile, WritesEveryElementOfAnyOrderThatItAccepts, ()) {
  std::mt19937 random = anyRandom();
  unsigned elementBits = oneOf({8u, 16u});
  LinearMap storage = nearlyCanonical(random, elementBits);
  std::string reason;
  std::optional<TmaTile> tile = tmaTileOf(storage, elementBits, &reason);
  RC_LOG() << storage.str() << " " << reason << "\n";
  RC_ASSERT(tile.has_value() == reason.empty());
  if (tile)
    RC_ASSERT(wrongCopies(storage, *tile, elementBits) == 0u);
}

RC_GTEST_PROP(MmaLayouts, CoverTheirTilesAndDivideIntoInstructions, ()) {
  const MmaInstruction &row = mmaInstructions()[below(mmaInstructions().size())];
  int64_t groupsM = 1 << below(3), groupsN = 1 << below(3);
  int64_t m = row.m * groupsM << below(3), n = row.n * groupsN << below(4), k = row.k << below(3);
  std::optional<MmaLayouts> layouts = mmaLayouts(row, m, n, k, groupsM, groupsN);
  RC_ASSERT(layouts.has_value());
  RC_ASSERT(layouts->a.covers(std::array{m, k}));
  RC_ASSERT(layouts->d.covers(std::array{m, n}));
  RC_ASSERT(mmaTiling(row, MmaRole::A, layouts->a).has_value());
  RC_ASSERT(mmaTiling(row, MmaRole::D, layouts->d).has_value());
  if (layouts->b)
    RC_ASSERT(layouts->b->covers(std::array{n, k}));
  // No two lanes hold one element of d.
  RC_ASSERT(layouts->d.rank() == layouts->d.bits());
}

RC_GTEST_PROP(Conversion, MovesAnyLayoutToAnyOther, ()) {
  Pair pair = anyPair(below(3));
  std::string reason;
  std::optional<ConversionPlan> plan = planConversion(pair.from, pair.to, pair.elementBits, {}, &reason);
  RC_ASSERT(reason == "");
  expectMoves(pair, *plan);
}

RC_GTEST_PROP(Conversion, NeedsOneShuffleForEachWordWhereWarpsAgree, ()) {
  Pair pair = anyPair(0);
  ConversionTarget target;
  target.scratchBytes = 0;
  std::string reason;
  std::optional<ConversionPlan> plan = planConversion(pair.from, pair.to, pair.elementBits, target, &reason);
  RC_ASSERT(reason == "");
  expectMoves(pair, *plan);
  unsigned elements = 1u << pair.to.reg.size();
  if (plan->shuffle)
    RC_ASSERT(plan->shuffle->rounds.size() <= elements * std::max(1u, pair.elementBits / 32));
}

RC_GTEST_PROP(Conversion, ThroughSharedMemoryHasNoBankConflicts, ()) {
  Pair pair = anyPair(below(3));
  ConversionTarget target;
  target.shuffles = false;
  std::string reason;
  std::optional<ConversionPlan> plan = planConversion(pair.from, pair.to, pair.elementBits, target, &reason);
  RC_ASSERT(reason == "");
  expectMoves(pair, *plan);
  if (plan->shared && pair.elementBits == 32) {
    // Whole words: as many wavefronts as there are words, or fewer where lanes hold copies; the instructions count too.
    unsigned least = 0;
    for (const LinearMap *layout : {&pair.from, &pair.to})
      least += 1u << rank(flatten(layout->reg, layout->extents()));
    unsigned found = plan->shared->slices * (plan->shared->store.wavefronts + plan->shared->load.wavefronts);
    RC_ASSERT(found <= least + least / 16);
  }
}

RC_GTEST_PROP(Conversion, KeepsToTheSharedMemoryThatItMayUse, ()) {
  Pair pair = anyPair(below(3));
  ConversionTarget target;
  target.shuffles = false;
  target.scratchBytes = 256u << below(6);
  std::string reason;
  std::optional<ConversionPlan> plan = planConversion(pair.from, pair.to, pair.elementBits, target, &reason);
  if (!plan) {
    RC_ASSERT(reason.find("bytes of it, allowed are " + std::to_string(target.scratchBytes)) != std::string::npos);
    return;
  }
  expectMoves(pair, *plan);
  if (plan->shared)
    RC_ASSERT((plan->shared->bytes << (plan->shared->perWarp ? plan->warpBits : 0)) <= target.scratchBytes);
}

RC_GTEST_PROP(Conversion, OfALayoutToItselfIsNothing, ()) {
  Pair pair = anyPair(below(3));
  std::optional<ConversionPlan> plan = planConversion(pair.from, pair.from, pair.elementBits);
  RC_ASSERT(plan.has_value());
  RC_ASSERT(plan->kind == ConversionPlan::Kind::Nothing);
}

RC_GTEST_PROP(Conversion, RenamesOrPermutesWhereOnlyRegistersDiffer, ()) {
  Pair pair = anyPair(below(2));
  std::mt19937 random = anyRandom();
  pair.to = pair.from;
  size_t fixed = pair.elementBits == 4; // pairs of codes stay
  for (size_t i = fixed + 1; i < pair.to.reg.size(); ++i)
    std::swap(pair.to.reg[i], pair.to.reg[fixed + random() % (i + 1 - fixed)]);
  std::optional<ConversionPlan> plan = planConversion(pair.from, pair.to, pair.elementBits);
  RC_ASSERT(plan.has_value());
  expectMoves(pair, *plan);
  RC_ASSERT(plan->kind <= ConversionPlan::Kind::PermuteBytes);
  if (pair.elementBits >= 32)
    RC_ASSERT(plan->cost == 0.0);
}
