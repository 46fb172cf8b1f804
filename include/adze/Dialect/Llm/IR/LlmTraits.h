// LlmTraits.h: what every op of the llm dialect obeys.
#ifndef ADZE_DIALECT_LLM_IR_LLMTRAITS_H
#define ADZE_DIALECT_LLM_IR_LLMTRAITS_H

#include "mlir/IR/OpDefinition.h"

namespace adze::llm {

/// Limits on one tensor: far above any model's, so small that no product or sum of a few of them leaves 63 bits.
inline constexpr int64_t kMaxExtent = int64_t(1) << 31, kMaxElements = int64_t(1) << 40;

/// Fails where a static extent of an operand or result, or the number of its elements, is above the limits.
mlir::LogicalResult verifyBoundedShapes(mlir::Operation *op);

/// Checked before an op's own verifier, which may then compute with shapes.
template <class ConcreteType> class BoundedShapes : public mlir::OpTrait::TraitBase<ConcreteType, BoundedShapes> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifyBoundedShapes(op); }
};

} // namespace adze::llm

#endif // ADZE_DIALECT_LLM_IR_LLMTRAITS_H
