// ObjectCode.cpp: LLVM's optimiser and code generator for one module.
//
// Kernels arrive as explicit vector code. Fused multiply-adds are written where they are meant, so the code generator
// may not make more of them: what a kernel rounds would then depend on the optimiser's mood.
#include "adze/Target/LlvmCode.h"
#include "adze/Target/NativeCode.h"

#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>
#include <mutex>

using namespace llvm;

namespace {

std::unique_ptr<TargetMachine> makeMachine(const adze::TargetInfo &target, std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  Triple triple(adze::kX86Triple);
  const Target *backend = TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return nullptr;
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Strict;
  options.FunctionSections = true;
  // With 512-bit registers stated as a feature, full-width vectors are wanted: the tiles were made for them.
  return std::unique_ptr<TargetMachine>(backend->createTargetMachine(
      triple, "x86-64-v3", adze::featureText(target), options, Reloc::PIC_, std::nullopt, CodeGenOptLevel::Default));
}

void prepare(Module &module, TargetMachine &machine, const std::vector<std::string> &exported) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  module.setPICLevel(PICLevel::SmallPIC);
  for (Function &function : module) {
    if (std::find(exported.begin(), exported.end(), function.getName()) == exported.end() &&
        !function.hasLocalLinkage() && !function.isIntrinsic())
      function.setVisibility(GlobalValue::HiddenVisibility);
    if (function.isDeclaration())
      continue;
    function.addFnAttr("no-builtins");
    function.addFnAttr(Attribute::NoUnwind);
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
    function.addFnAttr("prefer-vector-width", machine.getTargetFeatureString().contains("avx512f") ? "512" : "256");
    function.addFnAttr("frame-pointer", "none");
  }
}

} // namespace

namespace adze {

Expected<std::string> compileToObject(llvm::Module &module, const TargetInfo &target,
                                      const std::vector<std::string> &exported) {
  std::string error;
  std::unique_ptr<TargetMachine> machine = makeMachine(target, error);
  if (!machine)
    return internalError("this build of LLVM cannot generate code for " + std::string(kX86Triple) + ": " + error);
  prepare(module, *machine, exported);
  return optimiseAndEmit(module, *machine, OptimizationLevel::O2, CodeGenFileType::ObjectFile,
                         "an object file for " + std::string(kX86Triple));
}

Expected<std::vector<std::string>> undefinedSymbols(const std::string &object) {
  MemoryBufferRef buffer(StringRef(object), "object");
  auto file = object::ObjectFile::createObjectFile(buffer);
  if (!file)
    return internalError("not an object file: " + toString(file.takeError()));
  std::vector<std::string> names;
  for (const object::SymbolRef &symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name) {
      consumeError(flags.takeError());
      consumeError(name.takeError());
      continue;
    }
    if ((*flags & object::SymbolRef::SF_Undefined) && !name->empty())
      names.push_back(name->str());
  }
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace adze
