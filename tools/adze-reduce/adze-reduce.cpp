// adze-reduce --wrong-result --pass-pipeline=PIPELINE [--seed=N] FILE.mlir -o SMALL.mlir
//
// Makes a module on which a pass gives a wrong result small, and its inputs with it. The file that it writes holds
// everything: `adze-opt --verify-each-by-execution` with the same pipeline finds the same pass wrong on it.
#include "adze/Pipeline/Execution/Reduction.h"
#include "adze/Pipeline/Phase.h"
#include "adze/Support/Mutant.h"
#include "adze/Support/ScratchOutput.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

static llvm::cl::OptionCategory category("Adze's options");
static llvm::cl::opt<std::string> inputFile(llvm::cl::Positional, llvm::cl::Required, llvm::cl::desc("FILE.mlir"),
                                            llvm::cl::cat(category));
static llvm::cl::opt<std::string> outputFile("o", llvm::cl::desc("file to write, or - for standard output"),
                                             llvm::cl::init("-"), llvm::cl::cat(category));
static llvm::cl::opt<bool> wrongResult("wrong-result", llvm::cl::cat(category),
                                       llvm::cl::desc("keep what makes a pass give a wrong result"));
static llvm::cl::opt<std::string> pipeline("pass-pipeline", llvm::cl::cat(category),
                                           llvm::cl::desc("the passes, as adze-opt takes them"));
static llvm::cl::opt<uint64_t> seed("seed", llvm::cl::init(1), llvm::cl::cat(category),
                                    llvm::cl::desc("seed of the inputs"));
static llvm::cl::opt<std::string> executionCpu("execution-cpu", llvm::cl::init("x86-64-v3"), llvm::cl::cat(category),
                                               llvm::cl::desc("target that kernels are compiled for"));
static llvm::cl::opt<std::string> plugin("load-pass-plugin", llvm::cl::cat(category),
                                         llvm::cl::desc("library with more passes"));

static int fail(const std::string &message) {
  llvm::errs() << "adze-reduce: " << message << "\n";
  return 1;
}

int main(int argc, char **argv) {
  if (adze::Status taken = adze::takeMutantFlag(argc, argv); !taken.ok())
    return fail(taken.message());
  llvm::cl::HideUnrelatedOptions(category);
  llvm::cl::ParseCommandLineOptions(argc, argv, "makes a module on which a pass is wrong small\n");
  if (!wrongResult)
    return fail("say what the small file must still show: --wrong-result");
  if (pipeline.empty())
    return fail("name the passes: --pass-pipeline='builtin.module(...)'");
  const adze::TargetInfo *cpu = adze::findTarget(executionCpu);
  if (!cpu)
    return fail("there is no target named '" + executionCpu + "'");
  if (!plugin.empty()) {
    auto loaded = PassPlugin::load(plugin);
    if (!loaded)
      return fail("--load-pass-plugin: " + llvm::toString(loaded.takeError()));
    loaded->registerPassRegistryCallbacks();
  }
  adze::registerPipelinePasses();

  DialectRegistry registry;
  registry.insert<cf::ControlFlowDialect, DLTIDialect, memref::MemRefDialect>();
  adze::execution::registerExecution(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(inputFile, sources, &context);
  if (!module)
    return 1;

  // The passes of adze-opt's text stand inside builtin.module( ).
  llvm::StringRef passes = pipeline;
  if (passes.consume_front("builtin.module("))
    passes.consume_back(")");
  auto reduction = adze::execution::reduceWrongResult(*module, passes.str(), {seed, cpu});
  if (!reduction)
    return fail(reduction.status().message());

  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "// Pass '" << reduction->pass << "' gives a wrong result here. To repeat it:\n"
         << "//   adze-opt --verify-each-by-execution --execution-cpu=" << executionCpu;
  if (!plugin.empty())
    stream << " --load-pass-plugin=" << plugin;
  stream << " --pass-pipeline='builtin.module(" << passes << ")' FILE\n";
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(reduction->finding).split(lines, '\n', -1, false);
  for (llvm::StringRef line : lines)
    stream << "// " << line << "\n";
  reduction->module->print(stream);
  stream << "\n";
  llvm::errs() << "adze-reduce: " << reduction->opsBefore << " ops became " << reduction->opsAfter << " in "
               << reduction->trials << " trials; pass '" << reduction->pass << "'\n";
  if (outputFile == "-") {
    llvm::outs() << text;
    return 0;
  }
  auto scratch = adze::ScratchOutput::file(outputFile, adze::Overwrite::Replace);
  if (!scratch)
    return fail(scratch.status().message());
  if (adze::Status status = adze::writeFile(scratch->scratchPath(), text); !status.ok())
    return fail(status.message());
  if (adze::Status status = scratch->commit(); !status.ok())
    return fail(status.message());
  return 0;
}
