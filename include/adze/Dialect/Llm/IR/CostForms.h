// Sizes of values as forms in the sizes of a step.
#ifndef ADZE_DIALECT_LLM_IR_COSTFORMS_H
#define ADZE_DIALECT_LLM_IR_COSTFORMS_H

#include "adze/Dialect/Llm/IR/Llm.h"

namespace adze::llm {

int64_t bitsOf(mlir::Value value);

/// The leading extent of an activation: a constant, T, or R where the value comes from llm.gather_rows.
SizeForm leadingExtent(mlir::Value value);

/// Bytes of a tensor; 0 for what is no tensor (batch, cache, layer).
SizeForm bytesOf(mlir::Value value);

/// Bytes of all operands and results.
SizeForm bytesOfAll(mlir::Operation *op);

/// Bytes that a group moves: its operands and results, where tables of an embedding and rows of a gather count what
/// is read of them, and a cache counts what append and attention move.
SizeForm bytesOfGroup(KernelOp kernel);

} // namespace adze::llm

#endif // ADZE_DIALECT_LLM_IR_COSTFORMS_H
