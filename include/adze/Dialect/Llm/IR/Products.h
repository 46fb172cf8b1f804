//===- Products.h - what linears have in common -------------------------------------------------------------------===//
//
// A product is an op that multiplies activations with a weight. Passes and conversions ask here for what they need of
// one, whichever it is: the parts of its weight and the name of their encoding (adze/Format/Encodings.h), which is the
// key of a target's packs and schedules.
//
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_DIALECT_LLM_IR_PRODUCTS_H
#define ADZE_DIALECT_LLM_IR_PRODUCTS_H

#include "adze/Dialect/Llm/IR/Llm.h"
#include "mlir/IR/TypeUtilities.h"

namespace adze::llm {

/// One part of a product's weight: the name of the part, as llm.source_tensor spells it, and its operand.
struct WeightPart {
  llvm::StringLiteral name;
  mlir::OpOperand *operand;
};

/// A linear of any kind, or null.
class Product {
public:
  explicit Product(mlir::Operation *op)
      : plain(mlir::dyn_cast_or_null<LinearOp>(op)), quantized(mlir::dyn_cast_or_null<QuantizedLinearOp>(op)) {}
  static Product of(mlir::Value value) { return Product(value.getDefiningOp()); }

  explicit operator bool() const { return plain || quantized; }
  mlir::Operation *operation() { return plain ? plain.getOperation() : quantized.getOperation(); }
  mlir::Value input() { return plain ? plain.getInput() : quantized.getInput(); }
  mlir::Value bias() { return plain ? plain.getBias() : quantized.getBias(); }
  mlir::Value result() { return operation()->getResult(0); }
  /// [N, K] of the weight.
  mlir::RankedTensorType weightType() {
    return mlir::cast<mlir::RankedTensorType>((plain ? plain.getWeight() : quantized.getCodes()).getType());
  }

  /// Parts of the weight that the product has, without the bias.
  llvm::SmallVector<WeightPart> parts() {
    llvm::SmallVector<WeightPart> found;
    if (plain) {
      found.push_back({"data", &plain.getWeightMutable()});
      return found;
    }
    found.push_back({"codes", &quantized.getCodesMutable()});
    found.push_back({"scales", &quantized.getScalesMutable()});
    for (mlir::OpOperand &operand : quantized.getOffsetsMutable())
      found.push_back({"offsets", &operand});
    for (mlir::OpOperand &operand : quantized.getOuterMutable())
      found.push_back({"outer", &operand});
    return found;
  }

  /// Name of the weight's encoding: f32, f16, bf16, q8_0, q4_0, q4_1 or q6_k.
  llvm::StringRef encoding() {
    if (plain) {
      mlir::Type element = weightType().getElementType();
      return element.isF32() ? "f32" : element.isF16() ? "f16" : "bf16";
    }
    if (quantized.getOuter())
      return "q6_k";
    if (quantized.getScheme() == Scheme::Affine)
      return "q4_1";
    return weightType().getElementType().isInteger(8) ? "q8_0" : "q4_0";
  }

  /// True if two products could be one with the rows of both weights: same input, encoding and kind of bias.
  static bool alike(Product a, Product b, std::string *why);

private:
  LinearOp plain;
  QuantizedLinearOp quantized;
};

inline bool Product::alike(Product a, Product b, std::string *why) {
  auto differ = [&](llvm::StringRef reason) {
    if (why)
      *why = reason.str();
    return false;
  };
  if (a.operation()->getName() != b.operation()->getName())
    return differ("one weight is quantized and the other is not");
  if (a.input() != b.input())
    return differ("they read different activations");
  if (a.weightType().getElementType() != b.weightType().getElementType() || a.encoding() != b.encoding())
    return differ("their weights have different encodings");
  if (a.weightType().getDimSize(1) != b.weightType().getDimSize(1))
    return differ("their weights have different widths");
  if (static_cast<bool>(a.bias()) != static_cast<bool>(b.bias()))
    return differ("one has a bias and the other has none");
  if (a.bias() && mlir::getElementTypeOrSelf(a.bias()) != mlir::getElementTypeOrSelf(b.bias()))
    return differ("their biases have different types");
  if (a.result().getType() != b.result().getType() &&
      mlir::getElementTypeOrSelf(a.result()) != mlir::getElementTypeOrSelf(b.result()))
    return differ("their results have different types");
  if (a.quantized &&
      (a.quantized.getGroup() != b.quantized.getGroup() || a.quantized.getScheme() != b.quantized.getScheme() ||
       a.quantized.getInputScale() != b.quantized.getInputScale()))
    return differ("their schemes or groups differ");
  auto left = a.parts(), right = b.parts();
  for (auto [one, other] : llvm::zip(left, right))
    if (mlir::getElementTypeOrSelf(one.operand->get()) != mlir::getElementTypeOrSelf(other.operand->get()))
      return differ("parts of their weights have different types");
  return true;
}

} // namespace adze::llm

#endif // ADZE_DIALECT_LLM_IR_PRODUCTS_H
