// Exec.h: the exec dialect: what one step does on a device (docs/Rationale/Exec.md).
#ifndef ADZE_DIALECT_EXEC_IR_EXEC_H
#define ADZE_DIALECT_EXEC_IR_EXEC_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "adze/Dialect/Exec/IR/ExecDialect.h.inc"
#include "adze/Dialect/Exec/IR/ExecEnums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "adze/Dialect/Exec/IR/ExecTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "adze/Dialect/Exec/IR/ExecAttrs.h.inc"
#define GET_OP_CLASSES
#include "adze/Dialect/Exec/IR/ExecOps.h.inc"

#endif
