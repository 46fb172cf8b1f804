//===- IntegerDots.cpp - exact 8-bit and 4-bit products
//---------------------------------------------------------------===//
//
// Four neighbouring k of one n fill a 32-bit lane of a weight register (the pack sees to it); the same four k of a row
// of a are one 32-bit word, broadcast. By what the CPU has:
//
//   codes      vpdpbusd                     otherwise
//   u4         acc += dpbusd(w, a)          16-bit sums of pmaddubsw(w, a) over at most 32 k (8 * 2 * 15 * 127 = 30480
//                                           fits), then one pmaddwd with ones
//   s8         acc += dpbusd(|w|, a sgn w)  pmaddubsw(|w|, a sgn w) (2 * 128 * 127 = 32512 fits), pmaddwd with ones
//
// |w| of -128 is 128 as an unsigned byte and a is never -128, so every step is exact: levels agree to the bit. Anything
// else (other signs, k that is no multiple of four, unpacked weights) multiplies 32-bit integers.
//
//===----------------------------------------------------------------------------------------------------------------===//
#include "KernelEmitter.h"

#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze::tile;

/// Whether b is a lazy load from memory whose lanes hold four neighbouring k each.
bool KernelEmitter::codesInWords(Value tile) {
  auto state = tiles.find(tile);
  if (state == tiles.end() || state->second.kind != TileState::Lazy || !state->second.access)
    return false;
  const Access &access = *state->second.access;
  if (!access.order || access.dims.size() != 2 || access.inside || !access.bounds.empty())
    return false;
  SmallVector<std::pair<unsigned, int64_t>> wanted;
  if (access.element.isInteger(4))
    wanted.push_back({1, 4});
  wanted.push_back({1, 1});
  wanted.push_back({1, 2});
  for (int64_t step = 1; step < lanes; step *= 2)
    wanted.push_back({0, step});
  const auto &bases = access.order->map().reg;
  if (bases.size() < wanted.size())
    return false;
  for (auto [basis, want] : llvm::zip(bases, wanted)) {
    Coord expected{};
    expected[access.dims[want.first]] = want.second;
    if (basis != expected)
      return false;
  }
  int64_t depth = access.element.isInteger(4) ? 8 : 4;
  return access.free[access.dims[0]] >= lanes && access.free[access.dims[1]] >= depth;
}

/// The register of bytes that holds coordinate `at` first: lanes along n, four k in each.
Value KernelEmitter::codeWords(Value tile, ArrayRef<At> at) {
  const Access &access = *tiles[tile].access;
  auto [pointer, address] = packedAddress(access, at);
  int64_t bytes = address * access.element.getIntOrFloatBitWidth() / 8;
  return loadRaw(vectorOf(b.getI8Type(), 4 * lanes), gep(pointer, bytes));
}

/// Four neighbouring k of one row as a 32-bit integer.
Value KernelEmitter::activationWord(Value tile, At row, At k) {
  TileState &state = tiles[tile];
  Ats place{row, k};
  Key key{tile.getAsOpaquePointer(),
          true,
          {{row.dyn ? row.dyn.getAsOpaquePointer() : nullptr, row.fixed},
           {k.dyn ? k.dyn.getAsOpaquePointer() : nullptr, k.fixed},
           {nullptr, -4}}};
  for (auto &scope : llvm::reverse(emitted))
    if (auto found = scope.find(key); found != scope.end())
      return found->second;
  Value pointer;
  if (state.kind == TileState::Lazy)
    pointer = pointerAt(*state.access, place);
  else
    pointer = bufferPointer(tile.getType(), state.kind == TileState::Buffer ? state.buffer : spill(tile), place);
  Value word = LLVM::LoadOp::create(b, loc, b.getI32Type(), pointer, 1);
  emitted.back()[key] = word;
  return word;
}

void KernelEmitter::integerStep(DotOp op, ArrayRef<At> origin, int64_t rows, int64_t columns, At k, int64_t depth,
                                SmallVectorImpl<Value> &acc) {
  Value a = op.getA(), w = op.getB();
  bool nibbles = getElementTypeOrSelf(w.getType()).isInteger(4);
  int64_t unit = nibbles ? 8 : 4;
  TileState &state = tiles[a];
  bool wordsOfA = getElementTypeOrSelf(a.getType()).isInteger(8) && !op.getAUnsigned() &&
                  (laneDim(a.getType()) == 1 || laneDim(a.getType()) < 0);
  if (state.kind == TileState::Lazy)
    wordsOfA &= state.access && !state.access->order && state.access->bounds.empty() && !state.access->inside &&
                constantOf(state.access->strides[1]) == 1;
  VectorType i32 = vectorOf(b.getI32Type());
  if (!wordsOfA || nibbles != op.getBUnsigned() || depth % unit || k.fixed % unit || !codesInWords(w)) {
    auto wide = [&](Value value, bool isUnsigned) -> Value {
      Type type = isa<VectorType>(value.getType()) ? Type(i32) : b.getI32Type();
      if (isUnsigned)
        return arith::ExtUIOp::create(b, loc, type, value);
      return arith::ExtSIOp::create(b, loc, type, value);
    };
    for (int64_t i = 0; i < depth; ++i)
      for (int64_t c = 0; c < columns; ++c) {
        Value weights = wide(get(w, {plus(origin[1], c * lanes), plus(k, i)}), op.getBUnsigned());
        for (int64_t r = 0; r < rows; ++r) {
          Value x = splat(wide(get(a, {plus(origin[0], r), plus(k, i)}, true), op.getAUnsigned()), i32);
          Value &sum = acc[r * columns + c];
          sum = arith::AddIOp::create(b, loc, sum, arith::MulIOp::create(b, loc, x, weights));
        }
      }
    return;
  }

  VectorType bytes = vectorOf(b.getI8Type(), 4 * lanes), halves = vectorOf(b.getIntegerType(16), 2 * lanes);
  bool wide = lanes == 16, dpbusd = target.has("avx512vnni");
  StringRef multiply = wide ? "llvm.x86.avx512.pmaddubs.w.512" : "llvm.x86.avx2.pmadd.ub.sw";
  StringRef pairs = wide ? "llvm.x86.avx512.pmaddw.d.512" : "llvm.x86.avx2.pmadd.wd";
  Value ones = constant(halves, 1);
  auto toWords = [&](Value sums) { return intrinsic(pairs, i32, {sums, ones}); };
  SmallVector<Value> sums(rows * columns);
  auto flush = [&] {
    for (int64_t i = 0; i < rows * columns; ++i)
      if (sums[i]) {
        acc[i] = arith::AddIOp::create(b, loc, acc[i], toWords(sums[i]));
        sums[i] = Value();
      }
  };
  for (int64_t i = 0; i < depth; i += unit) {
    SmallVector<Value> codes; // [four k][column]
    for (int64_t c = 0; c < columns; ++c) {
      Value word = codeWords(w, {plus(origin[1], c * lanes), plus(k, i)});
      if (nibbles) {
        // Shifts of 16-bit lanes: bytes have none. The mask drops what came over from the neighbour.
        Value low = constant(bytes, 15);
        Value shifted = bitcast(arith::ShRUIOp::create(b, loc, bitcast(word, halves), constant(halves, 4)), bytes);
        codes.push_back(arith::AndIOp::create(b, loc, word, low));
        codes.push_back(
            ADZE_MUTANT("keep-neighbours-nibble") ? shifted : arith::AndIOp::create(b, loc, shifted, low).getResult());
      } else {
        codes.push_back(word);
      }
    }
    for (int64_t part = 0; part < unit / 4; ++part)
      for (int64_t r = 0; r < rows; ++r) {
        Value word = activationWord(a, plus(origin[0], r), plus(k, i + 4 * part));
        Value x = bitcast(splat(word, i32), bytes);
        for (int64_t c = 0; c < columns; ++c) {
          Value code = codes[c * (unit / 4) + part], signedX = x;
          int64_t place = r * columns + c;
          if (!nibbles) {
            Value zero = constant(bytes, 0);
            Value negative = arith::SubIOp::create(b, loc, zero, code);
            Value isNegative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, code, zero);
            if (wide)
              signedX = arith::SelectOp::create(b, loc, isNegative, arith::SubIOp::create(b, loc, zero, x), x);
            else
              signedX = intrinsic("llvm.x86.avx2.psign.b", bytes, {x, code});
            code = arith::SelectOp::create(b, loc, isNegative, negative, code); // LLVM makes pabsb of it
          }
          if (dpbusd) {
            acc[place] = intrinsic("llvm.x86.avx512.vpdpbusd.512", i32, {acc[place], code, signedX});
            continue;
          }
          Value product = intrinsic(multiply, halves, {code, signedX});
          if (!nibbles)
            acc[place] = arith::AddIOp::create(b, loc, acc[place], toWords(product));
          else
            sums[place] = sums[place] ? Value(arith::AddIOp::create(b, loc, sums[place], product)) : product;
        }
      }
    if (i % 32 + unit == 32)
      flush();
  }
  flush();
}
