//===- Norm.cpp - root mean square norms --------------------------------------------------------------------------===//
//
// The order of the sum of squares is a function of the group's width and the target alone: whole chunks are added lane
// by lane into one chunk, its lanes are summed in the order of tile.reduce, then the sum of what is left is added. So a
// norm gives the same bits alone, before a quantization, or in front of a rotation.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze;

namespace {
constexpr int64_t kChunk = 64;

int64_t widthOf(llm::RmsNormOp op) { return mlir::cast<RankedTensorType>(op.getWeight().getType()).getDimSize(0); }

/// 1 / sqrt(mean of squares + epsilon) of the group that starts at the place: a tile [rows].
Value scaleOf(KernelBuilder &k, llm::RmsNormOp op, const Place &start) {
  int64_t width = widthOf(op), chunk = k.rowChunk(kChunk, width), whole = width / chunk * chunk, rows = start.rows;
  Value sum;
  if (whole) {
    Value squares = k.constant({rows, chunk}, 0.0);
    squares = k.chunks(start, whole, chunk, {squares}, [&](const Place &at, llvm::ArrayRef<Value> carried) {
      Value x = k.widen(k.pull(op.getInput(), at));
      return llvm::SmallVector<Value>{k.fma(x, x, carried[0])};
    })[0];
    sum = k.reduce("add", squares, 1);
  }
  for (int64_t piece : k.piecesOf(width - whole)) {
    Value x = k.widen(k.pull(op.getInput(), start.shifted(whole).resized(piece)));
    whole += piece;
    Value rest = k.reduce("add", k.binary<arith::MulFOp>(x, x), 1);
    sum = sum ? k.binary<arith::AddFOp>(sum, rest) : rest;
  }
  Value mean = k.binary<arith::DivFOp>(
      sum, k.constant({rows}, static_cast<double>(ADZE_MUTANT("mean-over-whole-chunks") ? whole + kChunk : width)));
  Value shifted = k.binary<arith::AddFOp>(mean, k.constant({rows}, op.getEpsilon().convertToFloat()));
  Value root = math::SqrtOp::create(k.builder, k.location, shifted);
  return k.binary<arith::DivFOp>(k.constant({rows}, 1.0), root);
}
} // namespace

void adze::prepareRmsNorm(KernelBuilder &k, llm::RmsNormOp op, const Place &row) {
  if (widthOf(op) == KernelBuilder::columns(op.getInput()))
    k.rowValues[op] = {scaleOf(k, op, row)};
}

Value adze::makeRmsNorm(KernelBuilder &k, llm::RmsNormOp op, const Place &place) {
  int64_t width = widthOf(op);
  bool heads = width != KernelBuilder::columns(op.getInput());
  // A place of a norm of heads stands in a head: `column` is a multiple of the head's width, `offset` leads into it.
  int64_t inside = heads ? place.offset % width : 0;
  Value scale;
  if (heads) {
    Place start = place.shifted(-inside).resized(width);
    scale = k.remember(op.getOperation(), start, [&] { return scaleOf(k, op, start); });
  } else {
    scale = k.rowValues[op][0];
  }
  Value x = k.widen(k.pull(op.getInput(), place));
  Value normed = k.binary<arith::MulFOp>(x, k.broadcast(scale, 1, place.width));
  Place weights = place;
  if (heads) {
    weights.column = nullptr;
    weights.offset = inside;
  }
  Value weight = k.broadcast(k.vectorAt(op.getWeight(), weights), 0, place.rows);
  return k.round(k.binary<arith::MulFOp>(normed, weight), KernelBuilder::elementOf(op.getResult()));
}
