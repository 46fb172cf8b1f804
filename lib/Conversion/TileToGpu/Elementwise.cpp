// Ops that each thread does on its own registers.
#include "ThreadEmitter.h"

#include "adze/Conversion/MathFunctions.h"
#include "adze/Layout/ThreadLayouts.h"
#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze;
using namespace adze::tile;

void ThreadEmitter::emitElementwise(Operation &op) {
  Value result = op.getResult(0);
  Type element = cast<RankedTensorType>(result.getType()).getElementType();
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return emitBroadcast(broadcast);
  if (auto iota = dyn_cast<IotaOp>(op))
    return emitIota(iota);
  if (auto dense = dyn_cast<arith::ConstantOp>(op))
    return emitConstant(dense);
  std::optional<LinearMap> layout = layoutOf(&op, result.getType());
  if (!layout)
    return;
  size_t count = size_t(1) << layout->reg.size();
  if (auto splat = dyn_cast<SplatOp>(op)) {
    tiles[result] = Registers(count, scalars.lookup(splat.getValue()));
    return;
  }
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    std::optional<LinearMap> from = layoutOf(&op, transpose.getValue().getType());
    if (from && from->transposed() != *layout)
      refuse(&op, "its result has another layout than its operand transposed (run tile-assign-thread-layouts)");
    tiles[result] = tiles.lookup(transpose.getValue());
    return;
  }
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    RankedTensorType from = reshape.getValue().getType();
    std::optional<LinearMap> own = layoutOf(&op, from);
    if (own && own->reshaped(from.getShape(), reshape.getResult().getType().getShape()) != layout)
      refuse(&op, "its result has another layout than its operand in that shape (run tile-assign-thread-layouts)");
    tiles[result] = tiles.lookup(reshape.getValue());
    return;
  }
  if (!OpTrait::hasElementwiseMappableTraits(&op)) {
    refuse(&op, "not an elementwise op");
    return;
  }
  Registers made;
  for (size_t i = 0; i < count; ++i) {
    SmallVector<Value> operands;
    SmallVector<Type> from;
    for (Value operand : op.getOperands()) {
      operands.push_back(isTile(operand) ? tiles.lookup(operand)[i] : scalars.lookup(operand));
      from.push_back(getElementTypeOrSelf(operand.getType()));
    }
    Value value = elementwise(&op, operands, from, element);
    if (!value)
      return;
    made.push_back(value);
  }
  tiles[result] = made;
}

Value ThreadEmitter::elementwise(Operation *op, ArrayRef<Value> operands, ArrayRef<Type> from, Type element) {
  Value x = operands.front();
  if (isa<arith::ExtUIOp, arith::ExtSIOp, arith::SIToFPOp, arith::UIToFPOp>(op) && from[0].isInteger() &&
      from[0].getIntOrFloatBitWidth() < 32) {
    bool isSigned = isa<arith::ExtSIOp, arith::SIToFPOp>(op);
    Value wide = x;
    if (from[0].isInteger(4) && isSigned) {
      wide = arith::ExtUIOp::create(b, loc, b.getI32Type(), x);
      wide = arith::ShRSIOp::create(b, loc, arith::ShLIOp::create(b, loc, wide, i32(28)), i32(28));
    } else if (isSigned) {
      wide = arith::ExtSIOp::create(b, loc, b.getI32Type(), x);
    } else {
      wide = arith::ExtUIOp::create(b, loc, b.getI32Type(), x);
    }
    if (isa<FloatType>(element))
      return arith::SIToFPOp::create(b, loc, element, wide);
    unsigned bits = element.getIntOrFloatBitWidth();
    if (bits == 32)
      return wide;
    return bits < 32 ? Value(arith::TruncIOp::create(b, loc, element, wide))
                     : Value(arith::ExtSIOp::create(b, loc, element, wide));
  }
  if (llvm::any_of(from, [](Type type) { return type.isInteger(4); }) || element.isInteger(4)) {
    refuse(op, "4-bit codes are widened before anything else is done with them");
    return Value();
  }
  // By their bits, see load.
  if (isa<arith::SelectOp>(op) && element.isBF16()) {
    Type bits = b.getI16Type();
    Value chosen = arith::SelectOp::create(b, loc, operands[0], bitcast(operands[1], bits), bitcast(operands[2], bits));
    return bitcast(chosen, element);
  }
  if (isa<arith::FPToSIOp>(op) && element.getIntOrFloatBitWidth() < 32)
    return arith::TruncIOp::create(b, loc, element, arith::FPToSIOp::create(b, loc, b.getI32Type(), x));
  if (auto power = dyn_cast<math::Exp2Op>(op);
      power && bitEnumContainsAny(power.getFastmath(), arith::FastMathFlags::afn) && element.isF32())
    return intrinsic("llvm.nvvm.ex2.approx.ftz.f32", element, x);
  Value value = MathFunctions(b, loc).rebuild(op, operands, element);
  if (!value)
    refuse(op, MathFunctions::kNoGeneratedForm);
  return value;
}

/// Registers that differ along the new dimension alone are one register of the operand.
void ThreadEmitter::emitBroadcast(BroadcastOp op) {
  std::optional<LinearMap> to = layoutOf(op, op.getResult().getType());
  std::optional<LinearMap> from = layoutOf(op, op.getValue().getType());
  if (!to || !from)
    return;
  unsigned dim = op.getDim();
  if (*from != reducedLayout(*to, dim)) {
    refuse(op, "its operand has another layout than the result without dimension ")
        << dim << " (run tile-assign-thread-layouts)";
    return;
  }
  const Registers &operand = tiles[op.getValue()];
  Registers made;
  for (uint64_t reg = 0; reg < uint64_t(1) << to->reg.size(); ++reg) {
    uint64_t source = 0;
    unsigned bit = 0;
    for (auto [i, basis] : llvm::enumerate(to->reg))
      if (!basis[dim])
        source |= (reg >> i & 1) << bit++;
    made.push_back(operand[ADZE_MUTANT("gpu-broadcast-the-first-register") ? 0 : source]);
  }
  tiles[op.getResult()] = made;
}

void ThreadEmitter::emitIota(IotaOp op) {
  std::optional<LinearMap> layout = layoutOf(op, op.getResult().getType());
  if (!layout)
    return;
  Type element = op.getResult().getType().getElementType();
  Value start = toI64(scalars.lookup(op.getBase()));
  if (Value place = threadCoord(*layout, op.getDim()))
    start = add(start, toI64(place));
  Registers made;
  for (uint64_t reg = 0; reg < uint64_t(1) << layout->reg.size(); ++reg) {
    Value value = add(start, i64(coordOf(*layout, reg)[op.getDim()]));
    made.push_back(element.isInteger(64) ? value : Value(arith::TruncIOp::create(b, loc, element, value)));
  }
  tiles[op.getResult()] = made;
}

void ThreadEmitter::emitConstant(arith::ConstantOp op) {
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  std::optional<LinearMap> layout = layoutOf(op, op.getType());
  if (!layout)
    return;
  if (!dense || !dense.isSplat()) {
    refuse(op, "a constant tile is one value everywhere");
    return;
  }
  Value value = arith::ConstantOp::create(b, loc, cast<TypedAttr>(dense.getSplatValue<Attribute>()));
  tiles[op.getResult()] = Registers(size_t(1) << layout->reg.size(), value);
}
