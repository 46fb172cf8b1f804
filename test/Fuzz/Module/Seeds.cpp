#include "Seeds.h"

#include "adze/Conversion/TileToCpu/Passes.h"
#include "adze/Conversion/TileToGpu/Passes.h"
#include "adze/Dialect/Exec/IR/Exec.h"
#include "adze/Pipeline/Phase.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace mlir;

namespace adze::fuzz {

static const char *const kSeedTexts[] = {
#include "SeedTexts.inc"
};

static constexpr const char *kGpu = "sm_80";

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  insertPipelineDialects(registry);
  return registry;
}

/// The passes of the compiler between two phases, and those of a kernel one by one, as far as they have registered
/// names.
static std::string pipelineOf(Device device, Stage stage) {
  PhaseSettings settings{"f32", "x86-64-v3", "all", 16, ""};
  if (device == Device::Gpu)
    settings.gpu = kGpu;
  const std::string target = "{target=" + settings.target() + "}";
  const bool cpu = device == Device::Cpu;
  switch (stage) {
  case Llm:
    return phasePipeline(Phase::Llm, settings);
  case Kernels:
    return phasePipeline(Phase::Kernels, settings);
  case Exec:
    return phasePipeline(Phase::Exec, settings);
  case Native:
    return phasePipeline(Phase::Native, settings);
  case Peel:
    return cpu ? "tile-peel-boundaries" : "";
  case Layouts:
    return (cpu ? "tile-assign-layouts" : "tile-assign-thread-layouts") + target + ",tile-verify-kernels" + target;
  case Code:
    return cpu ? "convert-tile-to-cpu" + target : "";
  case Plan:
    return "exec-verify-launches,exec-plan-memory,exec-verify-memory";
  default:
    return "";
  }
}

Workshop::Workshop() : context(makeRegistry(), MLIRContext::Threading::DISABLED) {
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
  registerPipelinePasses();
  context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error && !diagnostic.str().empty())
      ++diagnostics;
    return success();
  });
  DialectRegistry needed;
  for (Device device : {Device::Cpu, Device::Gpu})
    for (int stage = 0; stage < StageCount; ++stage) {
      auto &pipeline = pipelines[size_t(device)][size_t(stage)] = std::make_unique<PassManager>(&context);
      std::string text = pipelineOf(device, Stage(stage));
      if (!text.empty() && failed(parsePassPipeline(text, *pipeline, llvm::errs())))
        std::abort();
      if (stage == Code && device == Device::Gpu)
        pipeline->addPass(tile::createConvertTileToGpuPass({kGpu}));
      if (stage == Lowering)
        device == Device::Cpu ? tile::buildVectorToLLVM(*pipeline) : tile::buildThreadsToLLVM(*pipeline);
      pipeline->getDependentDialects(needed);
    }
  context.appendDialectRegistry(needed);
  context.loadAllAvailableDialects();
  for (const char *text : kSeedTexts) {
    auto &modules = files.emplace_back();
    SmallVector<StringRef> parts;
    StringRef(text).split(parts, "// -----\n");
    for (StringRef part : parts) {
      OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(part, ParserConfig(&context));
      // Whoever changes a test that is a seed must be told.
      if (!module) {
        llvm::errs() << "a seed of fuzz-mlir is no module any more:\n" << part;
        std::abort();
      }
      everything.collect(*module);
      modules.push_back(std::move(module));
    }
  }
}

bool Workshop::run(Device device, Stage stage, ModuleOp module) {
  unsigned before = diagnostics;
  if (stage == Native) // as the compiler does: kernels are compiled apart, and the host code declares them
    for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (function->hasAttr("tile.kernel"))
        function.erase();
  if (succeeded(pipelines[size_t(device)][stage]->run(module)))
    return true;
  if (diagnostics == before) {
    llvm::errs() << "stage " << int(stage) << " of device " << int(device) << " failed and said nothing\n";
    std::abort();
  }
  return false;
}

bool Workshop::valid(ModuleOp module) {
  unsigned before = diagnostics;
  if (succeeded(verify(module)))
    return true;
  if (diagnostics == before) {
    llvm::errs() << "the verifier failed and said nothing\n";
    std::abort();
  }
  return false;
}

std::vector<OwningOpRef<ModuleOp>> Workshop::kernels(ModuleOp module) {
  std::vector<OwningOpRef<ModuleOp>> found;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr("tile.kernel")) {
      found.push_back(ModuleOp::create(function.getLoc()));
      found.back()->getBody()->push_back(function->clone());
    }
  return found;
}

ModuleOp Workshop::seed(size_t file, size_t part, Device device, Stage stage, size_t kernel) {
  file %= files.size();
  part %= files[file].size();
  ModuleOp text = *files[file][part];
  if (stage < Peel)
    kernel = 0;
  auto [place, fresh] = made.try_emplace({file, part, device, stage, kernel});
  OwningOpRef<ModuleOp> &module = place->second;
  if (!fresh)
    return module ? *module : ModuleOp();
  if (stage == Llm || (stage == Native && !text.getOps<exec::ProgramOp>().empty())) {
    module = OwningOpRef<ModuleOp>(text.clone());
  } else if (stage == Peel) {
    // Its own kernels, or those that its groups become.
    auto all = kernels(text);
    if (all.empty())
      if (ModuleOp exec = seed(file, part, device, Exec, 0))
        all = kernels(exec);
    if (!all.empty())
      module = std::move(all[kernel % all.size()]);
  } else if (ModuleOp before = seed(file, part, device, Stage(stage - 1), kernel)) {
    module = OwningOpRef<ModuleOp>(before.clone());
    if (!run(device, Stage(stage - 1), *module))
      module = nullptr;
  }
  if (module && !valid(*module))
    module = nullptr;
  return module ? *module : ModuleOp();
}

} // namespace adze::fuzz
