//===- PairDots.cpp - products of bf16 by bf16 where the CPU multiplies pairs -------------------------------------===//
//
// vdpbf16ps adds two products of bf16 to each f32 lane: that of the odd k, then that of the even one, each addition
// rounded to nearest; subnormal operands and results count as zero (docs/Numerics.md). A pair of k fills a 32-bit lane
// of the weights: the pack of a level that has the instruction sees to it, and two registers of neighbouring k are
// interleaved where weights are not packed so (the keys of a cache). The last of an odd number of k stands beside a
// zero.
//
//===----------------------------------------------------------------------------------------------------------------===//
#include "KernelEmitter.h"

#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze::tile;

bool KernelEmitter::takesPairs(DotOp op) {
  return target.has("avx512bf16") && lanes == 16 && getElementTypeOrSelf(op.getA().getType()).isBF16() &&
         getElementTypeOrSelf(op.getB().getType()).isBF16();
}

/// Two neighbouring k of a row of activations in every lane: 32 numbers of bf16.
Value KernelEmitter::pairOf(Value tile, At row, At k, bool single) {
  VectorType words = vectorOf(b.getI32Type()), type = vectorOf(b.getBF16Type(), 2 * lanes);
  TileState &state = tiles[tile];
  bool inMemory = laneDim(tile.getType()) == 1 || laneDim(tile.getType()) < 0;
  if (state.kind == TileState::Lazy)
    inMemory &= state.access && !state.access->order && state.access->bounds.empty() && !state.access->inside &&
                constantOf(state.access->strides[1]) == 2;
  Value word;
  if (inMemory && !single) {
    word = activationWord(tile, row, k);
  } else {
    auto half = [&](At at) -> Value {
      Value bits = bitcast(get(tile, {row, at}, true), b.getI16Type());
      return arith::ExtUIOp::create(b, loc, b.getI32Type(), bits);
    };
    word = half(k);
    if (!single)
      word = arith::OrIOp::create(b, loc, word,
                                  arith::ShLIOp::create(b, loc, half(plus(k, 1)), constant(b.getI32Type(), 16)));
  }
  return bitcast(splat(word, words), type);
}

/// Two neighbouring k of 16 outputs, pair beside pair.
Value KernelEmitter::weightPairs(Value tile, At n, At k, bool single) {
  VectorType type = vectorOf(b.getBF16Type(), 2 * lanes);
  // Rows of pairs are whole also where k ends inside one: the pack is padded with zeros.
  if (packedInRows(tile)) {
    auto [pointer, address] = packedAddress(*tiles[tile].access, {n, k});
    return loadRaw(type, gep(pointer, 2 * address));
  }
  VectorType halves = vectorOf(b.getI16Type());
  Value even = bitcast(get(tile, {n, k}), halves);
  Value odd = single ? constant(halves, 0) : bitcast(get(tile, {n, plus(k, 1)}), halves);
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < lanes; ++i)
    order.append({i, lanes + i});
  return bitcast(shuffle(even, odd, order), type);
}

void KernelEmitter::pairStep(DotOp op, ArrayRef<At> origin, int64_t rows, int64_t columns, At k, int64_t depth,
                             SmallVectorImpl<Value> &acc) {
  VectorType sums = vectorOf(b.getF32Type());
  for (int64_t i = 0; i < depth; i += 2) {
    bool single = i + 1 == depth;
    if (single && ADZE_MUTANT("forget-last-of-odd-depth"))
      break;
    SmallVector<Value> pairs;
    for (int64_t r = 0; r < rows; ++r)
      pairs.push_back(pairOf(op.getA(), plus(origin[0], r), plus(k, i), single));
    for (int64_t c = 0; c < columns; ++c) {
      Value weights = weightPairs(op.getB(), plus(origin[1], c * lanes), plus(k, i), single);
      for (int64_t r = 0; r < rows; ++r)
        acc[r * columns + c] =
            intrinsic("llvm.x86.avx512bf16.dpbf16ps.512", sums, {acc[r * columns + c], pairs[r], weights});
    }
  }
}
