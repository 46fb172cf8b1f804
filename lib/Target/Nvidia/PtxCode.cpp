// PtxCode.cpp: LLVM's optimiser and NVPTX code generator for one module.
//
// What a kernel rounds is written in it, as on a CPU: the code generator may not make fused multiply-adds of its own,
// divides and takes roots correctly rounded and keeps subnormal numbers.
#include "adze/Target/GpuCode.h"
#include "adze/Target/LlvmCode.h"

#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>
#include <mutex>

using namespace llvm;

namespace {

constexpr const char *kTriple = "nvptx64-nvidia-cuda";

std::unique_ptr<TargetMachine> makeMachine(const adze::TargetInfo &target, std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  Triple triple(kTriple);
  const Target *backend = TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return nullptr;
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Strict;
  return std::unique_ptr<TargetMachine>(backend->createTargetMachine(triple, std::string(target.gpu()->common),
                                                                     adze::featureText(target), options, Reloc::PIC_,
                                                                     std::nullopt, CodeGenOptLevel::Aggressive));
}

adze::Status prepare(Module &module, TargetMachine &machine, const std::vector<adze::GpuKernel> &kernels) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  for (Function &function : make_early_inc_range(module)) {
    if (function.isDeclaration())
      continue;
    auto kernel = std::find_if(kernels.begin(), kernels.end(),
                               [&](const adze::GpuKernel &one) { return one.name == function.getName(); });
    if (kernel == kernels.end()) {
      function.eraseFromParent();
      continue;
    }
    function.setCallingConv(CallingConv::PTX_Kernel);
    function.addFnAttr("nvvm.reqntid", std::to_string(kernel->threads));
    // Without it ptxas takes a number of resident blocks for its aim and spills a few registers to reach it.
    function.addFnAttr("nvvm.minctasm", "1");
    function.addFnAttr("no-builtins");
    function.addFnAttr(Attribute::NoUnwind);
    for (Argument &argument : function.args())
      if (argument.hasByValAttr())
        argument.addAttr(Attribute::get(module.getContext(), "nvvm.grid_constant"));
  }
  for (const adze::GpuKernel &kernel : kernels)
    if (!module.getFunction(kernel.name))
      return adze::internalError("the module " + module.getName().str() + " has no kernel " + kernel.name);
  return adze::Status::success();
}

} // namespace

namespace adze {

Expected<std::string> compileToPtx(llvm::Module &module, const TargetInfo &target,
                                   const std::vector<GpuKernel> &kernels) {
  if (!target.gpu())
    return internalError("PTX is made for GPUs, and " + std::string(target.name()) + " is none");
  std::string error;
  std::unique_ptr<TargetMachine> machine = makeMachine(target, error);
  if (!machine)
    return internalError("this build of LLVM cannot generate code for " + std::string(kTriple) + ": " + error);
  if (Status status = prepare(module, *machine, kernels); !status.ok())
    return status;
  return optimiseAndEmit(module, *machine, OptimizationLevel::O3, CodeGenFileType::AssemblyFile,
                         "PTX for " + std::string(target.gpu()->common));
}

} // namespace adze
