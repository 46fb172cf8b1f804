//===- Rope.cpp - rotary positions --------------------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze;

void adze::prepareRope(KernelBuilder &k, llm::RopeOp op, const Place &row) {
  int64_t half = op.getHeadDim() / 2;
  Value position = k.toI32(k.rowLookup(BatchArray::Position, row.row));
  Value number = arith::SIToFPOp::create(k.builder, k.location, k.f32(), position);
  Place all;
  all.width = half;
  Value frequency = k.broadcast(k.vectorAt(op.getInverseFrequency(), all), 0, 1);
  Value angle = k.binary<arith::MulFOp>(k.splat({1, half}, number), frequency);
  Value factor = k.constant({1, half}, op.getAttentionFactor().convertToFloat());
  Value cosine = math::CosOp::create(k.builder, k.location, angle);
  Value sine = math::SinOp::create(k.builder, k.location, angle);
  k.rowValues[op] = {k.binary<arith::MulFOp>(factor, cosine), k.binary<arith::MulFOp>(factor, sine)};
}

Value adze::makeRope(KernelBuilder &k, llm::RopeOp op, const Place &place) {
  int64_t dim = op.getHeadDim(), half = dim / 2, inside = place.offset % dim;
  assert(place.width == half && inside % half == 0 && "a place of a rotation is half a head");
  Value cosine = k.rowValues[op][0], sine = k.rowValues[op][1];
  Value low = k.widen(k.pull(op.getInput(), place.shifted(-inside)));
  Value high = k.widen(k.pull(op.getInput(), place.shifted(half - inside)));
  Value rotated;
  if (inside == 0 || ADZE_MUTANT("rotate-one-half-alone"))
    rotated = k.binary<arith::SubFOp>(k.binary<arith::MulFOp>(low, cosine), k.binary<arith::MulFOp>(high, sine));
  else
    rotated = k.binary<arith::AddFOp>(k.binary<arith::MulFOp>(high, cosine), k.binary<arith::MulFOp>(low, sine));
  return k.round(rotated, KernelBuilder::elementOf(op.getResult()));
}
