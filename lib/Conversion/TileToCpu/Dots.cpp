//===- Dots.cpp - products
//------------------------------------------------------------------------------------------------===//
//
// Lanes run along n. A register block is `rows` of a times `columns` registers of n, as many as the register file
// holds; for each k the weights of the block are asked for once and every row's scalar is broadcast against them:
//
//   for k ascending:  w[c] = b[n + c L .. , k];   for each row: acc[row][c] = fma(splat a[row, k], w[c], acc[row][c])
//
// One chain of fused multiply-adds for each output, in ascending k, whatever the block: a row's bits do not depend on
// how many rows there are. Products of bf16 by bf16 go to the instruction that the level has for them (PairDots.cpp,
// MatrixDots.cpp), again one for every number of rows. Long k runs in a loop whose step is a multiple of the packed
// block, short k is written out.
//
//===----------------------------------------------------------------------------------------------------------------===//
#include "KernelEmitter.h"
#include "adze/Conversion/MathFunctions.h"

#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze::tile;

/// Steps of k must be multiples of this where they are counted at run time.
int64_t KernelEmitter::packedDepth(Value tile) {
  auto state = tiles.find(tile);
  if (state == tiles.end() || state->second.kind != TileState::Lazy)
    return 1;
  if (state->second.access) {
    int64_t depth = 1;
    const Access &access = *state->second.access;
    if (access.order)
      for (unsigned d : access.dims)
        depth = std::max(depth, access.order->block()[d]);
    return depth;
  }
  int64_t depth = 1;
  if (Operation *op = tile.getDefiningOp())
    for (Value operand : op->getOperands())
      if (isTile(operand))
        depth = std::max(depth, packedDepth(operand));
  return depth;
}

void KernelEmitter::dot(DotOp op) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  bool floats = isa<FloatType>(type.getElementType());
  int64_t m = type.getDimSize(0), n = type.getDimSize(1), depth = op.getA().getType().getDimSize(1);
  int64_t vectors = llvm::divideCeil(n, lanes);
  if (laneDim(type) != 1 || laneDim(op.getB().getType()) != 0) {
    refuse(op, "lanes must run along n of the result and of b (run tile-assign-layouts)");
    return;
  }
  if (matrixDot(op))
    return;
  // A block needs its sums, one broadcast for each row (or one weight for each column), and one of the other kind.
  int64_t all = target.registers(), rows = std::min(m, all - 4), columns = 1;
  while (columns < vectors && rows * (columns + 1) + std::min(rows, columns + 1) + 1 <= all)
    ++columns;
  rows = llvm::divideCeil(m, llvm::divideCeil(m, rows));
  columns = llvm::divideCeil(vectors, llvm::divideCeil(vectors, columns));
  int64_t packed = packedDepth(op.getB()), area = rows * columns;
  bool pairs = takesPairs(op);
  int64_t step =
      floats ? std::max<int64_t>({packed, pairs ? 2 : 1, int64_t(llvm::PowerOf2Ceil(std::max<int64_t>(1, 64 / area)))})
             : std::max<int64_t>(packed, 32);
  // Several blocks written out in one stretch of code would be scheduled into each other, and their sums spilled: each
  // block then has a loop of its own.
  bool single = rows == m && columns == vectors;
  bool unroll = depth <= step || (single && depth * area <= 256);

  // Results that fill more than a few register files live in memory, and their blocks are run-time loops.
  bool buffered = m * vectors > kMaxCarried;
  Value buffer = buffered ? allocate(type) : Value();
  SmallVector<Value> registers(buffered ? 0 : m * vectors);
  auto block = [&](At row, At column, int64_t r, int64_t c) {
    auto place = [&](int64_t i) { return Ats{plus(row, i / c), plus(column, i % c * lanes)}; };
    SmallVector<Value> acc;
    for (int64_t i = 0; i < r * c; ++i)
      acc.push_back(get(op.getAcc(), place(i)));
    auto run = [&](At k, int64_t length) {
      Ats origin{row, column};
      if (pairs)
        pairStep(op, origin, r, c, k, length, acc);
      else if (floats)
        floatStep(op, origin, r, c, k, length, acc);
      else
        integerStep(op, origin, r, c, k, length, acc);
    };
    int64_t whole = unroll ? 0 : depth / step * step;
    if (whole) {
      acc = loop(index(0), index(whole), index(step), acc, [&](Value counter, ValueRange carried) {
        acc.assign(carried.begin(), carried.end());
        run({counter, 0, step}, step);
        return acc;
      });
    }
    if (whole < depth && !ADZE_MUTANT("drop-tail-of-depth"))
      run({Value(), whole, 1}, depth - whole);
    for (int64_t i = 0; i < r * c; ++i) {
      if (buffered)
        writeBuffer(type, buffer, place(i), acc[i]);
      else
        registers[flatRegister(type, place(i))] = acc[i];
    }
  };
  // The body for every block of `unit` of `count`: a loop over whole blocks where memory holds the result, and a rest.
  auto blocks = [&](int64_t count, int64_t unit, int64_t scale, llvm::function_ref<void(At, int64_t)> body) {
    int64_t from = 0;
    if (buffered && count >= 2 * unit) {
      from = count / unit * unit;
      loop(index(0), index(from * scale), index(unit * scale), {}, [&](Value counter, ValueRange) {
        body({counter, 0, unit * scale}, unit);
        return SmallVector<Value>();
      });
    }
    for (; from < count; from += unit)
      body({Value(), from * scale, 1}, std::min(unit, count - from));
  };
  blocks(m, rows, 1, [&](At row, int64_t r) {
    blocks(vectors, columns, lanes, [&](At column, int64_t c) { block(row, column, r, c); });
  });
  if (!buffered) {
    setRegisters(op.getResult(), registers);
    return;
  }
  setBuffer(op.getResult(), buffer);
}

void KernelEmitter::floatStep(DotOp op, ArrayRef<At> origin, int64_t rows, int64_t columns, At k, int64_t depth,
                              SmallVectorImpl<Value> &acc) {
  MathFunctions math(b, loc);
  auto wide = [&](Value value) {
    return getElementTypeOrSelf(value.getType()).isBF16() ? math.extendBf16(value) : value;
  };
  VectorType type = vectorOf(b.getF32Type());
  for (int64_t i = 0; i < depth; ++i) {
    At here = plus(k, i);
    SmallVector<Value> scalars;
    for (int64_t r = 0; r < rows; ++r)
      scalars.push_back(splat(wide(get(op.getA(), {plus(origin[0], r), here}, true)), type));
    for (int64_t c = 0; c < columns; ++c) {
      Value weight = wide(get(op.getB(), {plus(origin[1], c * lanes), here}));
      for (int64_t r = 0; r < rows; ++r)
        acc[r * columns + c] = math::FmaOp::create(b, loc, scalars[r], weight, acc[r * columns + c]);
    }
  }
}
