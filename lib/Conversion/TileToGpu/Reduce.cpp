// Sums and maxima along a dimension: registers of a thread first, then lanes by shuffles, then warps through shared
// memory.
//
// The order follows from the layout, hence from static shapes and the schedule: registers meet in pairs that differ in
// the lowest register bit along the dimension, then the next, ...; lanes with the lane whose number differs in one bit,
// lowest first; warps in ascending order. Every thread that the result's layout names as a copy has the same bits, for
// x + y is y + x.
#include "ThreadEmitter.h"

#include "adze/Layout/ThreadLayouts.h"
#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze;
using namespace adze::tile;

Value ThreadEmitter::combine(StringRef kind, Value x, Value y) {
  bool floats = isa<FloatType>(x.getType());
  if (kind == "add")
    return floats ? Value(arith::AddFOp::create(b, loc, x, y)) : Value(arith::AddIOp::create(b, loc, x, y));
  return floats ? Value(arith::MaximumFOp::create(b, loc, x, y)) : Value(arith::MaxSIOp::create(b, loc, x, y));
}

/// The value of the lane whose number differs by `mask`.
Value ThreadEmitter::fromLane(Value value, int32_t mask) {
  Type type = value.getType(), word = b.getI32Type();
  Value bits = bitcast(value, word);
  return bitcast(intrinsic("llvm.nvvm.shfl.sync.bfly.i32", word, {i32(-1), bits, i32(mask), i32(31)}), type);
}

void ThreadEmitter::reduce(ReduceOp op) {
  std::optional<LinearMap> from = layoutOf(op, op.getValue().getType());
  std::optional<LinearMap> to = layoutOf(op, op.getResult().getType());
  if (!from || !to)
    return;
  unsigned dim = op.getDim();
  StringRef kind = op.getKind();
  if (*to != reducedLayout(*from, dim)) {
    refuse(op, "its result has another layout than its operand without dimension ")
        << dim << " (run tile-assign-thread-layouts)";
    return;
  }
  Type element = op.getValue().getType().getElementType();
  if (element.getIntOrFloatBitWidth() != 32) {
    refuse(op, "sums and maxima are of 32-bit numbers");
    return;
  }
  // Registers: a bit at a time, so that what is left are the result's.
  Registers values = tiles.lookup(op.getValue());
  std::vector<Coord> bits = from->reg;
  for (size_t i = 0; i < bits.size();) {
    if (!bits[i][dim]) {
      ++i;
      continue;
    }
    Registers next;
    for (size_t reg = 0; reg < values.size(); ++reg)
      if (!(reg >> i & 1))
        next.push_back(combine(kind, values[reg], values[reg | size_t(1) << i]));
    values = next;
    bits.erase(bits.begin() + i);
  }
  for (auto [i, basis] : llvm::enumerate(from->lane))
    if (basis[dim] && !(i == 0 && ADZE_MUTANT("gpu-sum-misses-a-lane")))
      for (Value &value : values)
        value = combine(kind, value, fromLane(value, 1 << i));

  uint32_t warpMask = 0;
  for (auto [i, basis] : llvm::enumerate(from->warp))
    warpMask |= uint32_t(basis[dim] != 0) << i;
  if (warpMask) {
    // Each warp leaves what it has; each reads what the warps that differ along the dimension left.
    int64_t words = int64_t(values.size()) * threads;
    int64_t piece = freeShared(4 * words);
    beginShared();
    auto place = [&](Value of, size_t reg) {
      return sharedPointer(add(mul(of, i32(4)), i32(piece + 4 * int64_t(reg) * threads)));
    };
    for (auto [reg, value] : llvm::enumerate(values))
      storeRaw(value, place(thread, reg), 4);
    barrier();
    Value others = arith::AndIOp::create(b, loc, thread, i32(int32_t(~(warpMask << 5))));
    for (auto [reg, value] : llvm::enumerate(values)) {
      Value sum;
      for (uint32_t warp = 0; warp <= warpMask; ++warp)
        if ((warp & ~warpMask) == 0) {
          Value part = loadRaw(element, place(add(others, i32(int64_t(warp) << 5)), reg), 4);
          sum = sum ? combine(kind, sum, part) : part;
        }
      value = sum;
    }
    sharedIsRead = true;
  }
  tiles[op.getResult()] = values;
}
