#include "adze/Conversion/MathFunctions.h"
#include "adze/Support/Mutant.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace adze::tile;

Type MathFunctions::like(Value shape, Type element) {
  if (auto vector = dyn_cast<VectorType>(shape.getType()))
    return VectorType::get(vector.getShape(), element);
  return element;
}

static Value splatConstant(OpBuilder &b, Location loc, Type type, TypedAttr value) {
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(b, loc, vector, DenseElementsAttr::get(vector, Attribute(value)));
  return arith::ConstantOp::create(b, loc, type, value);
}

Value MathFunctions::real(Value shape, double value) {
  Type element = getElementTypeOrSelf(shape.getType());
  return splatConstant(b, loc, shape.getType(), b.getFloatAttr(element, value));
}
Value MathFunctions::integer(Value shape, int64_t value) {
  return splatConstant(b, loc, shape.getType(), b.getIntegerAttr(getElementTypeOrSelf(shape.getType()), value));
}
Value MathFunctions::fma(Value x, Value y, Value z) { return math::FmaOp::create(b, loc, x, y, z); }
Value MathFunctions::bits(Value x, Type element) {
  Type type = like(x, element);
  if (isa<VectorType>(type))
    return vector::BitCastOp::create(b, loc, type, x);
  return arith::BitcastOp::create(b, loc, type, x);
}

Value MathFunctions::expand(StringRef name, ValueRange operands, bool &known) {
  Value x = operands[0];
  bool single = getElementTypeOrSelf(x.getType()).isF32();
  known = llvm::StringSwitch<bool>(name)
              .Cases({"absf", "fma", "ceil", "floor", "roundeven", "sqrt", "trunc"}, true)
              .Default(false);
  if (known || !single)
    return Value();
  known = true;
  if (name == "exp" || name == "exp2")
    return exp(x, name == "exp2");
  if (name == "tanh")
    return tanh(x);
  if (name == "sin" || name == "cos")
    return sine(x, name == "cos");
  if (name == "rsqrt")
    return arith::DivFOp::create(b, loc, real(x, 1), math::SqrtOp::create(b, loc, x));
  known = false;
  return Value();
}

Value MathFunctions::extendBf16(Value x) {
  Value wide = arith::ExtUIOp::create(b, loc, like(x, b.getI32Type()), bits(x, b.getIntegerType(16)));
  return bits(arith::ShLIOp::create(b, loc, wide, integer(wide, 16)), b.getF32Type());
}

Value MathFunctions::rebuild(Operation *op, ValueRange operands, Type type) {
  if (op->getDialect()->getNamespace() == "math") {
    bool known = true;
    if (Value value = expand(op->getName().stripDialect(), operands, known))
      return value;
    if (!known)
      return Value();
  }
  OperationState state(loc, op->getName());
  state.addOperands(operands);
  state.addTypes(type);
  state.addAttributes(op->getAttrs());
  return b.create(state)->getResult(0);
}

Value MathFunctions::roundToBf16(Value x) {
  Value word = bits(x, b.getI32Type()), sixteen = integer(word, 16);
  Value high = arith::ShRUIOp::create(b, loc, word, sixteen);
  Value odd = arith::AndIOp::create(b, loc, high, integer(word, 1));
  Value bias = integer(word, ADZE_MUTANT("round-halves-up") ? 0x8000 : 0x7FFF);
  Value sum = arith::AddIOp::create(b, loc, arith::AddIOp::create(b, loc, word, bias), odd);
  Value rounded = arith::ShRUIOp::create(b, loc, sum, sixteen);
  Value quiet = arith::OrIOp::create(b, loc, high, integer(word, 0x40));
  Value isNan = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
  Value chosen = arith::SelectOp::create(b, loc, isNan, quiet, rounded);
  Value half = arith::TruncIOp::create(b, loc, like(x, b.getIntegerType(16)), chosen);
  return bits(half, b.getBF16Type());
}

// ---------------------------------------------------------------- exponential
MathFunctions::Reduced MathFunctions::reduceExp(Value x, bool base2) {
  // Rounding to an integer by adding 1.5 * 2^23: the integer stands in the low bits of the sum, for a NaN too.
  Value magic = real(x, 12582912.0);
  Value sum = base2 ? Value(arith::AddFOp::create(b, loc, x, magic)) : fma(x, real(x, 1.4426950408889634), magic);
  Value count = arith::SubFOp::create(b, loc, sum, magic);
  Value n = arith::SubIOp::create(b, loc, bits(sum, b.getI32Type()), integer(bits(sum, b.getI32Type()), 0x4B400000));
  if (base2) {
    Value r = arith::SubFOp::create(b, loc, x, count);
    return {n, arith::MulFOp::create(b, loc, r, real(x, 0.6931471805599453))};
  }
  Value r = fma(count, real(x, -0.693145751953125), x); // 12 bits shorter than f32: exact for every count
  return {n, fma(count, real(x, -1.42860682030941723e-06), r)};
}

/// exp(r) - 1.
Value MathFunctions::expm1Polynomial(Value r) {
  Value p = real(r, 1.0 / 5040);
  for (double factorial : {720.0, 120.0, 24.0, 6.0, 2.0})
    p = fma(p, r, real(r, 1 / factorial));
  Value square = arith::MulFOp::create(b, loc, r, r);
  return fma(p, square, r);
}

/// x * 2^n in two steps, for |n| <= 254.
Value MathFunctions::scalbn(Value x, Value n) {
  Value half = arith::ShRSIOp::create(b, loc, n, integer(n, 1)), rest = arith::SubIOp::create(b, loc, n, half);
  for (Value part : {half, rest}) {
    Value biased = arith::AddIOp::create(b, loc, part, integer(n, 127));
    Value power = bits(arith::ShLIOp::create(b, loc, biased, integer(n, 23)), b.getF32Type());
    x = arith::MulFOp::create(b, loc, x, power);
  }
  return x;
}

Value MathFunctions::exp(Value x, bool base2) {
  // Beyond the limits results are 0 and infinity; a NaN passes both comparisons unchanged.
  double low = base2 ? -151 : -104, high = base2 ? 129 : 89.5;
  auto clamp = [&](Value value, double limit, arith::CmpFPredicate beyond) -> Value {
    Value edge = real(x, limit);
    return arith::SelectOp::create(b, loc, arith::CmpFOp::create(b, loc, beyond, value, edge), edge, value);
  };
  Value inner = clamp(clamp(x, low, arith::CmpFPredicate::OLT), high, arith::CmpFPredicate::OGT);
  Reduced reduced = reduceExp(inner, base2);
  Value value = arith::AddFOp::create(b, loc, expm1Polynomial(reduced.r), real(x, 1));
  return scalbn(value, reduced.n);
}

Value MathFunctions::tanh(Value x) {
  // tanh |x| = -e / (2 + e) with e = exp(-2 |x|) - 1.
  Value word = bits(x, b.getI32Type());
  Value sign = arith::AndIOp::create(b, loc, word, integer(word, int64_t(INT32_MIN)));
  Value magnitude = math::AbsFOp::create(b, loc, x), limit = real(x, 20);
  Value tooLarge = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, magnitude, limit);
  magnitude = arith::SelectOp::create(b, loc, tooLarge, limit, magnitude);
  Reduced reduced = reduceExp(arith::MulFOp::create(b, loc, magnitude, real(x, -2)), false);
  Value power = scalbn(real(x, 1), reduced.n);
  Value e = fma(power, expm1Polynomial(reduced.r), arith::SubFOp::create(b, loc, power, real(x, 1)));
  Value quotient =
      arith::DivFOp::create(b, loc, arith::NegFOp::create(b, loc, e), arith::AddFOp::create(b, loc, e, real(x, 2)));
  return bits(arith::OrIOp::create(b, loc, bits(quotient, b.getI32Type()), sign), b.getF32Type());
}

// ---------------------------------------------------------------- sine and cosine
Value MathFunctions::sine(Value x, bool cosine) {
  Value wide = arith::ExtFOp::create(b, loc, like(x, b.getF64Type()), x);
  Value magic = real(wide, 6755399441055744.0); // 1.5 * 2^52: the low bits of the sum are the quadrant
  Value sum = fma(wide, real(wide, 0.63661977236758134), magic);
  Value count = arith::SubFOp::create(b, loc, sum, magic);
  Value rest = fma(count, real(wide, -6.123233995736766e-17), fma(count, real(wide, -1.5707963267948966), wide));
  Value r = arith::TruncFOp::create(b, loc, x.getType(), rest);
  Value quadrant = arith::TruncIOp::create(b, loc, like(x, b.getI32Type()), bits(sum, b.getI64Type()));
  if (cosine)
    quadrant = arith::AddIOp::create(b, loc, quadrant, integer(quadrant, 1));
  Value z = arith::MulFOp::create(b, loc, r, r);
  Value s = real(x, 1.0 / 362880), c = real(x, -1.0 / 3628800);
  for (double term : {-1.0 / 5040, 1.0 / 120, -1.0 / 6})
    s = fma(s, z, real(x, term));
  s = fma(arith::MulFOp::create(b, loc, s, z), r, r);
  for (double term : {1.0 / 40320, -1.0 / 720, 1.0 / 24, -0.5})
    c = fma(c, z, real(x, term));
  c = fma(c, z, real(x, 1));
  Value one = integer(quadrant, 1), zero = integer(quadrant, 0);
  Value odd =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, arith::AndIOp::create(b, loc, quadrant, one), zero);
  Value value = arith::SelectOp::create(b, loc, odd, c, s);
  // Quadrants 2 and 3 turn the sign.
  Value turn = arith::ShLIOp::create(b, loc, arith::AndIOp::create(b, loc, quadrant, integer(quadrant, 2)),
                                     integer(quadrant, 30));
  return bits(arith::XOrIOp::create(b, loc, bits(value, b.getI32Type()), turn), b.getF32Type());
}
