//===- VerifyKernels.cpp - the end of phase llm: all is groups ----------------------------------------------------===//

#include "adze/Dialect/Llm/IR/Llm.h"
#include "adze/Support/Mutant.h"
#include "adze/Transforms/Llm/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace adze::llm {
#define GEN_PASS_DEF_VERIFYKERNELSPASS
#include "adze/Transforms/Llm/Passes.h.inc"
} // namespace adze::llm

#define DEBUG_TYPE "llm-verify-kernels"

using namespace mlir;
using namespace adze::llm;

namespace {
/// Place of an operand in the order that llm.kernel states.
unsigned placeOf(Value operand) {
  if (mlir::isa<IndexType>(operand.getType()))
    return 4;
  if (mlir::isa<KvType>(operand.getType()))
    return 3;
  if (mlir::isa<BatchType>(operand.getType()))
    return 2;
  return operand.getDefiningOp<GetWeightOp>() ? 1 : 0;
}

LogicalResult verifyGroup(KernelOp kernel) {
  if (!kernel.getFamily())
    return kernel.emitOpError("has no family; llm-form-kernels sets it");
  auto rows = kernel->getAttrOfType<StringAttr>("rows");
  if (!rows || (rows.getValue() != "T" && rows.getValue() != "R"))
    return kernel.emitOpError("needs the attribute rows, \"T\" or \"R\"; llm-form-kernels sets it");
  unsigned place = 0;
  for (auto [number, operand] : llvm::enumerate(kernel.getInputs())) {
    unsigned here = placeOf(operand);
    if (here < place)
      return kernel.emitOpError("has operand ")
             << number << " of type " << operand.getType()
             << " out of order; the order is activations, weights, batch, cache, layer";
    place = here;
  }
  return success();
}

/// A cache is written in place: once a group has made a new one, no later group may read the old one.
LogicalResult verifyCaches(func::FuncOp step) {
  llvm::DenseMap<Value, Operation *> replaced;
  for (Operation &op : step.getBody().front()) {
    for (Value operand : op.getOperands())
      if (Operation *writer = replaced.lookup(operand); writer && !ADZE_MUTANT("accept-readers-of-old-caches")) {
        InFlightDiagnostic diagnostic = op.emitOpError("reads a cache that an earlier kernel has written in place");
        diagnostic.attachNote(writer->getLoc()) << "written here";
        return diagnostic;
      }
    for (Value result : op.getResults())
      if (mlir::isa<KvType>(result.getType()))
        for (Value operand : op.getOperands())
          if (mlir::isa<KvType>(operand.getType()))
            replaced[operand] = &op;
  }
  return success();
}

struct VerifyKernels : adze::llm::impl::VerifyKernelsPassBase<VerifyKernels> {
  using VerifyKernelsPassBase::VerifyKernelsPassBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    for (auto step : getOperation().getOps<func::FuncOp>()) {
      if (step.isExternal())
        continue;
      for (Operation &op : step.getBody().front()) {
        if (auto kernel = mlir::dyn_cast<KernelOp>(op)) {
          if (failed(verifyGroup(kernel)))
            return signalPassFailure();
          ++groups;
          continue;
        }
        bool layer = op.hasTrait<OpTrait::ConstantLike>() && mlir::isa<IndexType>(op.getResult(0).getType());
        if (!layer && !mlir::isa<GetWeightOp>(op) && !op.hasTrait<OpTrait::IsTerminator>()) {
          op.emitOpError("stands outside a kernel at the end of phase llm; a step holds weights, constants of type "
                         "index, kernels and a return; run llm-form-kernels");
          return signalPassFailure();
        }
      }
      if (failed(verifyCaches(step)))
        return signalPassFailure();
    }
  }
};
} // namespace
