#include "adze/Conversion/TileToGpu/Passes.h"

#include "ThreadEmitter.h"
#include "adze/Dialect/Tile/IR/PartNames.h"

using namespace mlir;

namespace adze::tile {
#define GEN_PASS_DEF_CONVERTTILETOGPUPASS
#include "adze/Conversion/TileToGpu/Passes.h.inc"

namespace {
struct ConvertTileToGpu : impl::ConvertTileToGpuPassBase<ConvertTileToGpu> {
  using ConvertTileToGpuPassBase::ConvertTileToGpuPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    const TargetInfo *info = findTarget(target);
    if (!info || !info->gpu()) {
      module.emitError("\"") << target << "\" is no GPU that kernels are made for: " << listOf(gpuTargetNames())
                             << " are";
      return signalPassFailure();
    }
    SmallVector<func::FuncOp> kernels;
    for (auto function : module.getOps<func::FuncOp>())
      if (function->hasAttr(kKernelAttr))
        kernels.push_back(function);
    for (func::FuncOp kernel : kernels) {
      if (failed(check(kernel, *info->gpu())) || failed(verifyPartNames(kernel)))
        return signalPassFailure();
      std::string name = kernel.getName().str();
      if (failed(ThreadEmitter(kernel, *info).emit()))
        return signalPassFailure();
      kernel.erase();
      module.lookupSymbol<func::FuncOp>(name + "_entry").setName(name);
      ++kernelCount;
    }
    if (!kernels.empty() && !module.lookupSymbol(kSharedSymbol)) {
      OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
      auto bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
      LLVM::GlobalOp::create(builder, module.getLoc(), bytes, /*isConstant=*/false, LLVM::Linkage::External,
                             kSharedSymbol, Attribute(), /*alignment=*/16, /*addrSpace=*/3);
    }
  }

  LogicalResult check(func::FuncOp kernel, const GpuFacts &gpu) {
    auto threads = kernel->getAttrOfType<IntegerAttr>(kThreadsAttr);
    auto made = kernel->getAttrOfType<StringAttr>(kTargetAttr);
    if (!threads || !made)
      return kernel.emitOpError("has no layouts of threads; tile-assign-thread-layouts gives them");
    if (int64_t count = threads.getInt();
        count < gpu.warpLanes || count > gpu.threads || !llvm::isPowerOf2_64(uint64_t(count)))
      return kernel.emitOpError("has tile.threads = ")
             << count << "; a power of two from " << gpu.warpLanes << " to " << gpu.threads << " is accepted";
    if (made.getValue() != target)
      return kernel.emitOpError("has the layouts of ") << made << ", and code is wanted for \"" << target << "\"";
    if (!kernel.getBody().hasOneBlock())
      return kernel.emitOpError("a kernel has one block; loops are scf.for");
    return success();
  }
};
} // namespace
} // namespace adze::tile
