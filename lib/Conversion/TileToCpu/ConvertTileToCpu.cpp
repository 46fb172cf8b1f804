#include "adze/Conversion/TileToCpu/Passes.h"

#include "KernelEmitter.h"
#include "adze/Dialect/Tile/IR/PartNames.h"

using namespace mlir;

namespace adze::tile {
#define GEN_PASS_DEF_CONVERTTILETOCPUPASS
#include "adze/Conversion/TileToCpu/Passes.h.inc"

namespace {
struct ConvertTileToCpu : impl::ConvertTileToCpuPassBase<ConvertTileToCpu> {
  using ConvertTileToCpuPassBase::ConvertTileToCpuPassBase;

  void runOnOperation() override {
    const TargetInfo *info = findTarget(target);
    if (!info) {
      getOperation().emitError("unknown target \"") << target << "\"";
      return signalPassFailure();
    }
    if (info->gpu()) {
      getOperation().emitError("\"") << target
                                     << "\" is a GPU, and this pass makes code for a CPU; for a GPU there are "
                                     << "tile-assign-thread-layouts and convert-tile-to-gpu";
      return signalPassFailure();
    }
    SmallVector<func::FuncOp> kernels;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(kKernelAttr))
        kernels.push_back(function);
    for (func::FuncOp kernel : kernels) {
      if (!kernel.getBody().hasOneBlock()) {
        kernel.emitOpError("a kernel has one block; loops are scf.for");
        return signalPassFailure();
      }
      std::string name = kernel.getName().str();
      if (failed(verifyPartNames(kernel)) || failed(KernelEmitter(kernel, *info).emit()))
        return signalPassFailure();
      kernel.erase();
      auto entry = getOperation().lookupSymbol<func::FuncOp>(name + "_entry");
      entry.setName(name);
      ++kernelCount;
    }
  }
};
} // namespace
} // namespace adze::tile
