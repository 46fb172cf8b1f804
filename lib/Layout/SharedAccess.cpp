#include "adze/Layout/SharedAccess.h"

#include "SharedPlanning.h"

#include <algorithm>
#include <tuple>

using namespace adze;

unsigned adze::wavefrontsOf(std::span<const BitVector> addresses) {
  BitVectors words, banks;
  for (BitVector address : addresses) {
    words.push_back(address >> kWordBits);
    banks.push_back(address >> kWordBits & 31);
  }
  return 1u << (rank(words) - rank(banks));
}

namespace {
/// Fills what all accesses share: the constants of the instructions and the wavefronts. `left` are the register bits
/// that number instructions; a phase is made of the first `phaseLanes` bits of ofLane and of 2^pieceBits bytes.
void finish(PlannedAccess &plan, const BitSpace &addresses, const BitVectors &left, unsigned phases,
            unsigned phaseLanes, unsigned pieceBits) {
  BitVectors offsets;
  for (BitVector vector : left)
    offsets.push_back(*addresses.combination(vector));
  for (uint64_t j = 0; j < uint64_t(1) << left.size(); ++j)
    plan.access.ofInstruction.push_back(uint32_t(combine(offsets, j)));
  BitVectors phase = unitVectors(pieceBits);
  for (unsigned i = 0; i < phaseLanes; ++i)
    phase.push_back(plan.access.ofLane[i]);
  plan.access.minimum = phases << left.size();
  plan.access.wavefronts = plan.access.minimum * wavefrontsOf(phase);
}

uint32_t addressOf(const BitSpace &addresses, BitVector vector) { return uint32_t(*addresses.combination(vector)); }
} // namespace

PlannedAccess adze::vectorAccess(const BitVectors &columns, const ByteMap &map, unsigned mostBits) {
  BitSpace addresses(columns), registers(map.reg);
  PlannedAccess plan;
  unsigned bits = 0;
  while (bits < mostBits && bits < columns.size() && registers.contains(columns[bits]))
    ++bits;
  for (BitVector vector : map.lane)
    plan.access.ofLane.push_back(addressOf(addresses, vector));
  for (BitVector vector : map.above)
    plan.access.ofThread.push_back(addressOf(addresses, vector));
  for (const std::vector<uint32_t> *threads : {&plan.access.ofLane, &plan.access.ofThread})
    for (uint32_t address : *threads)
      while (address & ((1u << bits) - 1))
        --bits;
  plan.access.bytes = 1u << bits;

  BitVectors piece(columns.begin(), columns.begin() + bits);
  BitVectors all = extended(piece, map.reg), left(all.begin() + bits, all.end());
  for (BitVector &vector : left) // start each instruction at a piece's first byte
    vector ^= combine(piece, addressOf(addresses, vector) & ((1u << bits) - 1));
  unsigned inWord = std::min(bits, kWordBits);
  plan.registers.inWord.assign(piece.begin(), piece.begin() + inWord);
  plan.registers.words.assign(piece.begin() + inWord, piece.end());
  plan.registers.words.insert(plan.registers.words.end(), left.begin(), left.end());
  unsigned phaseBits = bits > kWordBits ? bits - kWordBits : 0;
  plan.phase.assign(map.lane.begin(), map.lane.end() - phaseBits);
  finish(plan, addresses, left, 1u << phaseBits, kLaneBits - phaseBits, bits);
  return plan;
}

std::optional<PlannedAccess> adze::matrixAccess(const BitVectors &columns, const ByteMap &map, bool transposed,
                                                std::string *reason) {
  constexpr uint32_t row = 15; // place inside a row of 16 bytes
  auto refuse = [&](const std::string &what, uint32_t found, const std::string &needed) {
    if (reason)
      *reason = "a matrix of 8 rows of 16 bytes" + std::string(transposed ? ", transposed," : "") + " needs " + what +
                " to add " + needed + " to the address; it adds " + std::to_string(found);
    return std::nullopt;
  };
  BitSpace addresses(columns), registers(map.reg);
  // Lanes: two bits run inside a row (three where transposed), the others from row to row.
  std::vector<uint32_t> lanes;
  for (unsigned i = 0; i < kLaneBits; ++i) {
    uint32_t address = addressOf(addresses, map.lane[i]);
    bool inside = transposed ? i >= 2 : i < 2;
    uint32_t place = !inside ? 0 : transposed ? 2u << (i - 2) : 4u << i;
    if (inside ? address != place : (address & row) != 0)
      return refuse("lane bit " + std::to_string(i), address, inside ? std::to_string(place) : "a multiple of 16");
    lanes.push_back(address);
  }
  PlannedAccess plan;
  for (BitVector vector : map.above) {
    uint32_t address = addressOf(addresses, vector);
    if (address & row)
      return refuse("each bit of the warp and block number", address, "a multiple of 16");
    plan.access.ofThread.push_back(address);
  }
  // Registers: what a word holds (4 bytes of a row, or 2 bytes of two rows), then whole rows.
  unsigned units = transposed ? 1 : 2;
  for (unsigned i = 0; i < units; ++i)
    if (i >= columns.size() || !registers.contains(columns[i]))
      return refuse("a register bit", 0, std::to_string(1u << i));
  BitVectors inWord(columns.begin(), columns.begin() + units);
  BitVectors all = extended(inWord, map.reg), left(all.begin() + units, all.end());
  for (BitVector &vector : left) {
    uint32_t address = addressOf(addresses, vector);
    vector ^= combine(inWord, address & ((1u << units) - 1));
    if (address & row & ~((1u << units) - 1))
      return refuse("each other register bit", address, "a multiple of 16");
  }
  if (transposed) {
    if (left.empty())
      return refuse("a register bit", 0, "the distance of two rows");
    inWord.push_back(left[0]);
    left.erase(left.begin());
  }
  plan.registers = {inWord, left};
  unsigned matrices = std::min<size_t>(2, left.size());
  plan.access.kind = transposed ? SharedAccess::Kind::TransposedMatrix : SharedAccess::Kind::Matrix;
  plan.access.bytes = 4u << matrices;
  plan.access.ofLane = transposed ? std::vector<uint32_t>{addressOf(addresses, inWord[1]), lanes[0], lanes[1]}
                                  : std::vector<uint32_t>{lanes[2], lanes[3], lanes[4]};
  plan.phase =
      transposed ? BitVectors{inWord[1], map.lane[0], map.lane[1]} : BitVectors{map.lane[2], map.lane[3], map.lane[4]};
  for (unsigned i = 0; i < 2; ++i)
    plan.access.ofLane.push_back(i < matrices ? addressOf(addresses, left[i]) : 0);
  left.erase(left.begin(), left.begin() + matrices);
  finish(plan, addresses, left, 1u << matrices, 3, kVectorBits);
  return plan;
}

PlannedAccess adze::cheapestAccess(const BitVectors &columns, const ByteMap &map, bool matrices) {
  WordRegisters own = WordRegisters::of(map);
  auto cost = [&](const PlannedAccess &plan) {
    return std::tuple(plan.access.wavefronts, plan.access.ofInstruction.size(),
                      permuteBytes(own, plan.registers).instructions());
  };
  PlannedAccess best = vectorAccess(columns, map, kVectorBits);
  for (unsigned bits = std::max(kWordBits, map.bytes); bits < kVectorBits; ++bits) // wider is not always cheaper
    if (PlannedAccess narrower = vectorAccess(columns, map, bits); cost(narrower) < cost(best))
      best = std::move(narrower);
  for (bool transposed : {false, true})
    if (std::optional<PlannedAccess> other = matrices ? matrixAccess(columns, map, transposed, nullptr) : std::nullopt)
      if (cost(*other) < cost(best))
        best = *other;
  return best;
}

namespace {
/// Columns and registers of a tile in shared memory as bytes; empty with a reason where that is impossible.
std::optional<std::pair<BitVectors, ByteMap>> asBytes(const LinearMap &storage, const LinearMap &registers,
                                                      unsigned elementBits, std::string *reason) {
  auto refuse = [&](std::string text) -> std::optional<std::pair<BitVectors, ByteMap>> {
    if (reason)
      *reason = std::move(text);
    return std::nullopt;
  };
  if (!elementsFit(elementBits, {&storage, &registers}, reason))
    return std::nullopt;
  if (registers.lane.size() != kLaneBits)
    return refuse("a warp has 5 lane bits; \"" + registers.str() + "\" has " + std::to_string(registers.lane.size()));
  Coord box = storage.extents(), reached = registers.extents();
  for (unsigned d = 0; d < kMaxDims; ++d)
    box[d] = std::max(box[d], reached[d]);
  ByteMap columns = ByteMap::of(storage, box, elementBits), map = ByteMap::of(registers, box, elementBits);
  if (!columns.lane.empty() || !columns.above.empty() || rank(columns.reg) != columns.reg.size())
    return refuse("storage \"" + storage.str() + "\" is no map from address bits to different elements");
  BitSpace space(columns.reg);
  if (!space.contains(map.reg) || !space.contains(map.threads()))
    return refuse("registers \"" + registers.str() + "\" reach coordinates that storage \"" + storage.str() +
                  "\" does not hold");
  return std::pair(columns.reg, map);
}

SharedTransfer transfer(const PlannedAccess &plan, const ByteMap &map, bool store) {
  WordRegisters own = WordRegisters::of(map);
  return {plan.access, store ? permuteBytes(own, plan.registers) : permuteBytes(plan.registers, own)};
}
} // namespace

std::optional<SharedTransfer> adze::planSharedTransfer(const LinearMap &storage, const LinearMap &registers,
                                                       unsigned elementBits, bool store, const SharedFacts &facts,
                                                       std::string *reason) {
  auto bytes = asBytes(storage, registers, elementBits, reason);
  if (!bytes)
    return std::nullopt;
  const auto &[columns, map] = *bytes;
  return transfer(cheapestAccess(columns, map, store ? facts.storeMatrix : facts.loadMatrix), map, store);
}

std::optional<SharedTransfer> adze::planMatrixTransfer(const LinearMap &storage, const LinearMap &registers,
                                                       unsigned elementBits, bool store, bool transposed,
                                                       std::string *reason) {
  auto bytes = asBytes(storage, registers, elementBits, reason);
  if (!bytes)
    return std::nullopt;
  const auto &[columns, map] = *bytes;
  std::optional<PlannedAccess> plan = matrixAccess(columns, map, transposed, reason);
  return plan ? std::optional(transfer(*plan, map, store)) : std::nullopt;
}
