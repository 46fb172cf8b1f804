// kernel-check [--numerics=M] [--page=N] [--rules=R] [--target=NAME|all] [--batch=Q:KV:PROMPT,...[@SEED]]...
//              [--dump=FILE] [--object=FILE] [--edges] [--kernel-cache=FOLDER] [--rows=N] [--split=N]
//              [--each-alone] FILE.mlir
//
// Takes steps as an importer makes them, brings them to kernels for each CPU level of this machine (or for --target, or
// for all of them: instructions that the machine lacks are emulated), and compares the kernels with the reference
// evaluator on generated inputs:
//
//   alone    each kernel on the reference's own inputs, so that a difference is that kernel's;
//   chained  the whole function, kernel after kernel, against the reference's results.
//
// Results are poisoned with NaN before a kernel runs, blocks run in several ranges and out of order, and nothing may be
// written behind a buffer. What is exact by its description (quantization, integer products) must be equal; the rest
// may differ by the tolerance times the largest number of the row. --dump writes the chained results' bits: two forms
// of one module (fused and unfused, pages of 16 and of 64) are compared by comparing these files. The batch gives
// queries, tokens in the cache after the step, and prompt length of each request; with several, one compile serves all.
// Kernels that any process compiled before come from --kernel-cache, where the machine runs the level. --object keeps
// the last level's object file, as the level's own instructions. A GPU (--target=sm_80, sm_89, sm_90a) is a model that
// runs the code of each thread (adze/Pipeline/Execution/GpuModel.h); --object keeps its PTX behind one line for each
// kernel's launch.
// --rows gives every attention a schedule with that many rows (of matrix instructions, in bf16) and, with --split, runs
// of so many positions for rows after the prompt, as a GPU's table has. --each-alone runs attention once more for each
// token in a step of its own: the bits must be those that it has among the others.
// --edges makes inputs at the ends of int8: rows of zeros, rows whose every code is 127 or -127, rows of one giant;
// codes of weights that are the least and the greatest of their type. No result may be NaN then.
#include "../../Target/EmulatedInstructions.h"
#include "KernelCheck.h"
#include "adze/Dialect/Tile/IR/Tile.h"
#include "adze/Pipeline/Gpu/GpuProgram.h"
#include "adze/Pipeline/Phase.h"
#include "adze/Support/Mutant.h"
#include "adze/Target/NativeCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace adze::execution;
using adze::test::Check;
using adze::test::Inputs;
namespace llm = adze::llm;
namespace reference = adze::llm::reference;

namespace {
llvm::cl::opt<std::string> inputFile(llvm::cl::Positional, llvm::cl::init("-"));
llvm::cl::opt<std::string> targetName("target");
llvm::cl::opt<std::string> numericsName("numerics", llvm::cl::init("f32"));
llvm::cl::opt<std::string> rules("rules", llvm::cl::init("all"));
llvm::cl::opt<int> pageTokens("page", llvm::cl::init(16));
llvm::cl::list<std::string> batches("batch");
llvm::cl::opt<std::string> kernelCache("kernel-cache");
llvm::cl::opt<double> tolerance("tolerance", llvm::cl::init(4e-6));
llvm::cl::opt<std::string> dumpFile("dump");
llvm::cl::opt<std::string> objectFile("object");
llvm::cl::opt<bool> edges("edges"), eachAlone("each-alone");
llvm::cl::opt<int64_t> attentionRows("rows", llvm::cl::init(0)), attentionSplit("split", llvm::cl::init(0));
} // namespace

/// Brings the file to kernels of the target and checks them; returns the number of failures.
static int checkLevel(MLIRContext &context, const adze::TargetInfo &target, llvm::ArrayRef<Inputs> inputs,
                      const adze::KernelCache &cache, llvm::raw_ostream *dump) {
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(inputFile, &context);
  if (!module)
    return 1;
  llvm::SmallVector<func::FuncOp> steps(module->getOps<func::FuncOp>());
  std::string name(target.name());
  adze::PhaseSettings settings{numericsName == "none" ? "" : numericsName.getValue(), name, rules, pageTokens, ""};
  for (adze::Phase phase : {adze::Phase::Llm, adze::Phase::Kernels}) {
    PassManager manager(&context);
    if (failed(parsePassPipeline(phasePipeline(phase, settings), manager)) || failed(manager.run(*module)))
      return 1;
    // What is there already is kept by the phase that chooses schedules.
    if (phase == adze::Phase::Llm && attentionRows)
      module->walk([](llm::PagedAttentionOp op) {
        Builder builder(op.getContext());
        auto kernel = op->getParentOfType<llm::KernelOp>();
        kernel->setAttr("matrix_rows", builder.getI64IntegerAttr(attentionRows));
        kernel->setAttr("kv_split", builder.getI64IntegerAttr(attentionSplit));
      });
  }
  std::string object;
  auto makeObject = [&](llvm::Module &code, const std::vector<std::string> &names) -> adze::Expected<std::string> {
    auto objects = adze::test::compileForTest(code, target, names);
    if (!objects)
      return objects.status();
    object = std::move(objects->own);
    return std::move(objects->runs);
  };
  if (target.gpu() && !objectFile.empty()) {
    auto code = adze::buildGpuProgram(*module, target);
    if (!code) {
      llvm::errs() << code.status().message() << "\n";
      return 1;
    }
    object = code->text();
  }
  ObjectMaker own = nullptr;
  if (!target.gpu() && (!objectFile.empty() || !adze::test::machineRuns(target)))
    own = makeObject;
  auto program = LoadedKernels::compile(*module, target, Lowering::Product, cache, own);
  if (!program) {
    llvm::errs() << program.status().message() << "\n";
    return 1;
  }
  if (!objectFile.empty()) {
    std::error_code error;
    llvm::raw_fd_ostream(objectFile, error) << object;
  }
  const adze::test::Settings common{numericsName, tolerance, edges, eachAlone};
  int failures = 0;
  for (const Inputs &one : inputs) {
    Check check(*module, **program, common, one);
    for (func::FuncOp step : steps) {
      llvm::outs() << "@" << step.getName() << " for " << name << ", " << one.requests << " from seed " << one.seed
                   << "\n";
      check.run(step, dump);
    }
    failures += check.failures;
  }
  return failures;
}

int main(int argc, char **argv) {
  if (adze::Status status = adze::takeMutantFlag(argc, argv); !status.ok()) {
    llvm::errs() << status.message() << "\n";
    return 1;
  }
  llvm::cl::ParseCommandLineOptions(argc, argv, "compares compiled kernels with the reference evaluator\n");
  llvm::SmallVector<const adze::TargetInfo *> targets;
  for (std::string_view name : adze::targetNames()) {
    targets.push_back(adze::findTarget(name));
    if (targetName != "all" && targets.back() == adze::hostTarget())
      break;
  }
  if (!targetName.empty() && targetName != "all")
    targets.assign(1, adze::findTarget(targetName.getValue()));
  if (!targets.front()) {
    llvm::errs() << "there is no target named '" << targetName << "'\n";
    return 1;
  }
  DialectRegistry registry;
  registry
      .insert<arith::ArithDialect, func::FuncDialect, math::MathDialect, llm::LlmDialect, adze::tile::TileDialect>();
  reference::registerReferenceEvaluator(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  adze::registerPipelinePasses();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  std::error_code error;
  std::unique_ptr<llvm::raw_fd_ostream> dump;
  if (!dumpFile.empty())
    dump = std::make_unique<llvm::raw_fd_ostream>(dumpFile, error);
  std::vector<Inputs> inputs;
  for (llvm::StringRef text : batches) {
    auto [requests, seed] = text.split('@');
    inputs.push_back({requests, 1});
    if (!seed.empty() && seed.getAsInteger(10, inputs.back().seed)) {
      llvm::errs() << "--batch=" << text << ": behind @ stands a seed, which is a whole number\n";
      return 1;
    }
  }
  if (inputs.empty())
    inputs.push_back({"3:3:3,1:70:5,7:20:20", 1});
  auto cache = adze::KernelCache::open(kernelCache);
  if (!cache) {
    llvm::errs() << cache.status().message() << "\n";
    return 1;
  }
  int failures = 0;
  for (const adze::TargetInfo *target : targets)
    failures += checkLevel(context, *target, inputs, *cache, target == targets.front() ? dump.get() : nullptr);
  llvm::outs() << (failures ? "FAILED\n" : "all kernels hold\n");
  return failures != 0;
}
