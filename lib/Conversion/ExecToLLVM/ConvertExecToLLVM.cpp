// ConvertExecToLLVM.cpp: the pass. HostCode.h has the two halves of what it builds.
#include "adze/Conversion/ExecToLLVM/Passes.h"

#include "HostCode.h"
#include "adze/Support/Mutant.h"

namespace adze::exec {
#define GEN_PASS_DEF_CONVERTEXECTOLLVMPASS
#include "adze/Conversion/ExecToLLVM/Passes.h.inc"
} // namespace adze::exec

#define DEBUG_TYPE "convert-exec-to-llvm"

using namespace mlir;
using namespace adze::exec;

namespace {

struct ConvertExecToLLVMPass : adze::exec::impl::ConvertExecToLLVMPassBase<ConvertExecToLLVMPass> {
  using ConvertExecToLLVMPassBase::ConvertExecToLLVMPassBase;

  void runOnOperation() override {
    for (ProgramOp program : llvm::make_early_inc_range(getOperation().getOps<ProgramOp>()))
      if (failed(convert(program)))
        return signalPassFailure();
    for (SegmentOp segment : llvm::make_early_inc_range(getOperation().getOps<SegmentOp>()))
      segment.erase();
  }

  LogicalResult convert(ProgramOp program) {
    for (BufferOp buffer : program.getBody().getOps<BufferOp>())
      if (!buffer.getSlot())
        return buffer.emitError("has no slot: run exec-plan-memory before convert-exec-to-llvm");
    OpBuilder builder(program);
    KernelTable kernels;
    for (LaunchOp launch : program.getBody().getOps<LaunchOp>()) {
      kernels.insert({launch.getKernelAttr().getAttr(), launch.getFamilyAttr()});
      if (failed(declareKernel(builder, launch)))
        return failure();
      ++launchCount;
    }
    LLVM::LLVMFuncOp step = buildStepFunction(builder, program, kernels);
    buildProgramTable(builder, program, kernels, step, /*entries=*/!gpu);
    program.erase();
    return success();
  }

  /// Makes sure that the module has the kernel's entry, where it runs on the CPU, and its grid function.
  LogicalResult declareKernel(OpBuilder &builder, LaunchOp launch) {
    MLIRContext *ctx = &getContext();
    auto pointer = LLVM::LLVMPointerType::get(ctx);
    Type word = builder.getI64Type();
    const std::pair<std::string, Type> functions[] = {
        {launch.getKernel().str(), LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(ctx), {pointer, word, word})},
        {(launch.getKernel() + "_blocks").str(), LLVM::LLVMFunctionType::get(word, {pointer})}};
    for (const auto &[name, type] : ArrayRef(functions).drop_front(gpu ? 1 : 0)) {
      Operation *found = SymbolTable::lookupSymbolIn(getOperation(), name);
      if (!found) {
        LLVM::LLVMFuncOp::create(builder, launch.getLoc(), name, type, LLVM::Linkage::External, /*dsoLocal=*/true)
            .setVisibility_(LLVM::Visibility::Hidden);
        continue;
      }
      auto function = dyn_cast<LLVM::LLVMFuncOp>(found);
      if (!function)
        return launch.emitError("@") << name << " is not lowered to native code yet: kernels go first";
      if (function.getFunctionType() != type && !ADZE_MUTANT("accept-kernels-of-another-type"))
        return launch.emitError("@") << name << " has type " << function.getFunctionType() << "; " << type
                                     << " is accepted";
    }
    return success();
  }
};

} // namespace
