// Session.cpp: loading a module and taking it through the phases.
#include "Session.h"

#include "adze/Dialect/Llm/IR/Llm.h"
#include "adze/Import/Import.h"
#include "adze/Pipeline/ModuleText.h"
#include "adze/Support/MappedFile.h"
#include "adze/Target/NativeCode.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <filesystem>

using namespace mlir;

namespace adze {

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  insertPipelineDialects(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  return registry;
}

Session::Session(const CompileOptions &options) : options(options), progress(options.quiet), context(makeRegistry()) {
  // Kernels are compiled on several threads, and a dialect may only be loaded before that.
  context.loadAllAvailableDialects();
  // One error is one line, not the whole function that it was found in.
  context.printOpOnDiagnostic(false);
  registerPipelinePasses();
}

Status Session::load() {
  if (!options.model.empty())
    if (Status status = importFrom(); !status.ok())
      return status;
  if (options.startFrom.empty()) {
    passed = Phase::Import;
    return Status::success();
  }
  return readModule();
}

Status Session::importFrom() {
  auto model = importModel(options.model, context, {.hashTensorFiles = !options.withoutWeights});
  if (!model)
    return model.status();
  module = std::move(model->module);
  tokenizer = std::move(model->tokenizer);
  generation = std::move(model->generation);
  licence = std::move(model->licence);
  weightsFolder = std::move(model->folder);
  for (llm::FileOp file : module->getOps<llm::FileOp>())
    sources.push_back({file.getPath().str(), int64_t(file.getSize()), file.getHash().str()});
  return Status::success();
}

Status Session::readModule() {
  auto file = MappedFile::open(options.startFrom);
  if (!file)
    return file.takeStatus().withContext("--start-from");
  // MLIR's parser trusts what it is given to be of a person's making; see ModuleText.h.
  if (Status status = checkModuleText(file->text(), options.startFrom); !status.ok())
    return status.withContext("--start-from");
  // The parser looks at the byte behind the last one: a string has it, a mapped file need not.
  std::string text(file->text());
  module = parseSourceString<ModuleOp>(text, ParserConfig(&context), options.startFrom);
  if (!module)
    return invalidInput("--start-from=" + options.startFrom +
                        ": the file is no module of Adze (the messages above say why)");
  // With a model beside it, both must come of the same files: the tokenizer is the model's.
  for (llm::FileOp file : module->getOps<llm::FileOp>())
    for (const ManifestSource &source : sources)
      if (source.name == file.getPath() && !source.hash.empty() && source.hash != file.getHash())
        return invalidInput("--start-from=" + options.startFrom + ": was made from " + source.name + " with the hash " +
                            file.getHash().str() + "; that of " + options.model + " has " + source.hash +
                            ". Import the model again");
  if (auto phase = (*module)->getAttrOfType<StringAttr>("adze.phase")) {
    passed = parsePhase(phase.getValue());
    if (!passed || *passed == Phase::Native)
      return invalidInput("--start-from=" + options.startFrom + ": adze.phase is \"" + phase.str() +
                          "\"; import, llm, kernels or exec is accepted");
  } else {
    passed = Phase::Import;
  }
  if (!options.weights.empty())
    weightsFolder = options.weights;
  else if (weightsFolder.empty())
    weightsFolder = std::filesystem::path(options.startFrom).parent_path().string();
  if (weightsFolder.empty())
    weightsFolder = ".";
  return Status::success();
}

Status Session::settle() {
  settings = {options.numerics, options.cpu, options.fuse, options.kvPage, options.target};
  auto record = (*module)->getAttrOfType<DictionaryAttr>("adze.options");
  if (record && *passed != Phase::Import) {
    // The llm phase has used these; another wish now would be believed and not done.
    std::pair<const char *, std::string *> texts[] = {
        {"numerics", &settings.numerics}, {"cpu", &settings.cpu}, {"fuse", &settings.fuse}, {"target", &settings.gpu}};
    std::string page = std::to_string(settings.kvPage);
    auto adopt = [&](const char *name, std::string &value) -> Status {
      auto settled = record.getAs<StringAttr>(name);
      if (!settled)
        return Status::success();
      bool wished = std::find(options.given.begin(), options.given.end(), name) != options.given.end();
      if (wished && settled.getValue() != value)
        return invalidInput("--" + std::string(name) + "=" + value + ": the module to start from was made with " +
                            settled.str() + "; start from an earlier phase");
      value = settled.str();
      return Status::success();
    };
    for (auto &[name, value] : texts)
      if (Status status = adopt(name, *value); !status.ok())
        return status;
    if (Status status = adopt("kv-page", page); !status.ok())
      return status;
    settings.kvPage = std::atoll(page.c_str());
    if (!settings.gpu.empty() && !record.contains("target"))
      return invalidInput("--target=" + settings.gpu +
                          ": the module to start from was made for a CPU; start from an earlier phase");
  }
  if (!settings.gpu.empty() && (options.emit == Emit::So || options.compileTo == Phase::Native))
    return invalidInput(
        "the module to start from was made for " + settings.gpu +
        ", whose code does not lie in program.so: leave --emit and --compile-to out for an artifact, or "
        "give --emit=ptx for the code");
  if (options.emit == Emit::Ptx && *passed > Phase::Kernels)
    return invalidInput("--emit=ptx: the module to start from has passed " + std::string(phaseName(*passed)) +
                        "; kernels become PTX after phase kernels");
  if (settings.numerics.empty()) {
    bool grouped = (*module)->walk([](llm::QuantizedLinearOp) { return WalkResult::interrupt(); }).wasInterrupted();
    settings.numerics = grouped ? "a8" : "bf16";
  }
  target = settings.cpu.empty() ? hostTarget() : findTarget(settings.cpu);
  if (!target)
    return unsupported(settings.cpu.empty()
                           ? "this machine lacks AVX2, FMA or F16C, which x86-64-v3 needs; name a level by --cpu"
                           : "--cpu=" + settings.cpu + " is no target of this build");
  settings.cpu = std::string(target->name());
  return Status::success();
}

void Session::record(Phase phase) {
  passed = phase;
  Builder b(&context);
  (*module)->setAttr("adze.phase", b.getStringAttr(phaseName(phase)));
  if (phase == Phase::Import)
    return;
  auto entry = [&](StringRef name, const std::string &value) { return b.getNamedAttr(name, b.getStringAttr(value)); };
  SmallVector<NamedAttribute> entries{entry("numerics", settings.numerics), entry("cpu", settings.cpu),
                                      entry("fuse", settings.fuse), entry("kv-page", std::to_string(settings.kvPage))};
  if (!settings.gpu.empty())
    entries.push_back(entry("target", settings.gpu));
  (*module)->setAttr("adze.options", b.getDictionaryAttr(entries));
}

std::string Session::reproduction(Phase phase) const {
  CompileOptions from = options;
  std::string text;
  Phase before = Phase(int(phase) - 1);
  if (options.startFrom.empty() || before != *passed) {
    text = from.commandLine() + " --compile-to=" + std::string(phaseName(before)) + " -o before.mlir && ";
    from.startFrom = "before.mlir";
    from.given.clear();
    from.weights = weightsFolder;
    from.model.clear();
  }
  return text + from.commandLine() + " --compile-to=" + std::string(phaseName(phase)) + " -o after" +
         (phase == Phase::Native ? ".so" : ".mlir");
}

Status Session::runPasses(const std::string &pipeline, const std::string &failure) {
  PassManager manager(&context);
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(parsePassPipeline(pipeline, manager, stream)))
    return internalError("the pipeline '" + pipeline + "' cannot be built: " + text);
  return succeeded(manager.run(*module)) ? Status::success() : invalidInput(failure);
}

Status Session::checkContract() {
  std::string contract = phaseContract(*passed, settings);
  if (options.startFrom.empty() || contract.empty())
    return Status::success();
  return runPasses(contract, "--start-from=" + options.startFrom + ": the module is not what the phase " +
                                 std::string(phaseName(*passed)) + " ends with (the messages above say why)");
}

Status Session::runPhase(Phase phase) {
  progress.stage("phase " + std::string(phaseName(phase)));
  if (Status status = runPasses(phasePipeline(phase, settings),
                                "phase " + std::string(phaseName(phase)) +
                                    " failed (the messages above say why)\nrepeat it with: " + reproduction(phase));
      !status.ok())
    return status;
  record(phase);
  return Status::success();
}

Status Session::dump(Phase phase) {
  if (std::find(options.dumpAfter.begin(), options.dumpAfter.end(), phase) == options.dumpAfter.end())
    return Status::success();
  progress.clear();
  llvm::errs() << "// after phase " << phaseName(phase) << "\n";
  module->print(llvm::errs());
  llvm::errs() << "\n";
  return Status::success();
}

Status Session::run() {
  if (Status status = checkOutput(); !status.ok())
    return status;
  progress.stage("reading the model");
  // An error of a pass must not land on the progress line.
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    progress.clear();
    return failure();
  });
  if (Status status = load(); !status.ok())
    return status;
  if (failed(verify(*module)))
    return internalError("the module that was made of the model is not valid (the messages above say why)");
  if (Status status = settle(); !status.ok())
    return status;
  if (Status status = checkContract(); !status.ok())
    return status;
  record(*passed);
  if (Status status = dump(*passed); !status.ok())
    return status;
  const Phase last = options.emit == Emit::Ptx ? Phase::Kernels : options.compileTo.value_or(Phase::Native);
  if (last < *passed)
    return invalidInput("--compile-to=" + std::string(phaseName(last)) + ": the module to start from has passed " +
                        std::string(phaseName(*passed)) + " already");
  for (Phase phase : kPhases) {
    if (phase <= *passed || phase > last || phase == Phase::Native)
      continue;
    if (Status status = runPhase(phase); !status.ok())
      return status;
    if (Status status = dump(phase); !status.ok())
      return status;
  }
  if (options.emit == Emit::Ptx)
    return writePtx();
  if (last != Phase::Native)
    return writeText(options.output);
  return writeArtifact();
}

} // namespace adze
