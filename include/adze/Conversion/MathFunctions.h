//===- MathFunctions.h - exp, sin, cos and the like as arithmetic
//---------------------------------------------------===//
//
// A program has no undefined symbol, and its results are the same on every machine of a kind; so every function is
// written out in IEEE operations with fused multiply-adds. All take and give f32, scalar or vector.
//
//   exp     x = n ln 2 + r with |r| <= ln 2 / 2 (ln 2 in two parts), Taylor to r^7 (remainder 5e-9), scaled by two
//           powers of two so that results down to the smallest subnormal are right. exp(0) = 1 and exp(-inf) = 0
//           exactly: a masked score changes no bit of a softmax. At most 1.5 ulp.
//   tanh    from exp(r) - 1 without the 1, so that small arguments keep their digits. At most 3 ulp.
//   sin,cos argument reduced in f64, pi / 2 in two parts (good for |x| <= 2^20, the positions that rope sees), Taylor
//   in f32. 1.5 ulp. rsqrt   1 / sqrt, both correctly rounded. bf16    round to nearest even by integer arithmetic; a
//   NaN stays a NaN.
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_CONVERSION_MATHFUNCTIONS_H
#define ADZE_CONVERSION_MATHFUNCTIONS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace adze::tile {

class MathFunctions {
public:
  MathFunctions(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}
  /// The math dialect's op of that name. Null with known = true: keep the op, LLVM has an instruction for it.
  mlir::Value expand(llvm::StringRef name, mlir::ValueRange operands, bool &known);
  /// `op` on other operands and of another type: functions of math expanded, any other op as it is. Null where a
  /// function has no generated form, kNoGeneratedForm then says which have one.
  mlir::Value rebuild(mlir::Operation *op, mlir::ValueRange operands, mlir::Type type);
  static constexpr llvm::StringLiteral kNoGeneratedForm =
      "no generated form of this function; known are absf, ceil, cos, exp, exp2, floor, fma, roundeven, rsqrt, sin, "
      "sqrt, tanh on f32";
  mlir::Value roundToBf16(mlir::Value x);
  mlir::Value extendBf16(mlir::Value x);

private:
  struct Reduced {
    mlir::Value n, r; ///< x = n ln 2 + r; n as an integer
  };
  Reduced reduceExp(mlir::Value x, bool base2);
  mlir::Value expm1Polynomial(mlir::Value r);
  mlir::Value exp(mlir::Value x, bool base2);
  mlir::Value tanh(mlir::Value x);
  mlir::Value sine(mlir::Value x, bool cosine);
  mlir::Value scalbn(mlir::Value x, mlir::Value n);

  mlir::Type like(mlir::Value shape, mlir::Type element);
  mlir::Value real(mlir::Value shape, double value);
  mlir::Value integer(mlir::Value shape, int64_t value);
  mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value z);
  mlir::Value bits(mlir::Value x, mlir::Type element);
  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace adze::tile

#endif // ADZE_CONVERSION_MATHFUNCTIONS_H
