#include "adze/Pipeline/Execution/LoadedKernels.h"

#include "adze/Conversion/TileToCpu/Passes.h"
#include "adze/Conversion/TileToGpu/Passes.h"
#include "adze/Dialect/Llm/IR/Llm.h"
#include "adze/Dialect/Tile/IR/Tile.h"
#include "adze/Pipeline/Execution/GpuModel.h"
#include "adze/Pipeline/Gpu/GpuProgram.h"
#include "adze/Target/NativeCode.h"
#include "adze/Transforms/Tile/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <unistd.h>

using namespace mlir;
using namespace adze::execution;

namespace {

/// The pipeline below the kernels of one module.
struct Way {
  const adze::TargetInfo &target;
  Lowering lowering;
  bool onModel;        ///< thread by thread on the model of a GPU
  std::string layouts; ///< the target whose layouts tiles have or get

  adze::Status build(PassManager &manager) const {
    if (onModel) {
      adze::tile::buildTileToGpu(manager, layouts, /*asItStands=*/lowering == Lowering::Plain);
    } else if (lowering == Lowering::Product) {
      adze::tile::buildTileToLLVM(manager, layouts);
    } else {
      if (failed(parsePassPipeline("tile-assign-layouts{target=" + layouts + "}", manager)))
        return adze::internalError("tile-assign-layouts is not registered");
      manager.addPass(adze::tile::createConvertTileToCpuPass({layouts}));
      adze::tile::buildVectorToLLVM(manager);
    }
    return adze::Status::success();
  }
};

template <class Printed> std::string textOf(Printed &&what) {
  std::string text;
  llvm::raw_string_ostream(text) << what;
  return text;
}

/// The object of the kernels in `module`, which is lowered in place.
adze::Expected<std::string> objectOf(ModuleOp module, const Way &way, ObjectMaker makeObject,
                                     std::vector<adze::GpuKernel> &threads) {
  std::vector<std::string> names;
  for (Operation &op : *module.getBody()) {
    names.push_back(SymbolTable::getSymbolName(&op).str());
    names.push_back(names.back() + "_blocks");
  }
  PassManager manager(module.getContext());
  if (adze::Status status = way.build(manager); !status.ok())
    return status;
  if (failed(manager.run(module)))
    return adze::internalError("the kernels could not be lowered");
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(module, context);
  if (!code)
    return adze::internalError("the kernels could not be translated");
  if (!way.onModel)
    return makeObject ? makeObject(*code, names) : adze::compileToObject(*code, way.target, names);
  threads = adze::gpuKernelsOf(module);
  if (adze::Status status = replaceGpuInstructions(*code); !status.ok())
    return status;
  return adze::compileToObject(*code, *adze::findTarget("x86-64-v3"), names);
}

/// The object of one kernel, from the cache where it is there: by its text, which spares the passes too, or by the code
/// that they made of it, which is often the same for a kernel before and after one of them.
adze::Expected<std::string> objectOf(Operation *kernel, const Way &way, const adze::KernelCache &cache) {
  OwningOpRef<ModuleOp> module(ModuleOp::create(kernel->getLoc()));
  module->getBody()->push_back(kernel->clone());
  PassManager manager(module->getContext());
  if (adze::Status status = way.build(manager); !status.ok())
    return status;
  std::string pipeline, target = " for " + std::string(way.target.name());
  llvm::raw_string_ostream stream(pipeline);
  manager.printAsTextualPipeline(stream);
  auto makeObject = [&](llvm::Module &code, const std::vector<std::string> &names) {
    return cache.findOrMake([&] { return textOf(code); }, "code" + target,
                            [&] { return adze::compileToObject(code, way.target, names); });
  };
  std::vector<adze::GpuKernel> none;
  return cache.findOrMake([&] { return textOf(*module); }, pipeline + target,
                          [&] { return objectOf(*module, way, makeObject, none); });
}

} // namespace

adze::Expected<std::unique_ptr<LoadedKernels>> LoadedKernels::compile(ModuleOp module, const adze::TargetInfo &target,
                                                                      Lowering lowering, const adze::KernelCache &cache,
                                                                      ObjectMaker makeObject) {
  adze::tile::registerTileTransformsPasses();
  Way way{target, lowering, target.gpu() != nullptr, std::string(target.name())};
  OwningOpRef<ModuleOp> kernels(ModuleOp::create(module.getLoc()));
  for (Operation &op : *module.getBody()) {
    if (!op.hasAttr(adze::tile::kKernelAttr))
      continue;
    kernels->getBody()->push_back(op.clone());
    if (auto made = op.getAttrOfType<StringAttr>(adze::tile::kTargetAttr); made && lowering == Lowering::Plain) {
      way.onModel = true;
      way.layouts = made.str();
    }
  }
  auto program = std::make_unique<LoadedKernels>();
  std::vector<adze::Expected<std::string>> objects;
  if (way.onModel || makeObject)
    objects.push_back(objectOf(*kernels, way, makeObject, program->threads));
  else
    for (Operation &op : *kernels->getBody())
      objects.push_back(objectOf(&op, way, cache));

  char folder[] = "/tmp/adze-kernels-XXXXXX";
  if (!mkdtemp(folder))
    return adze::ioError("no temporary folder");
  std::vector<std::string> files;
  adze::Status status;
  for (auto &object : objects) {
    if (status.ok() && !object)
      status = object.takeStatus();
    if (!status.ok())
      break;
    files.push_back(std::string(folder) + "/" + std::to_string(files.size()) + ".o");
    std::ofstream(files.back(), std::ios::binary) << *object;
  }
  program->file = std::string(folder) + "/kernels.so";
  if (status.ok())
    status = adze::linkSharedObject(files, program->file);
  for (const std::string &file : files)
    unlink(file.c_str());
  if (status.ok()) {
    program->handle = dlopen(program->file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!program->handle)
      status = adze::internalError(dlerror());
    unlink(program->file.c_str());
  }
  rmdir(folder);
  if (!status.ok())
    return status;
  return program;
}

LoadedKernels::~LoadedKernels() {
  if (handle)
    dlclose(handle);
}

adze::Status LoadedKernels::run(llvm::StringRef kernel, const uint64_t *arguments) const {
  auto *entry = reinterpret_cast<AdzeKernelEntry>(dlsym(handle, kernel.str().c_str()));
  auto *blocks = reinterpret_cast<AdzeKernelBlocks>(dlsym(handle, (kernel + "_blocks").str().c_str()));
  if (!entry || !blocks)
    return adze::internalError("the program has no kernel " + kernel.str());
  int64_t count = blocks(arguments), cut = count / 3;
  for (const adze::GpuKernel &one : threads)
    if (kernel == one.name)
      return runBlocks(reinterpret_cast<ThreadCode>(dlsym(handle, kernel.str().c_str())), arguments, count, one.threads,
                       one.sharedBytes, count);
  if (count - cut > 0)
    entry(arguments, cut, count);
  if (cut > 0) {
    entry(arguments, 0, cut / 2);
    entry(arguments, cut / 2, cut);
  }
  return {};
}
