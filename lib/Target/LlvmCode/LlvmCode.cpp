#include "adze/Target/LlvmCode.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

static void optimise(Module &module, TargetMachine &machine, OptimizationLevel level) {
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopUnrolling = false;
  tuning.LoopInterleaving = false;
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(level).run(module, modules);
}

std::string adze::featureText(const TargetInfo &target) {
  std::string features;
  for (const std::string &feature : target.features())
    features += (features.empty() ? "+" : ",+") + feature;
  return features;
}

adze::Expected<std::string> adze::optimiseAndEmit(Module &module, TargetMachine &machine, OptimizationLevel level,
                                                  CodeGenFileType type, const std::string &what) {
  std::string error;
  raw_string_ostream errorStream(error);
  if (verifyModule(module, &errorStream))
    return internalError("the generated module " + module.getName().str() + " is not valid LLVM IR: " + error);
  optimise(module, machine, level);
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager codegen;
  codegen.add(createTargetTransformInfoWrapperPass(machine.getTargetIRAnalysis()));
  if (machine.addPassesToEmitFile(codegen, stream, nullptr, type))
    return internalError("LLVM cannot emit " + what);
  codegen.run(module);
  return std::string(bytes.begin(), bytes.end());
}
