// Sizes of values as forms in the sizes of a step.
#ifndef ADZE_DIALECT_LLM_IR_COSTFORMS_H
#define ADZE_DIALECT_LLM_IR_COSTFORMS_H

#include "adze/Dialect/Llm/IR/Llm.h"

namespace adze::llm {

int64_t bitsOf(mlir::Value value);

/// The leading extent of an activation: a constant, T, or R where the value comes from llm.gather_rows.
SizeForm leadingExtent(mlir::Value value);

/// What an op moves: for each operand what its cost model says, and its results.
SizeForm bytesMovedBy(mlir::Operation *op);

/// What a group moves: its operands once, as the op inside that reads them moves them (a cache once for each op that
/// reads or writes it), and its results.
SizeForm bytesMovedBy(KernelOp kernel);

} // namespace adze::llm

#endif // ADZE_DIALECT_LLM_IR_COSTFORMS_H
