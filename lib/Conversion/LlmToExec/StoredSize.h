// StoredSize.h: bytes of weights and activations in memory.
#ifndef ADZE_LIB_CONVERSION_LLMTOEXEC_STOREDSIZE_H
#define ADZE_LIB_CONVERSION_LLMTOEXEC_STOREDSIZE_H

#include "adze/Conversion/KernelAbi.h"
#include "adze/Dialect/Exec/IR/Exec.h"
#include "adze/Dialect/Llm/IR/Llm.h"

namespace adze::exec {

/// Bytes that a weight of this type takes in the weights section: whole blocks where it is packed. Failure: the size
/// does not fit 62 bits.
llvm::FailureOr<int64_t> storedBytes(mlir::RankedTensorType type);

/// The size of an activation: its columns times T or R.
FormAttr activationSize(mlir::RankedTensorType type, Rows rows);

} // namespace adze::exec

#endif
