//===- Quantize.cpp - activations as 8-bit codes ------------------------------------------------------------------===//
//
// llm.quantize fixes every bit: the scale is max / 127, the code x * (1 / scale) rounded half to even, the sum an
// int32. A group that is one tile wide is made whole: codes, scale and sum from one set of registers. Where the group
// is the whole row, the maximum and the sum are made before the loop over columns.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze;

namespace {
constexpr int64_t kChunk = 64;

Value magnitudes(KernelBuilder &k, llm::QuantizeOp op, const Place &place) {
  Value x = k.widen(k.pull(op.getInput(), place));
  return ADZE_MUTANT("scale-by-largest-positive") ? x : math::AbsFOp::create(k.builder, k.location, x).getResult();
}

struct Scale {
  Value scale, reciprocal; // [rows]; both 0 for a group too small for a reciprocal
};

Scale scaleOf(KernelBuilder &k, Value largest, int64_t rows) {
  Value scale = k.binary<arith::DivFOp>(largest, k.constant({rows}, 127.0));
  Value zero = k.constant({rows}, 0.0);
  Value small =
      arith::CmpFOp::create(k.builder, k.location, arith::CmpFPredicate::OLT, scale, k.constant({rows}, 0x1p-126));
  Value reciprocal = k.binary<arith::DivFOp>(k.constant({rows}, 1.0), scale);
  return {arith::SelectOp::create(k.builder, k.location, small, zero, scale),
          arith::SelectOp::create(k.builder, k.location, small, zero, reciprocal)};
}

/// Codes as i32: tile [rows, width].
Value roundedCodes(KernelBuilder &k, llm::QuantizeOp op, Value reciprocal, const Place &place) {
  Value x = k.widen(k.pull(op.getInput(), place));
  Value scaled = k.binary<arith::MulFOp>(x, k.broadcast(reciprocal, 1, place.width));
  Value rounded = math::RoundEvenOp::create(k.builder, k.location, scaled);
  return arith::FPToSIOp::create(k.builder, k.location, k.tile({place.rows, place.width}, k.i32()), rounded);
}

Value narrow(KernelBuilder &k, Value codes, const Place &place) {
  return arith::TruncIOp::create(k.builder, k.location, k.tile({place.rows, place.width}, k.builder.getI8Type()),
                                 codes);
}

bool wholeRow(llm::QuantizeOp op) {
  return op.getGroup() == 0 || static_cast<int64_t>(op.getGroup()) == KernelBuilder::columns(op.getInput());
}
} // namespace

void adze::prepareQuantize(KernelBuilder &k, llm::QuantizeOp op, const Place &row) {
  if (!wholeRow(op))
    return;
  int64_t columns = KernelBuilder::columns(op.getInput());
  Value largest = k.constant({row.rows}, 0.0);
  auto maximum = [&](Value a, Value b) { return k.binary<arith::MaximumFOp>(a, b); };
  largest = k.chunks(row, columns, k.rowChunk(kChunk, columns), {largest},
                     [&](const Place &at, llvm::ArrayRef<Value> carried) {
                       return llvm::SmallVector<Value>{maximum(carried[0], k.reduce("max", magnitudes(k, op, at), 1))};
                     })[0];
  Scale scale = scaleOf(k, largest, row.rows);
  Value sum = k.constantI32({row.rows}, 0);
  if (!op.getSum().use_empty())
    sum =
        k.chunks(row, columns, k.rowChunk(kChunk, columns), {sum}, [&](const Place &at, llvm::ArrayRef<Value> carried) {
          Value part = k.reduce("add", roundedCodes(k, op, scale.reciprocal, at), 1);
          return llvm::SmallVector<Value>{k.binary<arith::AddIOp>(carried[0], part)};
        })[0];
  k.rowValues[op] = {scale.scale, scale.reciprocal, sum};
}

Value adze::makeQuantize(KernelBuilder &k, llm::QuantizeOp op, unsigned result, const Place &place) {
  if (wholeRow(op)) {
    auto &values = k.rowValues[op];
    return result == 0 ? narrow(k, roundedCodes(k, op, values[1], place), place) : result == 1 ? values[0] : values[2];
  }
  assert(place.width == static_cast<int64_t>(op.getGroup()) && "one group at a time");
  // All three are made at once and known to the next caller; what nobody wants is dead code.
  Scale scale = scaleOf(k, k.reduce("max", magnitudes(k, op, place), 1), place.rows);
  Value codes = roundedCodes(k, op, scale.reciprocal, place);
  Value results[] = {narrow(k, codes, place), scale.scale, k.reduce("add", codes, 1)};
  for (auto [value, tile] : llvm::zip(op.getResults(), results))
    k.remember(value.getAsOpaquePointer(), place, [&, made = tile] { return made; });
  return results[result];
}
