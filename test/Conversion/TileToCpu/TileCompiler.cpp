// Kernels from their text: compiled by the passes that the product uses, for a level that this machine may lack.
#include "TileRunner.h"

#include "../../Target/EmulatedInstructions.h"
#include "adze/Conversion/TileToCpu/Passes.h"
#include "adze/Dialect/Tile/IR/Tile.h"
#include "adze/Support/Hash.h"
#include "adze/Target/NativeCode.h"
#include "adze/Transforms/Tile/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <unistd.h>

using namespace adze;
using namespace adze::test;

static bool link(const std::string &object, const std::string &file) {
  std::ofstream(file + ".o", std::ios::binary) << object;
  Status linked = linkSharedObject({file + ".o"}, file);
  std::remove((file + ".o").c_str());
  if (!linked.ok())
    std::fprintf(stderr, "%s\n", linked.message().c_str());
  return linked.ok();
}

std::vector<const TargetInfo *> adze::test::testedTargets() {
  std::vector<const TargetInfo *> targets;
  for (std::string_view name : targetNames())
    targets.push_back(findTarget(name));
  return targets;
}

bool adze::test::runsHere(const TargetInfo &target) { return machineRuns(target); }

std::unique_ptr<TileKernel> TileKernel::compile(const std::string &text, const std::string &name,
                                                const TargetInfo &target) {
  mlir::DialectRegistry registry;
  registry.insert<tile::TileDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect, mlir::scf::SCFDialect,
                  mlir::math::MathDialect, mlir::vector::VectorDialect, mlir::LLVM::LLVMDialect>();
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return nullptr;
  tile::registerTileTransformsPasses();
  mlir::PassManager manager(&context);
  tile::buildTileToLLVM(manager, target.name());
  if (std::getenv("TILE_RUNNER_PRINT"))
    manager.enableIRPrinting();
  if (mlir::failed(manager.run(*module)))
    return nullptr;
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> translated = mlir::translateModuleToLLVMIR(*module, llvmContext);
  if (!translated)
    return nullptr;
  Expected<TestObjects> objects = compileForTest(*translated, target, {name, name + "_blocks"});
  if (!objects) {
    std::fprintf(stderr, "%s\n", objects.status().message().c_str());
    return nullptr;
  }
  std::vector<std::string> undefined = *undefinedSymbols(objects->own);
  if (const char *folder = std::getenv("TILE_KERNELS"))
    if (!link(objects->own, storedKernel(folder, text, target)))
      return nullptr;
  char folder[] = "/tmp/tile-runner-XXXXXX";
  if (!mkdtemp(folder))
    return nullptr;
  std::string file = std::string(folder) + "/kernel.so";
  std::unique_ptr<TileKernel> kernel = link(objects->runs, file) ? load(file, name) : nullptr;
  std::remove(file.c_str());
  std::remove(folder);
  if (kernel)
    kernel->undefined = undefined;
  return kernel;
}
