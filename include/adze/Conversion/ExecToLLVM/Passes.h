// Passes.h: from exec to native host code.
#ifndef ADZE_CONVERSION_EXECTOLLVM_PASSES_H
#define ADZE_CONVERSION_EXECTOLLVM_PASSES_H

#include "adze/Transforms/NumericEffect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace adze::exec {

#define GEN_PASS_DECL
#include "adze/Conversion/ExecToLLVM/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "adze/Conversion/ExecToLLVM/Passes.h.inc"

} // namespace adze::exec

#endif
