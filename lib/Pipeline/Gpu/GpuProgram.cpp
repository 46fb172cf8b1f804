#include "adze/Pipeline/Gpu/GpuProgram.h"

#include "adze/Conversion/TileToGpu/Passes.h"
#include "adze/Dialect/Tile/IR/Tile.h"
#include "adze/Transforms/Tile/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace adze {

std::vector<GpuKernel> gpuKernelsOf(ModuleOp module) {
  std::vector<GpuKernel> kernels;
  for (Operation &op : *module.getBody()) {
    auto launch = op.getAttrOfType<DictionaryAttr>("adze.launch");
    if (!launch)
      continue;
    auto number = [&](StringRef name) { return launch.getAs<IntegerAttr>(name).getInt(); };
    kernels.push_back(
        {SymbolTable::getSymbolName(&op).str(), number("threads"), number("shared_bytes"), number("argument_bytes")});
  }
  return kernels;
}

std::string GpuProgram::text() const {
  std::string all;
  for (const GpuKernel &kernel : kernels)
    all += "// launch " + kernel.name + " threads " + std::to_string(kernel.threads) + " shared " +
           std::to_string(kernel.sharedBytes) + " arguments " + std::to_string(kernel.argumentBytes) + "\n";
  return all + ptx;
}

Expected<GpuProgram> buildGpuProgram(ModuleOp module, const TargetInfo &target) {
  OwningOpRef<ModuleOp> copy(ModuleOp::create(module.getLoc()));
  for (Operation &op : *module.getBody())
    if (op.hasAttr(tile::kKernelAttr))
      copy->getBody()->push_back(op.clone());
  tile::registerTileTransformsPasses();
  PassManager manager(copy->getContext());
  tile::buildTileToGpu(manager, target.name());
  if (failed(manager.run(*copy)))
    return unsupported("the kernels have no form for " + std::string(target.name()) + " (the messages above say why)");
  GpuProgram program;
  program.kernels = gpuKernelsOf(*copy);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(*copy, context, "kernels");
  if (!code)
    return internalError("the kernels cannot be translated to LLVM IR (the messages above say why)");
  auto ptx = compileToPtx(*code, target, program.kernels);
  if (!ptx)
    return ptx.status();
  program.ptx = std::move(*ptx);
  // What is left is the host's.
  for (Operation &op : llvm::make_early_inc_range(*copy->getBody()))
    if (op.hasAttr("adze.launch") || isa<LLVM::GlobalOp>(op))
      op.erase();
  program.grids = std::move(copy);
  return program;
}

} // namespace adze
