//===- Rope.cpp - rotary positions --------------------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze;

void adze::prepareRope(KernelBuilder &k, llm::RopeOp op, const Place &row) {
  int64_t half = op.getHeadDim() / 2;
  Value position = k.toI32(k.rowLookup(BatchArray::Position, row.row));
  Value number = arith::SIToFPOp::create(k.builder, k.location, k.f32(), position);
  llvm::SmallVector<Value> parts;
  int64_t offset = 0;
  for (int64_t width : k.piecesOf(half)) {
    Place at;
    at.offset = offset;
    at.width = width;
    Value frequency = k.broadcast(k.vectorAt(op.getInverseFrequency(), at), 0, 1);
    Value angle = k.binary<arith::MulFOp>(k.splat({1, width}, number), frequency);
    Value factor = k.constant({1, width}, op.getAttentionFactor().convertToFloat());
    Value cosine = math::CosOp::create(k.builder, k.location, angle);
    Value sine = math::SinOp::create(k.builder, k.location, angle);
    parts.push_back(k.binary<arith::MulFOp>(factor, cosine));
    parts.push_back(k.binary<arith::MulFOp>(factor, sine));
    offset += width;
  }
  k.rowValues[op] = parts;
}

Value adze::makeRope(KernelBuilder &k, llm::RopeOp op, const Place &place) {
  int64_t dim = op.getHeadDim(), half = dim / 2, inside = place.offset % dim, column = inside % half;
  // The piece of a half that the place is: sines and cosines were made for each.
  size_t number = 0;
  int64_t offset = 0;
  for (int64_t width : k.piecesOf(half)) {
    if (offset == column)
      break;
    offset += width;
    ++number;
  }
  llvm::ArrayRef<Value> parts = k.rowValues[op];
  assert(offset == column && "a place of a rotation is a piece of half a head");
  Value cosine = parts[2 * number], sine = parts[2 * number + 1];
  Value low =
      k.widen(k.pull(op.getInput(), place.shifted((ADZE_MUTANT("rotate-first-columns-again") ? 0 : column) - inside)));
  Value high = k.widen(k.pull(op.getInput(), place.shifted(column - inside + half)));
  Value rotated;
  if (inside < half || ADZE_MUTANT("rotate-one-half-alone"))
    rotated = k.binary<arith::SubFOp>(k.binary<arith::MulFOp>(low, cosine), k.binary<arith::MulFOp>(high, sine));
  else
    rotated = k.binary<arith::AddFOp>(k.binary<arith::MulFOp>(high, cosine), k.binary<arith::MulFOp>(low, sine));
  return k.round(rotated, KernelBuilder::elementOf(op.getResult()));
}
