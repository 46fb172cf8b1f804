// A value changes its threads: the steps of a ConversionPlan as code.
//
// Registers are packed into words of 32 bits, put together anew inside the lane, moved by shuffles or through shared
// memory, and put together for their new layout. The plan says every constant; nothing is decided here.
#include "ThreadEmitter.h"

#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze;
using namespace adze::tile;

void ThreadEmitter::convert(ConvertLayoutOp op) {
  auto from = cast<RankedTensorType>(op.getValue().getType()), to = op.getResult().getType();
  if (isa_and_nonnull<SharedAttr>(to.getEncoding()))
    return writeShared(op);
  if (isa_and_nonnull<SharedAttr>(from.getEncoding()))
    return readShared(op);
  if (isa_and_nonnull<SharedOrderAttr>(from.getEncoding()))
    return readSlot(op);
  std::optional<LinearMap> source = layoutOf(op, from), result = layoutOf(op, to);
  if (source && result)
    tiles[op.getResult()] = convert(op, tiles.lookup(op.getValue()), to.getElementType(), *source, *result);
}

ThreadEmitter::Registers ThreadEmitter::convert(Operation *op, ArrayRef<Value> registers, Type element,
                                                const LinearMap &from, const LinearMap &to) {
  size_t count = size_t(1) << to.reg.size();
  bool flags = element.isInteger(1), codes = element.isInteger(4);
  unsigned bits = flags || codes ? 8 : element.getIntOrFloatBitWidth();
  std::string reason;
  std::optional<ConversionPlan> plan =
      planConversion(from, to, bits, {.shared = {.loadMatrix = true, .storeMatrix = gpu.storeMatrix}}, &reason);
  if (!plan) {
    refuse(op, reason);
    return Registers(count);
  }
  Registers bytes(registers);
  if (flags)
    for (Value &value : bytes)
      value = arith::ExtUIOp::create(b, loc, b.getI8Type(), value);
  Type moved = flags ? Type(b.getI8Type()) : registerType(element);
  Registers words = permute(plan->before, pack(bytes, moved));
  if (plan->shuffle)
    words = shuffleWords(*plan->shuffle, words);
  if (plan->shared) {
    const SharedStep &step = *plan->shared;
    unsigned received = std::max(1u, step.load.bytes / 4) * step.load.ofInstruction.size() * step.slices;
    words = throughShared(step, received, words);
  }
  Registers made = unpack(permute(plan->after, words), moved, count);
  if (flags)
    for (Value &value : made)
      value = arith::TruncIOp::create(b, loc, b.getI1Type(), value);
  return made;
}

// ---------------------------------------------------------------- words
ThreadEmitter::Registers ThreadEmitter::pack(ArrayRef<Value> registers, Type element) {
  unsigned bits = element.getIntOrFloatBitWidth();
  Type word = b.getI32Type();
  Registers words;
  if (bits == 64) {
    for (Value value : registers) {
      Value halves = bitcast(value, VectorType::get({2}, word));
      words.append({extract(halves, 0), extract(halves, 1)});
    }
    return words;
  }
  unsigned each = 32 / bits;
  for (size_t i = 0; i < registers.size(); i += each) {
    SmallVector<Value> parts;
    for (Value part : registers.slice(i, std::min<size_t>(registers.size() - i, each)))
      parts.push_back(bitcast(part, movedType(element)));
    while (parts.size() < each)
      parts.push_back(LLVM::PoisonOp::create(b, loc, movedType(element)));
    words.push_back(bitcast(each > 1 ? vectorOf(parts) : parts[0], word));
  }
  return words;
}

ThreadEmitter::Registers ThreadEmitter::unpack(ArrayRef<Value> words, Type element, size_t count) {
  unsigned bits = element.getIntOrFloatBitWidth();
  Registers registers;
  if (bits == 64) {
    for (size_t i = 0; i < count; ++i)
      registers.push_back(bitcast(vectorOf({words[2 * i], words[2 * i + 1]}), element));
    return registers;
  }
  unsigned each = 32 / bits;
  for (Value word : words) {
    Value parts = bitcast(word, each > 1 ? Type(VectorType::get({each}, movedType(element))) : element);
    for (unsigned i = 0; i < each && registers.size() < count; ++i)
      registers.push_back(bitcast(each > 1 ? extract(parts, i) : parts, element));
  }
  return registers;
}

/// Any four bytes of two words are one instruction: selector 0 to 3 the first one's, 4 to 7 the second's.
ThreadEmitter::Registers ThreadEmitter::permute(const BytePermute &permute, ArrayRef<Value> words) {
  Registers made;
  for (unsigned word = 0; word < permute.words(); ++word) {
    ArrayRef<int32_t> source = ArrayRef(permute.source).slice(4 * word, 4);
    SmallVector<int32_t> used;
    bool inPlace = true;
    for (auto [i, byte] : llvm::enumerate(source))
      if (byte >= 0) {
        inPlace &= byte % 4 == int32_t(i);
        if (!llvm::is_contained(used, byte / 4))
          used.push_back(byte / 4);
      }
    if (used.empty()) {
      made.push_back(LLVM::PoisonOp::create(b, loc, b.getI32Type()));
      continue;
    }
    if (used.size() == 1 && inPlace) {
      made.push_back(words[used[0]]);
      continue;
    }
    Value sum;
    for (size_t next = 0; next < used.size();) {
      // What is there already stays in place; the first instruction takes two words.
      Value first = sum ? sum : words[used[next]];
      int32_t firstWord = sum ? -1 : used[next++];
      int32_t secondWord = next < used.size() ? used[next++] : firstWord;
      uint32_t selector = 0;
      for (auto [i, byte] : llvm::enumerate(source)) {
        uint32_t chosen = i;
        if (byte >= 0 && byte / 4 == firstWord)
          chosen = byte % 4;
        else if (byte >= 0 && byte / 4 == secondWord)
          chosen = 4 + byte % 4;
        selector |= chosen << 4 * i;
      }
      sum = intrinsic("llvm.nvvm.prmt", b.getI32Type(), {first, words[secondWord], i32(selector)});
    }
    made.push_back(sum);
  }
  return made;
}

// ---------------------------------------------------------------- shuffles
/// All sums of some of the constants: what an XOR over a lane's bits may give.
static SmallVector<uint32_t> sumsOf(ArrayRef<uint32_t> constants) {
  SmallVector<uint32_t> sums{0};
  for (uint32_t constant : constants)
    if (!llvm::is_contained(sums, constant))
      for (size_t i = 0, n = sums.size(); i < n; ++i)
        sums.push_back(sums[i] ^ constant);
  return sums;
}

ThreadEmitter::Registers ThreadEmitter::shuffleWords(const ShuffleStep &step, ArrayRef<Value> words) {
  Type word = b.getI32Type();
  Value zero = i32(0);
  auto orZero = [&](Value value) { return value ? value : zero; };
  Value lane = orZero(threadXor(step.laneOfLane, step.laneOfThread));
  Value send = threadXor(step.sendOfLane, step.sendOfThread), keep = threadXor(step.keepOfLane, {});
  SmallVector<uint32_t> sendBits = llvm::to_vector(step.sendOfLane);
  sendBits.append(step.sendOfThread.begin(), step.sendOfThread.end());
  SmallVector<uint32_t> sends = sumsOf(sendBits), keeps = sumsOf(step.keepOfLane);
  auto choose = [&](Value number, ArrayRef<std::pair<uint32_t, Value>> candidates) {
    Value chosen = candidates.front().second;
    for (auto [sum, value] : candidates.drop_front())
      chosen = arith::SelectOp::create(
          b, loc, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, number, i32(sum)), value, chosen);
    return chosen;
  };
  Registers received;
  for (const ShuffleStep::Round &round : step.rounds) {
    SmallVector<std::pair<uint32_t, Value>> candidates;
    for (uint32_t sum : sends)
      if ((sum ^ round.send) < words.size())
        candidates.push_back({sum, words[sum ^ round.send]});
    Value offered = send ? choose(send, candidates) : words[round.send];
    if (!step.isLocal(round)) {
      Value from = arith::XOrIOp::create(b, loc, lane, i32(round.lane));
      offered = intrinsic("llvm.nvvm.shfl.sync.idx.i32", word, {i32(-1), offered, from, i32(31)});
    }
    received.push_back(offered);
  }
  // Round t's word is number keep_t ^ (what the lane's bits add).
  Registers made;
  for (uint32_t number = 0; number < received.size(); ++number) {
    SmallVector<std::pair<uint32_t, Value>> candidates;
    for (auto [round, value] : llvm::zip(step.rounds, received))
      if (uint32_t sum = round.keep ^ number; llvm::is_contained(keeps, sum))
        candidates.push_back({sum, value});
    made.push_back(keep ? choose(keep, candidates) : candidates.front().second);
  }
  return made;
}

// ---------------------------------------------------------------- shared memory
void ThreadEmitter::access(const SharedAccess &access, bool store, Value base, Registers &words, unsigned firstWord) {
  Type word = b.getI32Type();
  Value start = threadXor(access.ofLane, access.ofThread);
  unsigned each = std::max(1u, access.bytes / 4);
  for (auto [j, constant] : llvm::enumerate(access.ofInstruction)) {
    Value address = i32(constant);
    if (start)
      address = constant ? Value(arith::XOrIOp::create(b, loc, start, address)) : start;
    Value pointer = gep(base, address);
    unsigned first = firstWord + j * each;
    if (access.kind == SharedAccess::Kind::Vector) {
      Type type = access.bytes < 4 ? Type(b.getIntegerType(8 * access.bytes))
                  : each > 1       ? Type(VectorType::get({each}, word))
                                   : word;
      if (store) {
        Value value = access.bytes < 4 ? Value(arith::TruncIOp::create(b, loc, type, words[first]))
                      : each > 1       ? vectorOf(ArrayRef(words).slice(first, each))
                                       : words[first];
        storeRaw(value, pointer, access.bytes);
        continue;
      }
      Value value = loadRaw(type, pointer, access.bytes);
      if (access.bytes < 4)
        value = arith::ExtUIOp::create(b, loc, word, value);
      for (unsigned i = 0; i < each; ++i)
        words[first + i] = each > 1 ? extract(value, i) : value;
      continue;
    }
    bool transposed = access.kind == SharedAccess::Kind::TransposedMatrix;
    std::string name = std::string("llvm.nvvm.") + (store ? "st" : "ld") + "matrix.sync.aligned.m8n8.x" +
                       std::to_string(each) + (transposed ? ".trans" : "") + ".b16";
    if (store) {
      SmallVector<Value> operands{pointer};
      operands.append(words.begin() + first, words.begin() + first + each);
      instruction(name, operands);
      continue;
    }
    if (each == 1) {
      words[first] = intrinsic(name, word, {pointer});
      continue;
    }
    auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(each, word));
    Value loaded = intrinsic(name, type, {pointer});
    for (unsigned i = 0; i < each; ++i)
      words[first + i] = LLVM::ExtractValueOp::create(b, loc, loaded, ArrayRef<int64_t>{int64_t(i)});
  }
}

ThreadEmitter::Registers ThreadEmitter::throughShared(const SharedStep &step, unsigned received,
                                                      ArrayRef<Value> stored) {
  int64_t warps = threads / gpu.warpLanes;
  Value base = sharedPointer(i32(freeShared(int64_t(step.bytes) * (step.perWarp ? warps : 1))));
  if (step.perWarp && warps > 1)
    base = gep(base, mul(Value(arith::ShRUIOp::create(b, loc, thread, i32(5))), i32(step.bytes)));
  Registers from(stored), made(received);
  auto wait = [&] {
    if (step.perWarp)
      instruction("llvm.nvvm.bar.warp.sync", {i32(-1)});
    else if (!ADZE_MUTANT("gpu-drop-barrier"))
      barrier();
  };
  beginShared();
  for (unsigned slice = 0; slice < step.slices; ++slice) {
    if (slice)
      wait();
    access(step.store, true, base, from, slice * from.size() / step.slices);
    wait();
    access(step.load, false, base, made, slice * received / step.slices);
  }
  sharedIsRead = true;
  return made;
}
