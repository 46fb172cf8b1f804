// kernel-check [--numerics=M] [--page=N] [--rules=R] [--target=NAME|all] [--batch=Q:KV:PROMPT,...] [--dump=FILE]
//              [--object=FILE] [--edges] FILE.mlir
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
// queries, tokens in the cache after the step, and prompt length of each request. --object keeps the last level's
// object file, as the level's own instructions. A GPU (--target=sm_80, sm_89, sm_90a) is a model that runs the code of
// each thread (adze/Pipeline/Execution/GpuModel.h); --object keeps its PTX behind one line for each kernel's launch.
// --edges makes inputs at the ends of int8: rows of zeros, rows whose every code is 127 or -127, rows of one giant;
// codes of weights that are the least and the greatest of their type. No result may be NaN then.
#include "../../Target/EmulatedInstructions.h"
#include "EdgeNumbers.h"
#include "adze/Conversion/KernelAbi.h"
#include "adze/Dialect/Llm/Reference/Evaluator.h"
#include "adze/Dialect/Tile/IR/Tile.h"
#include "adze/Pipeline/Execution/KernelMemory.h"
#include "adze/Pipeline/Execution/LoadedKernels.h"
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

#include <cmath>

using namespace mlir;
using namespace adze::execution;
namespace llm = adze::llm;
namespace reference = adze::llm::reference;

namespace {
llvm::cl::opt<std::string> inputFile(llvm::cl::Positional, llvm::cl::init("-"));
llvm::cl::opt<std::string> targetName("target");
llvm::cl::opt<std::string> numericsName("numerics", llvm::cl::init("f32"));
llvm::cl::opt<std::string> rules("rules", llvm::cl::init("all"));
llvm::cl::opt<int> pageTokens("page", llvm::cl::init(16));
llvm::cl::opt<std::string> batchText("batch", llvm::cl::init("3:3:3,1:70:5,7:20:20"));
llvm::cl::opt<uint64_t> seed("seed", llvm::cl::init(1));
llvm::cl::opt<double> tolerance("tolerance", llvm::cl::init(4e-6));
llvm::cl::opt<std::string> dumpFile("dump");
llvm::cl::opt<std::string> objectFile("object");
llvm::cl::opt<bool> edges("edges");

reference::Batch batchFor(int64_t page, int64_t *pages) {
  std::vector<reference::RequestStep> requests;
  llvm::SmallVector<llvm::StringRef> entries;
  llvm::StringRef(batchText).split(entries, ',', -1, false);
  // Pages are dealt in turns, so that no request's lie side by side.
  *pages = 1;
  std::vector<int64_t> wanted;
  for (llvm::StringRef entry : entries) {
    reference::RequestStep request;
    auto [queries, rest] = entry.split(':');
    auto [length, prompt] = rest.split(':');
    queries.getAsInteger(10, request.queries);
    length.getAsInteger(10, request.kvLength);
    prompt.getAsInteger(10, request.promptLength);
    wanted.push_back((request.kvLength + page - 1) / page);
    requests.push_back(request);
  }
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < requests.size(); ++i)
      if (static_cast<int64_t>(requests[i].pages.size()) < wanted[i]) {
        requests[i].pages.push_back((*pages)++);
        more = true;
      }
  }
  return reference::makeBatch(requests, page);
}

/// What a value is while kernels run: bytes, and the arrays of a batch.
struct Bytes {
  BufferRef buffer;
  std::vector<BufferRef> arrays;
};

class Check {
public:
  Check(ModuleOp module, const LoadedKernels &program) : module(module), program(program), random(seed) {}
  int failures = 0;

  void run(func::FuncOp function, llvm::raw_ostream *dump);

private:
  reference::Value inputFor(Type type, int64_t page);
  adze::Expected<Tensor> weightFor(llm::WeightOp weight);
  Bytes bytesFor(const reference::Value &value, Type type);
  bool launch(llm::KernelOp kernel, llvm::ArrayRef<Bytes> operands, std::vector<Bytes> &results);
  void compare(llvm::Twine where, const reference::Value &expected, const Bytes &found, Type type, bool exact,
               double bound);
  bool exactly(llm::KernelOp kernel);
  int64_t rowsOf(llm::KernelOp kernel) {
    return adze::resultRows(kernel) == adze::Rows::OutputRows ? batch.outputRow.size() : batch.tokens();
  }

  ModuleOp module;
  const LoadedKernels &program;
  Random random;
  reference::Batch batch;
  int64_t pages = 1, vocabulary = 1;
  std::map<std::string, Tensor> weights;
};

reference::Value Check::inputFor(Type type, int64_t page) {
  if (mlir::isa<llm::BatchType>(type))
    return batch;
  if (mlir::isa<IndexType>(type))
    return Tensor::ofInts(reference::Element::Index, {}, {0});
  if (auto kv = mlir::dyn_cast<llm::KvType>(type)) {
    // What earlier steps wrote is there; all else is NaN.
    Cache cache = Cache::empty(kv, pages);
    for (int64_t b = 0; b < batch.requests(); ++b) {
      int64_t queries = batch.queryStart[b + 1] - batch.queryStart[b];
      for (int64_t position = 0; position < batch.kvLength[b] - queries; ++position) {
        int64_t slot = batch.pages[batch.pageStart[b] + position / page] * page + position % page;
        for (int64_t layer = 0; layer < cache.layers; ++layer)
          for (int kind = 0; kind < 2; ++kind)
            for (int64_t head = 0; head < cache.heads; ++head)
              for (int64_t i = 0; i < cache.dim; ++i)
                cache.at(slot, layer, kind, head)[i] = reference::roundTo(cache.element, random.unit());
      }
    }
    return cache;
  }
  auto tensor = mlir::cast<RankedTensorType>(type);
  if (tensor.getRank() == 1 && tensor.getElementType().isInteger(32)) {
    std::vector<int64_t> ids(batch.tokens());
    for (int64_t &id : ids)
      id = random.below(vocabulary);
    return Tensor::ofInts(reference::Element::I32, {batch.tokens()}, ids);
  }
  Tensor numbers = randomTensor(tensor, batch.tokens(), 1.0, random);
  if (edges && reference::isFloat(numbers.element))
    for (int64_t i = 0; i < numbers.size(); ++i)
      numbers.floats[i] =
          reference::roundTo(numbers.element, edgeNumber(i / numbers.columns() + seed, i % numbers.columns()));
  return numbers;
}

adze::Expected<Tensor> Check::weightFor(llm::WeightOp weight) {
  auto found = weights.find(weight.getSymName().str());
  if (found != weights.end())
    return found->second;
  // By name, so that every form of one module gets the same numbers.
  Random mine(std::hash<std::string>{}(weight.getSymName().str()) ^ seed);
  auto type = mlir::cast<RankedTensorType>(weight.getType());
  bool scales = weight.getSymName().contains("scales") || weight.getSymName().contains("outer");
  double scale = type.getRank() == 1 ? 1.0 : scales ? 0.02 : 0.2;
  Tensor tensor = randomTensor(type, 0, scale, mine);
  // Frequencies and weights of norms are positive and near 1.
  if (type.getRank() == 1)
    for (float &number : tensor.floats)
      number = reference::roundTo(tensor.element, 0.75 + number / 4);
  if (edges && weight.getSymName().contains("codes")) {
    int64_t greatest = (int64_t(1) << (type.getElementTypeBitWidth() - 1)) - 1;
    for (int64_t i = 0; i < tensor.size(); ++i)
      tensor.ints[i] = edgeCode(i / tensor.columns(), i % tensor.columns(), -greatest - 1, greatest);
  }
  weights[weight.getSymName().str()] = tensor;
  return tensor;
}

Bytes Check::bytesFor(const reference::Value &value, Type type) {
  Bytes bytes;
  if (value.isBatch()) {
    const reference::Batch &b = value.batch();
    const std::vector<int64_t> *arrays[] = {&b.position,     &b.request,   &b.kvSlot, &b.queryStart, &b.kvLength,
                                            &b.promptLength, &b.pageStart, &b.pages,  &b.outputRow};
    for (unsigned i = 0; i < adze::kBatchArrays; ++i)
      bytes.arrays.push_back(toBytes(*arrays[i], adze::bitsOf(static_cast<adze::BatchArray>(i))));
  } else if (value.isCache()) {
    bytes.buffer = toBytes(value.cache(), mlir::cast<llm::KvType>(type));
  } else if (auto tensor = mlir::dyn_cast<RankedTensorType>(type)) {
    bytes.buffer = toBytes(value.tensor(), tensor);
  }
  return bytes;
}

bool Check::launch(llm::KernelOp kernel, llvm::ArrayRef<Bytes> operands, std::vector<Bytes> &results) {
  int64_t rows = rowsOf(kernel);
  results.clear();
  for (Type type : kernel.getOutputs().getTypes()) {
    Bytes bytes;
    if (auto tensor = mlir::dyn_cast<RankedTensorType>(type)) {
      bytes.buffer = std::make_shared<Buffer>(bytesOf(tensor, rows));
    } else {
      for (auto [operand, value] : llvm::zip(kernel.getInputs(), operands))
        if (operand.getType() == type)
          bytes = value;
    }
    results.push_back(bytes);
  }
  adze::KernelAbi abi = adze::deriveKernelAbi(kernel);
  std::vector<uint64_t> words;
  for (const adze::KernelPointer &pointer : abi.pointers) {
    BufferRef buffer;
    switch (pointer.kind) {
    case adze::KernelPointer::Kind::Batch:
      buffer = operands[pointer.number].arrays[static_cast<unsigned>(pointer.array)];
      break;
    case adze::KernelPointer::Kind::Result:
      buffer = results[pointer.number].buffer;
      break;
    default:
      buffer = operands[pointer.number].buffer;
    }
    words.push_back(reinterpret_cast<uint64_t>(buffer->data()));
  }
  int64_t layer = 0;
  if (abi.layer)
    if (auto constant = kernel.getInputs()[*abi.layer].getDefiningOp<arith::ConstantIndexOp>())
      layer = constant.value();
  for (int64_t word : {batch.tokens(), batch.requests(), static_cast<int64_t>(batch.outputRow.size()), layer})
    words.push_back(word);
  auto name = kernel->getAttrOfType<FlatSymbolRefAttr>("kernel").getValue();
  adze::Status status = program.run(name, words.data());
  if (!status.ok())
    llvm::errs() << name << ": " << status.message() << "\n";
  bool intact = status.ok();
  for (const Bytes &bytes : results)
    if (bytes.buffer && !bytes.buffer->guardIntact()) {
      llvm::errs() << name << ": wrote behind the end of a result\n";
      intact = false;
    }
  return intact;
}

bool Check::exactly(llm::KernelOp kernel) {
  bool exact = true;
  for (Operation &op : kernel.getBody().front()) {
    auto linear = mlir::dyn_cast<llm::QuantizedLinearOp>(op);
    bool integers = linear && linear.getInputScale();
    exact &= integers || mlir::isa<llm::QuantizeOp>(op) || mlir::isa<llm::AddOp>(op) || mlir::isa<llm::MulOp>(op) ||
             mlir::isa<llm::SliceColumnsOp>(op) || mlir::isa<llm::GatherRowsOp>(op) || mlir::isa<arith::TruncFOp>(op) ||
             mlir::isa<arith::ExtFOp>(op) || mlir::isa<llm::EmbeddingOp>(op) ||
             mlir::isa<llm::QuantizedEmbeddingOp>(op) || mlir::isa<llm::YieldOp>(op);
  }
  return exact;
}

void Check::compare(llvm::Twine where, const reference::Value &expected, const Bytes &found, Type type, bool exact,
                    double bound) {
  std::vector<float> want, have;
  int64_t columns = 1;
  double extra = 0;
  if (expected.isCache()) {
    auto kv = mlir::cast<llm::KvType>(type);
    want = expected.cache().data;
    have = fromBytes(*found.buffer, kv).data;
    columns = kv.getDim();
    extra = kv.getElement().isF32() ? 0 : 0x1p-8;
  } else {
    const Tensor &tensor = expected.tensor();
    auto ranked = mlir::cast<RankedTensorType>(type);
    Tensor bytes = fromBytes(*found.buffer, ranked, tensor.shape[0]);
    columns = tensor.columns();
    if (reference::isFloat(tensor.element)) {
      want = tensor.floats, have = bytes.floats;
      extra = ranked.getElementType().isF32() ? 0 : 0x1p-8;
    } else {
      for (int64_t i = 0; i < tensor.size(); ++i)
        want.push_back(tensor.ints[i]), have.push_back(bytes.ints[i]);
      // Codes of inexact inputs may fall on either side of a half; their sums by as many.
      extra = tensor.element == reference::Element::I8 ? 1.5 / 127 : 1e9;
    }
  }
  double worst = 0;
  size_t at = 0, wrong = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    double largest = 0;
    for (size_t j = i / columns * columns; j < i / columns * columns + columns; ++j)
      if (!std::isnan(want[j]))
        largest = std::max<double>(largest, std::abs(want[j]));
    if (std::isnan(want[i]) && std::isnan(have[i]) && !edges)
      continue;
    double error = std::abs(static_cast<double>(want[i]) - have[i]) / std::max(largest, 1e-30);
    bool equal = want[i] == have[i];
    if (!equal && (exact || !(error <= bound + extra)))
      if (wrong++ == 0)
        at = i;
    if (!equal)
      worst = std::max(worst, std::isnan(error) ? INFINITY : error);
  }
  if (wrong) {
    ++failures;
    llvm::outs() << where << ": " << wrong << " of " << want.size() << " numbers wrong, first [" << at / columns << ", "
                 << at % columns << "]: expected " << want[at] << ", found " << have[at] << "\n";
  } else {
    llvm::outs() << where << (exact ? ": equal" : ": within bound") << ", largest error " << llvm::format("%.2e", worst)
                 << "\n";
  }
}

void Check::run(func::FuncOp function, llvm::raw_ostream *dump) {
  int64_t page = 16;
  vocabulary = 1 << 20;
  function.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (auto kv = mlir::dyn_cast<llm::KvType>(operand.getType()))
        page = kv.getPage();
    if (auto embedding = mlir::dyn_cast<llm::EmbeddingOp>(op))
      vocabulary = std::min(vocabulary, embedding.getTable().getType().getDimSize(0));
    if (auto embedding = mlir::dyn_cast<llm::QuantizedEmbeddingOp>(op))
      vocabulary = std::min(vocabulary, embedding.getCodes().getType().getDimSize(0));
  });
  batch = batchFor(page, &pages);
  adze::Status legal = batch.check();
  if (!legal.ok()) {
    llvm::errs() << "--batch: " << legal.message() << "\n";
    ++failures;
    return;
  }
  llvm::DenseMap<Value, reference::Value> values;
  reference::Values inputs;
  for (BlockArgument argument : function.getArguments()) {
    inputs.push_back(inputFor(argument.getType(), page));
    values[argument] = inputs.back();
  }
  reference::Evaluator evaluator(module, [&](llm::WeightOp weight) { return weightFor(weight); });
  evaluator.observe([&](Operation *op, llvm::ArrayRef<reference::Value> results) {
    for (auto [result, value] : llvm::zip(op->getResults(), results))
      values[result] = value;
  });
  auto expected = evaluator.run(function, inputs);
  if (!expected) {
    llvm::errs() << "@" << function.getName() << ": " << expected.status().message() << "\n";
    ++failures;
    return;
  }

  llvm::DenseMap<Value, Bytes> chain;
  for (BlockArgument argument : function.getArguments())
    chain[argument] = bytesFor(values[argument], argument.getType());
  unsigned number = 0;
  for (Operation &op : function.getBody().front()) {
    auto kernel = mlir::dyn_cast<llm::KernelOp>(op);
    if (!kernel) {
      for (Value result : op.getResults())
        chain[result] = bytesFor(values[result], result.getType());
      continue;
    }
    std::vector<Bytes> alone, chained, results;
    for (Value operand : kernel.getInputs()) {
      alone.push_back(bytesFor(values[operand], operand.getType()));
      chained.push_back(chain[operand]);
    }
    std::string name =
        ("#" + llvm::Twine(number++) + " " + kernel->getAttrOfType<FlatSymbolRefAttr>("kernel").getValue()).str();
    if (!launch(kernel, alone, results)) {
      ++failures;
      return;
    }
    for (auto [i, result] : llvm::enumerate(kernel.getOutputs()))
      compare("alone " + name + " result " + llvm::Twine(i), values[result], results[i], result.getType(),
              exactly(kernel), tolerance);
    if (!launch(kernel, chained, results)) {
      ++failures;
      return;
    }
    for (auto [result, bytes] : llvm::zip(kernel.getOutputs(), results))
      chain[result] = bytes;
  }
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    // One rounding to bf16 or int8 that falls on the other side of a half moves all that follows.
    compare("chained result " + llvm::Twine(i), (*expected)[i], chain[value], value.getType(), false,
            numericsName == "f32" ? 64 * tolerance : 0.03);
    if (!dump)
      continue;
    // The cache is written as numbers, for its bytes depend on the page.
    if (mlir::isa<RankedTensorType>(value.getType()))
      *dump << llvm::StringRef(reinterpret_cast<char *>(chain[value].buffer->data()), chain[value].buffer->size());
  }
}
} // namespace

/// Brings the file to kernels of the target and checks them; returns the number of failures.
static int checkLevel(MLIRContext &context, const adze::TargetInfo &target, llvm::raw_ostream *dump) {
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(inputFile, &context);
  if (!module)
    return 1;
  llvm::SmallVector<func::FuncOp> steps(module->getOps<func::FuncOp>());
  std::string name(target.name());
  adze::PhaseSettings settings{numericsName == "none" ? "" : numericsName.getValue(), name, rules, pageTokens, ""};
  std::string pipeline =
      phasePipeline(adze::Phase::Llm, settings) + "," + phasePipeline(adze::Phase::Kernels, settings);
  PassManager manager(&context);
  if (failed(parsePassPipeline(pipeline, manager)) || failed(manager.run(*module)))
    return 1;
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
  auto program = LoadedKernels::compile(*module, target, Lowering::Product, makeObject);
  if (!program) {
    llvm::errs() << program.status().message() << "\n";
    return 1;
  }
  if (!objectFile.empty()) {
    std::error_code error;
    llvm::raw_fd_ostream(objectFile, error) << object;
  }
  Check check(*module, **program);
  for (func::FuncOp step : steps) {
    llvm::outs() << "@" << step.getName() << " for " << name << "\n";
    check.run(step, dump);
  }
  return check.failures;
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
  int failures = 0;
  for (const adze::TargetInfo *target : targets)
    failures += checkLevel(context, *target, target == targets.front() ? dump.get() : nullptr);
  llvm::outs() << (failures ? "FAILED\n" : "all kernels hold\n");
  return failures != 0;
}
