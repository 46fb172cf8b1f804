// Checks that the verifiers of several op families share. Each message begins with the number of the constraint in the
// op's description.
#ifndef ADZE_LIB_DIALECT_LLM_IR_VERIFY_H
#define ADZE_LIB_DIALECT_LLM_IR_VERIFY_H

#include "adze/Dialect/Llm/IR/Llm.h"

namespace adze::llm {

inline mlir::RankedTensorType tensorOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// True when two extents can be equal: either is dynamic, or they are.
inline bool agree(int64_t a, int64_t b) {
  return mlir::ShapedType::isDynamic(a) || mlir::ShapedType::isDynamic(b) || a == b;
}

/// Emits "cN: " and returns the diagnostic to add to.
inline mlir::InFlightDiagnostic violates(mlir::Operation *op, int constraint) {
  return op->emitOpError() << "c" << constraint << ": ";
}

/// The layer as a number, or -1 where it is no constant.
int64_t constantLayer(mlir::Value layer);
mlir::LogicalResult verifyLayer(mlir::Operation *op, int constraint, mlir::Value layer, KvType kv);

/// c1 to c5 of the ops with a quantized weight.
mlir::LogicalResult verifyQuantizedWeight(mlir::Operation *op, mlir::Value codes, mlir::Value scales,
                                          mlir::Value offsets, mlir::Value outer, int64_t group, Scheme scheme);

} // namespace adze::llm

#endif // ADZE_LIB_DIALECT_LLM_IR_VERIFY_H
