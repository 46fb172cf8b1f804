// All of the llm dialect: types, attributes, interfaces and ops.
#ifndef ADZE_DIALECT_LLM_IR_LLM_H
#define ADZE_DIALECT_LLM_IR_LLM_H

#include "adze/Dialect/Llm/IR/Cost.h"
#include "adze/Dialect/Llm/IR/LlmTraits.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace adze::llm::reference {
struct Value;
class Machine;
} // namespace adze::llm::reference

#include "adze/Dialect/Llm/IR/LlmDialect.h.inc"
#include "adze/Dialect/Llm/IR/LlmEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "adze/Dialect/Llm/IR/LlmAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "adze/Dialect/Llm/IR/LlmTypes.h.inc"

#include "adze/Dialect/Llm/IR/LlmInterfaces.h.inc"
#define GET_OP_CLASSES
#include "adze/Dialect/Llm/IR/LlmOps.h.inc"

#endif // ADZE_DIALECT_LLM_IR_LLM_H
