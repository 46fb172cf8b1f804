// Through shared memory, in an order made for the two layouts.
//
// Address bits are chosen from below. First the piece V: what a lane of one side (or both) moves at once, or a row of
// ldmatrix. Then the banks up to 128 bytes, then the rest, H. A phase of an access touches the span P of some lane
// bits; two of its words share a bank when their difference lies in H. So H is a common complement of what the phases
// of the stores and of the loads span, which always exists (BitSpace.h): with pieces that both sides can move whole,
// there are no conflicts at all. Other pieces (wider on one side, matrices) are tried as well and the cheapest wins.
//
// Lanes must not move inside a piece, so everything is first written in a basis through V and all lanes.
#include "ConversionSteps.h"
#include "SharedPlanning.h"

#include <algorithm>
#include <bit>

using namespace adze;

Scope Scope::of(const ByteMap &from, bool block) {
  Scope scope{block, from.reg};
  scope.generators.insert(scope.generators.end(), from.lane.begin(), from.lane.end());
  if (block)
    scope.generators.insert(scope.generators.end(), from.above.begin(), from.above.begin() + from.warps);
  return scope;
}

ByteMap Scope::within(const ByteMap &map, const ByteMap *from) const {
  ByteMap result = map;
  for (size_t i = block ? map.warps : 0; i < map.above.size(); ++i)
    result.above[i] = from ? map.above[i] ^ from->above[i] : 0;
  return result;
}

bool Scope::holds(const ByteMap &from, const ByteMap &to) const {
  BitSpace space(generators);
  return space.contains(to.reg) && space.contains(within(to, &from).threads());
}

namespace {
void shiftRight(ByteMap &map, unsigned bits) {
  for (BitVectors *group : {&map.reg, &map.lane, &map.above})
    for (BitVector &vector : *group)
      vector >>= bits;
  map.reg = independent(map.reg);
}

BitVectors first(BitVectors vectors, size_t most) {
  vectors.resize(std::min(vectors.size(), most));
  return vectors;
}

/// Pieces worth trying. Coordinates of both maps fill GF(2)^dims.
std::vector<BitVectors> pieces(const ByteMap &from, const ByteMap &to, const BitVectors &threads,
                               const SharedFacts &facts) {
  BitVectors common = sharedVectors(from.reg, to.reg, threads, kVectorBits);
  std::vector<BitVectors> result{common};
  for (const ByteMap *side : {&from, &to}) {
    BitVectors apart = basisThrough(threads, {common}), wide = common;
    BitVectors more = extended(apart, side->reg);
    wide.insert(wide.end(), more.begin() + apart.size(), more.end());
    result.push_back(first(wide, kVectorBits));
    const BitVectors &lane = side->lane;
    if ((side == &from ? facts.storeMatrix : facts.loadMatrix) && side->reg.size() >= kWordBits) {
      result.push_back({side->reg[0], side->reg[1], lane[0], lane[1]});
      result.push_back({side->reg[0], lane[2], lane[3], lane[4]});
    }
  }
  std::erase_if(result, [](const BitVectors &piece) { return rank(piece) != piece.size(); });
  return result;
}

/// Address bits for that piece such that neither phase has conflicts, as far as the piece allows.
BitVectors columnsFor(const BitVectors &basis, unsigned piece, const BitVectors &storePhase,
                      const BitVectors &loadPhase) {
  BitSpace coordinates(basis);
  unsigned dims = basis.size() - piece, banks = std::max(piece, std::min<unsigned>(kBankBits, basis.size())) - piece;
  auto above = [&](const BitVectors &vectors) {
    BitVectors result;
    for (BitVector vector : vectors)
      result.push_back(*coordinates.combination(vector) >> piece);
    return independent(result);
  };
  BitVectors store = above(storePhase), load = above(loadPhase), units = unitVectors(dims);
  // What fills a word together with a piece of fewer than 4 bytes belongs to both phases.
  BitVectors filling = first(basisThrough(intersection(store, load), {store, units}),
                             piece < kWordBits ? std::min(banks, kWordBits - piece) : 0);
  store = first(basisThrough(filling, {store, units}), banks);
  load = first(basisThrough(filling, {load, units}), banks);
  BitVectors upper = commonComplement(store, load, dims), columns(basis.begin(), basis.begin() + piece);
  for (const BitVectors *part : {&store, &upper})
    for (BitVector vector : *part)
      columns.push_back(combine(basis, vector << piece));
  return columns;
}

struct Candidate {
  PlannedAccess store, load;
  double cost;
};

std::optional<Candidate> cheapest(const ByteMap &from, const ByteMap &to, unsigned dims, const SharedFacts &facts) {
  std::optional<Candidate> best;
  BitVectors threads = basisThrough({}, {to.threads(), from.threads()});
  for (const BitVectors &piece : pieces(from, to, threads, facts)) {
    BitVectors basis = basisThrough(piece, {threads, from.reg, to.reg, unitVectors(dims)});
    // What each side could do with that piece decides the phases; the order above the piece does not change that.
    std::vector<BitVectors> phases[2];
    for (bool load : {false, true}) {
      const ByteMap &side = load ? to : from;
      phases[load].push_back(vectorAccess(basis, side, piece.size()).phase);
      for (bool transposed : {false, true})
        if (std::optional<PlannedAccess> matrix = matrixAccess(basis, side, transposed, nullptr))
          if (load ? facts.loadMatrix : facts.storeMatrix)
            phases[load].push_back(matrix->phase);
    }
    for (const BitVectors &storePhase : phases[0])
      for (const BitVectors &loadPhase : phases[1]) {
        BitVectors columns = columnsFor(basis, piece.size(), storePhase, loadPhase);
        Candidate candidate{cheapestAccess(columns, from, facts.storeMatrix),
                            cheapestAccess(columns, to, facts.loadMatrix), 0};
        unsigned permutes = permuteBytes(WordRegisters::of(from), candidate.store.registers).instructions() +
                            permuteBytes(candidate.load.registers, WordRegisters::of(to)).instructions();
        candidate.cost =
            candidate.store.access.wavefronts + candidate.load.access.wavefronts + permutes / 2.0 +
            (candidate.store.access.ofInstruction.size() + candidate.load.access.ofInstruction.size()) / 16.0;
        if (!best || candidate.cost < best->cost)
          best = std::move(candidate);
      }
  }
  return best;
}
} // namespace

std::optional<MovingStep<SharedStep>> adze::planShared(const ByteMap &from, const ByteMap &to,
                                                       const ConversionTarget &target, std::string &reason) {
  Scope scope = Scope::of(from, false);
  if (!scope.holds(from, to))
    scope = Scope::of(from, true);
  if (!scope.holds(from, to)) {
    reason = "the result needs coordinates that no warp of the same block holds";
    return std::nullopt;
  }
  MovingStep<SharedStep> plan;
  SharedStep &step = plan.step;
  step.perWarp = !scope.block;
  ByteMap source = scope.within(from, nullptr), result = scope.within(to, &from);

  // Slices: bits that are register bits of both sides and apart from every lane.
  unsigned dims = rank(scope.generators), available = target.scratchBytes >> (step.perWarp ? from.warps : 0);
  unsigned fitting = available ? std::bit_width(available) - 1 : 0, needed = dims > fitting ? dims - fitting : 0;
  BitVectors threads = basisThrough({}, {source.threads(), result.threads()});
  BitVectors common, slices;
  for (unsigned keep = kVectorBits + 1; keep-- > from.bytes;) { // wide pieces, unless slices need their bits
    common = sharedVectors(source.reg, result.reg, threads, keep);
    slices = sharedVectors(source.reg, result.reg, basisThrough(threads, {common}), needed);
    if (slices.size() == needed)
      break;
  }
  if (slices.size() < needed || !available) {
    uint64_t bytes = (uint64_t(1) << (dims - slices.size())) << (step.perWarp ? from.warps : 0);
    reason = "a conversion through shared memory needs " + std::to_string(bytes) + " bytes of it, allowed are " +
             std::to_string(target.scratchBytes);
    return std::nullopt;
  }
  BitVectors basis = basisThrough(slices, {common, threads, source.reg, result.reg});
  BitSpace coordinates(basis);
  source = source.inCoordinatesOf(coordinates);
  result = result.inCoordinatesOf(coordinates);
  shiftRight(source, slices.size());
  shiftRight(result, slices.size());
  dims -= slices.size();

  std::optional<Candidate> best = cheapest(source, result, dims, target.shared);
  step.bytes = 1u << dims;
  step.slices = 1u << slices.size();
  step.store = best->store.access;
  step.load = best->load.access;
  auto registersOf = [&](const WordRegisters &local) {
    WordRegisters registers;
    for (BitVector vector : local.inWord)
      registers.inWord.push_back(combine(basis, vector << slices.size()));
    for (BitVector vector : local.words)
      registers.words.push_back(combine(basis, vector << slices.size()));
    registers.words.insert(registers.words.end(), slices.begin(), slices.end());
    return registers;
  };
  plan.sent = registersOf(best->store.registers);
  plan.received = registersOf(best->load.registers);
  return plan;
}
