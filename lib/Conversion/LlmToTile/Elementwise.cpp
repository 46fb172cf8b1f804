//===- Elementwise.cpp - silu, mul, add and the casts -------------------------------------------------------------===//
//
// A value of a narrower type is widened, computed in f32 and rounded once, as the dialect's description says. Ops of
// arith and math are made again on tiles.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "adze/Support/Mutant.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace adze;

Value adze::makeElementwise(KernelBuilder &k, Operation *op, const Place &place) {
  llvm::SmallVector<int64_t> shape;
  auto operand = [&](unsigned number) {
    Value tile = k.pull(op->getOperand(number), place);
    shape.assign(mlir::cast<RankedTensorType>(tile.getType()).getShape().begin(),
                 mlir::cast<RankedTensorType>(tile.getType()).getShape().end());
    return tile;
  };
  Type element = KernelBuilder::elementOf(op->getResult(0));
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](llm::SiluOp) {
        Value x = k.widen(operand(0));
        Value negative = arith::NegFOp::create(k.builder, k.location, x);
        Value power = math::ExpOp::create(k.builder, k.location, ADZE_MUTANT("silu-without-sign") ? x : negative);
        Value denominator = k.binary<arith::AddFOp>(k.constant(shape, 1.0), power);
        return k.round(k.binary<arith::DivFOp>(x, denominator), element);
      })
      .Case([&](llm::MulOp) {
        Value left = k.widen(operand(0)), right = k.widen(operand(1));
        return k.round(k.binary<arith::MulFOp>(left, right), element);
      })
      .Case([&](llm::AddOp) {
        Value left = k.widen(operand(0)), right = k.widen(operand(1));
        return k.round(k.binary<arith::AddFOp>(left, right), element);
      })
      .Default([&](Operation *other) {
        IRMapping mapping;
        for (unsigned number = 0; number < other->getNumOperands(); ++number)
          mapping.map(other->getOperand(number), operand(number));
        Operation *copy = k.builder.clone(*other, mapping);
        copy->getResult(0).setType(k.tile(shape, element));
        return copy->getResult(0);
      });
}
