// HostCode.h: the two halves of the generated host code.
#ifndef ADZE_LIB_CONVERSION_EXECTOLLVM_HOSTCODE_H
#define ADZE_LIB_CONVERSION_EXECTOLLVM_HOSTCODE_H

#include "adze/Dialect/Exec/IR/Exec.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace adze::exec {

/// Kernel name -> family, in the order of the first launch: the order of the kernels table.
using KernelTable = llvm::MapVector<mlir::StringAttr, mlir::StringAttr>;

/// Builds `llvm.func internal @adze_step(step, services) -> i32`. The number of a kernel is its place in `kernels`.
mlir::LLVM::LLVMFuncOp buildStepFunction(mlir::OpBuilder &builder, ProgramOp program, const KernelTable &kernels);

/// Builds the kernels table, the AdzeProgram and `adze_program`. `step` and every kernel's two functions are in the
/// module, defined or declared; without `entries` only their grids are, and the table's entries are null.
void buildProgramTable(mlir::OpBuilder &builder, ProgramOp program, const KernelTable &kernels,
                       mlir::LLVM::LLVMFuncOp step, bool entries);

/// Nothing in a freestanding program may turn into a library call.
void forbidLibraryCalls(mlir::LLVM::LLVMFuncOp function);

} // namespace adze::exec

#endif
