// Copies in flight: cp.async from memory into slots of shared memory, and reading the slots.
//
// A slot's tile has an order of its own, a linear map from addresses to coordinates. A thread copies what its layout
// names, piece by piece: the address in memory is a load's, the address in the slot the map's inverse, XORs of
// constants. Copies of one thread lie in shared memory when that thread has waited for their group, and for the others
// behind the barrier that follows; so a wait is both.
#include "ThreadEmitter.h"

#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze;
using namespace adze::tile;

static constexpr unsigned kLaneBits = 5;

static LinearMap orderOf(RankedTensorType tile) {
  return *LinearMap::parse(cast<SharedOrderAttr>(tile.getEncoding()).getMap());
}

static int64_t bytesOf(RankedTensorType tile) {
  return std::max<int64_t>(1, tile.getNumElements() * tile.getElementTypeBitWidth() / 8);
}

void ThreadEmitter::ring(RingOp op) {
  Ring state{0, 0, {}};
  for (Type field : op.getResult().getType().getFields()) {
    state.fields.push_back(state.slotBytes);
    state.slotBytes += int64_t(llvm::alignTo(bytesOf(cast<RankedTensorType>(field)), kSharedAlignment));
  }
  // Used up to the last op of this block that has a user in it.
  Operation *last = nullptr;
  for (Operation *user : op.getResult().getUsers()) {
    Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
    if (!last || last->isBeforeInBlock(here))
      last = here;
  }
  state.offset = allocateShared(state.slotBytes * op.getResult().getType().getStages(), last);
  beginShared();
  rings[op.getResult()] = state;
}

/// i32: where a slot's field begins in shared memory.
Value ThreadEmitter::fieldAddress(Value ring, Value slot, int64_t field) {
  const Ring &state = rings.find(ring)->second;
  Value number = arith::IndexCastOp::create(b, loc, b.getI32Type(), scalars.lookup(slot));
  return add(mul(number, i32(state.slotBytes)), i32(state.offset + state.fields[field]));
}

void ThreadEmitter::put(PutOp op) {
  auto field = cast<RankedTensorType>(op.getRing().getType().getFields()[op.getField()]);
  auto tile = RankedTensorType::get(field.getShape(), field.getElementType(), op.getThreadsAttr());
  std::optional<LinearMap> layout = layoutOf(op, tile);
  std::optional<Access> access;
  if (layout)
    access = makeAccess(op, op.getView(), op.getOffsets(), tile, op.getDims(), op.getInBounds(), /*mayOverread=*/true);
  if (!access || !rings.contains(op.getRing()))
    return;
  LinearMap order = orderOf(field);
  int64_t bits = access->bits, piece = (bits << access->vectorBits) / 8;
  bool together = piece >= 4;
  for (auto [i, bit] : llvm::enumerate(access->vector))
    together &= order.find(layout->reg[bit]) == int64_t(1) << i;
  if (!together) {
    refuse(op, "a thread copies 4, 8 or 16 bytes that are neighbours in memory and in the slot; found " + Twine(piece) +
                   (piece < 4 ? "" : " that the slot keeps apart"));
    return;
  }
  SmallVector<uint32_t> ofLane, ofThread;
  uint32_t copies = 0;
  unsigned bit = 0;
  for (const std::vector<Coord> *group : {&layout->lane, &layout->warp})
    for (const Coord &basis : *group) {
      (bit < kLaneBits ? ofLane : ofThread).push_back(uint32_t(order.find(basis) * bits / 8));
      copies |= uint32_t(basis == Coord{}) << bit++;
    }
  // Of threads that would copy the same the first does.
  OpBuilder::InsertionGuard guard(b);
  if (copies) {
    Value mine = arith::AndIOp::create(b, loc, thread, i32(copies));
    auto branch = scf::IfOp::create(b, loc, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, mine, i32(0)));
    b.setInsertionPointToStart(branch.thenBlock());
  }
  Value base = sharedPointer(fieldAddress(op.getRing(), op.getSlot(), op.getField()));
  Value start = threadXor(ofLane, ofThread);
  std::string name =
      std::string("llvm.nvvm.cp.async.") + (piece == 16 ? "cg" : "ca") + ".shared.global." + std::to_string(piece);
  uint64_t moved = 0;
  for (unsigned member : access->vector)
    moved |= uint64_t(1) << member;
  for (uint64_t reg = 0; reg < uint64_t(1) << layout->reg.size(); ++reg) {
    if (reg & moved)
      continue;
    Coord coord = coordOf(*layout, reg);
    Value exists = condition(*access, coord), place = addressOf(*access, reg);
    Value bytes = bits < 8 ? Value(arith::ShRUIOp::create(b, loc, place, i64(1))) : mul(place, i64(bits / 8));
    Value from = gep(access->pointer, bytes);
    Value address = i32(order.find(coord) * bits / 8);
    if (start)
      address = b.createOrFold<arith::XOrIOp>(loc, start, address);
    SmallVector<Value> operands{gep(base, address), from};
    if (exists) { // nothing is read of what lies outside, and zeros are written
      operands[1] = arith::SelectOp::create(b, loc, exists, from, access->pointer);
      operands.push_back(arith::SelectOp::create(b, loc, exists, i32(piece), i32(0)));
    }
    instruction(exists ? name + ".s" : name, operands);
  }
}

void ThreadEmitter::wait(WaitOp op) {
  int64_t pending = op.getPending() + (ADZE_MUTANT("gpu-wait-one-too-few") ? 1 : 0);
  instruction("llvm.nvvm.cp.async.wait.group", {i32(pending)});
  if (!ADZE_MUTANT("gpu-wait-without-barrier"))
    barrier();
  sharedIsRead = false;
}

void ThreadEmitter::get(GetOp op) {
  if (rings.contains(op.getRing()))
    slotTiles[op.getResult()] = fieldAddress(op.getRing(), op.getSlot(), op.getField());
}

/// A slot's tile to registers: the plan says which instruction moves what.
void ThreadEmitter::readSlot(ConvertLayoutOp op) {
  auto from = cast<RankedTensorType>(op.getValue().getType());
  RankedTensorType to = op.getResult().getType();
  std::optional<LinearMap> layout = layoutOf(op, to);
  auto found = slotTiles.find(op.getValue());
  if (!layout || found == slotTiles.end()) {
    if (layout)
      refuse(op, "the tile is no field of a ring in this kernel's grid");
    return;
  }
  unsigned bits = to.getElementTypeBitWidth();
  std::string reason;
  auto plan = planSharedTransfer(orderOf(from), *layout, bits, /*store=*/false,
                                 {.loadMatrix = true, .storeMatrix = gpu.storeMatrix}, &reason);
  if (!plan) {
    refuse(op, reason);
    return;
  }
  const SharedAccess &how = plan->access;
  Registers words(std::max(1u, how.bytes / 4) * how.ofInstruction.size());
  access(how, /*store=*/false, sharedPointer(found->second), words, 0);
  words = permute(plan->permute, words);
  size_t count = size_t(1) << layout->reg.size();
  tiles[op.getResult()] = bits == 4 ? unpackCodes(words, count) : unpack(words, to.getElementType(), count);
}

/// Codes of four bits, eight in a word, the first in the lowest.
ThreadEmitter::Registers ThreadEmitter::unpackCodes(ArrayRef<Value> words, size_t count) {
  Registers codes;
  for (Value word : words)
    for (unsigned i = 0; i < 8 && codes.size() < count; ++i) {
      Value low = i ? Value(arith::ShRUIOp::create(b, loc, word, i32(4 * i))) : word;
      codes.push_back(
          arith::TruncIOp::create(b, loc, b.getI8Type(), Value(arith::AndIOp::create(b, loc, low, i32(15)))));
    }
  return codes;
}
