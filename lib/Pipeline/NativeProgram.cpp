// NativeProgram.cpp: kernels apart, host code apart, then one link.
//
// A kernel's module holds its function and nothing else, so kernels compile on several threads and a change of one
// cannot change the code of another. The order of the object files is that of the functions in the module.
#include "adze/Pipeline/NativeProgram.h"

#include "adze/Dialect/Exec/IR/Exec.h"
#include "adze/Support/ScratchOutput.h"
#include "adze/Support/ThreadPool.h"
#include "adze/Target/NativeCode.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <filesystem>
#include <mutex>

using namespace mlir;

namespace adze {

namespace {

Status runPipeline(ModuleOp module, const std::string &pipeline, const std::string &what) {
  PassManager manager(module.getContext());
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(parsePassPipeline(pipeline, manager, stream)))
    return internalError("the pipeline '" + pipeline + "' cannot be built: " + text);
  if (failed(manager.run(module)))
    return internalError(what + " cannot be lowered to native code (the messages above say why)");
  return Status::success();
}

/// Loads what the pipeline's passes depend on: a dialect may not be loaded while several threads use the context.
Status loadDialects(MLIRContext *context, const std::string &pipeline) {
  PassManager manager(context);
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(parsePassPipeline(pipeline, manager, stream)))
    return internalError("the pipeline '" + pipeline + "' cannot be built: " + text);
  DialectRegistry registry;
  manager.getDependentDialects(registry);
  context->appendDialectRegistry(registry);
  context->loadAllAvailableDialects();
  return Status::success();
}

/// Translates the module to LLVM IR and compiles that.
Expected<std::string> toObject(ModuleOp module, const std::string &name, const TargetInfo &target,
                               const std::vector<std::string> &exported) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> native = translateModuleToLLVMIR(module, context, name);
  if (!native)
    return internalError("module " + name + " cannot be translated to LLVM IR (the messages above say why)");
  return compileToObject(*native, target, exported);
}

/// One kernel: its function in a module of its own, down to an object without undefined symbols.
Expected<std::string> compileKernel(func::FuncOp function, const PhaseSettings &settings, const TargetInfo &target,
                                    const KernelCache &cache) {
  std::string name = function.getSymName().str();
  OwningOpRef<ModuleOp> module(ModuleOp::create(function.getLoc()));
  module->getBody()->push_back(function->clone());
  auto text = [&] {
    std::string text;
    llvm::raw_string_ostream(text) << *module;
    return text;
  };
  return cache.findOrMake(text, kernelPipeline(settings), [&]() -> Expected<std::string> {
    if (Status status = runPipeline(*module, kernelPipeline(settings), "kernel @" + name); !status.ok())
      return status;
    auto object = toObject(*module, name, target, {});
    if (!object)
      return object.status();
    auto undefined = undefinedSymbols(*object);
    if (!undefined)
      return undefined.status();
    if (!undefined->empty())
      return internalError("kernel @" + name + " calls '" + undefined->front() +
                           "', which a freestanding program does not have");
    return object;
  });
}

/// The program table and the step function, with whatever else of the module is in the llvm dialect.
Expected<std::string> compileHost(ModuleOp module, const PhaseSettings &settings, const TargetInfo &target) {
  if (Status status = runPipeline(module, phasePipeline(Phase::Native, settings), "the program"); !status.ok())
    return status;
  // Files and weights are for the artifact writer; they are no part of the code.
  OwningOpRef<ModuleOp> host(ModuleOp::create(module.getLoc()));
  for (Operation &op : module.getBody()->getOperations())
    if (isa<LLVM::LLVMDialect>(op.getDialect()))
      host->getBody()->push_back(op.clone());
  return toObject(*host, "host", target, {"adze_program"});
}

} // namespace

Status buildNativeProgram(ModuleOp module, const PhaseSettings &settings, const TargetInfo &target, unsigned threads,
                          const KernelCache &cache, const std::string &scratchFolder, const std::string &output,
                          const std::function<void(int64_t, int64_t)> &progress) {
  std::vector<func::FuncOp> kernels;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr("tile.kernel"))
      kernels.push_back(function);

  if (Status status = loadDialects(module.getContext(), kernelPipeline(settings)); !status.ok())
    return status;
  std::vector<std::optional<Expected<std::string>>> objects(kernels.size());
  std::mutex mutex;
  int64_t done = 0;
  ThreadPool pool({.threads = threads});
  pool.run(int64_t(kernels.size()), [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      objects[i] = compileKernel(kernels[i], settings, target, cache);
      std::lock_guard<std::mutex> lock(mutex);
      progress(++done, int64_t(kernels.size()));
    }
  });

  // The kernels leave the module; the host code declares their functions.
  std::vector<std::string> files;
  auto keep = [&](const std::string &name, const std::string &bytes) -> Status {
    files.push_back(scratchFolder + "/" + name + ".o");
    return writeFile(files.back(), bytes);
  };
  auto removeObjects = [&] {
    std::error_code ignored;
    for (const std::string &file : files)
      std::filesystem::remove(file, ignored);
  };
  auto compileAll = [&]() -> Status {
    for (size_t i = 0; i < kernels.size(); ++i) {
      if (!*objects[i])
        return objects[i]->status();
      if (Status status = keep(kernels[i].getSymName().str(), **objects[i]); !status.ok())
        return status;
    }
    OpBuilder builder(module.getContext());
    auto pointer = LLVM::LLVMPointerType::get(module.getContext());
    auto entry = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(module.getContext()),
                                             {pointer, builder.getI64Type(), builder.getI64Type()});
    for (func::FuncOp kernel : kernels) {
      std::string name = kernel.getSymName().str();
      kernel.erase();
      builder.setInsertionPointToStart(module.getBody());
      LLVM::LLVMFuncOp::create(builder, module.getLoc(), name, entry, LLVM::Linkage::External, /*dsoLocal=*/true)
          .setVisibility_(LLVM::Visibility::Hidden);
    }
    auto object = compileHost(module, settings, target);
    if (!object)
      return object.status();
    if (Status status = keep("host", *object); !status.ok())
      return status;
    return linkSharedObject(files, output);
  };
  Status status = compileAll();
  removeObjects();
  return status;
}

Status buildHostProgram(ModuleOp module, ModuleOp grids, const PhaseSettings &settings, const TargetInfo &target,
                        const std::string &scratchFolder, const std::string &output) {
  // The kernels stay: launches must name functions, and what is not in the llvm dialect is left out.
  for (Operation &op : *grids.getBody())
    module.getBody()->push_back(op.clone());
  auto object = compileHost(module, settings, target);
  if (!object)
    return object.status();
  std::string file = scratchFolder + "/host.o";
  if (Status status = writeFile(file, *object); !status.ok())
    return status;
  Status status = linkSharedObject({file}, output);
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  return status;
}

} // namespace adze
