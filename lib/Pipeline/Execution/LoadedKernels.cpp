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

adze::Expected<std::unique_ptr<LoadedKernels>> LoadedKernels::compile(ModuleOp module, const adze::TargetInfo &target,
                                                                      Lowering lowering, ObjectMaker makeObject) {
  OwningOpRef<ModuleOp> copy(module.clone());
  std::vector<std::string> names;
  for (Operation &op : llvm::make_early_inc_range(*copy->getBody())) {
    if (op.hasAttr(adze::tile::kKernelAttr)) {
      names.push_back(SymbolTable::getSymbolName(&op).str());
      names.push_back(names.back() + "_blocks");
    } else {
      op.erase();
    }
  }
  for (NamedAttribute attribute : llvm::to_vector((*copy)->getDiscardableAttrs()))
    (*copy)->removeDiscardableAttr(attribute.getName());
  adze::tile::registerTileTransformsPasses();
  PassManager manager(copy->getContext());
  llvm::StringRef name(target.name());
  bool onModel = target.gpu();
  if (lowering == Lowering::Plain)
    for (Operation &op : *copy->getBody())
      if (auto made = op.getAttrOfType<StringAttr>(adze::tile::kTargetAttr)) {
        onModel = true;
        name = made.getValue();
      }
  if (onModel) {
    adze::tile::buildTileToGpu(manager, name);
  } else if (lowering == Lowering::Product) {
    adze::tile::buildTileToLLVM(manager, name);
  } else {
    if (failed(parsePassPipeline(("tile-assign-layouts{target=" + name + "}").str(), manager)))
      return adze::internalError("tile-assign-layouts is not registered");
    manager.addPass(adze::tile::createConvertTileToCpuPass({name.str()}));
    adze::tile::buildVectorToLLVM(manager);
  }
  if (failed(manager.run(*copy)))
    return adze::internalError("the kernels could not be lowered");
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(*copy, context);
  if (!code)
    return adze::internalError("the kernels could not be translated");
  auto program = std::make_unique<LoadedKernels>();
  if (onModel) {
    program->threads = adze::gpuKernelsOf(*copy);
    makeObject = nullptr;
    if (adze::Status status = replaceGpuInstructions(*code); !status.ok())
      return status;
  }
  const adze::TargetInfo &machine = onModel ? *adze::findTarget("x86-64-v3") : target;
  auto object = makeObject ? makeObject(*code, names) : adze::compileToObject(*code, machine, names);
  if (!object)
    return object.status();

  char folder[] = "/tmp/adze-kernels-XXXXXX";
  if (!mkdtemp(folder))
    return adze::ioError("no temporary folder");
  std::string objectFile = std::string(folder) + "/kernels.o";
  program->file = std::string(folder) + "/kernels.so";
  std::ofstream(objectFile, std::ios::binary) << *object;
  adze::Status linked = adze::linkSharedObject({objectFile}, program->file);
  unlink(objectFile.c_str());
  if (linked.ok()) {
    program->handle = dlopen(program->file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!program->handle)
      linked = adze::internalError(dlerror());
    unlink(program->file.c_str());
  }
  rmdir(folder);
  if (!linked.ok())
    return linked;
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
