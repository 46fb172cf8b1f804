// ValueComparison.cpp: the same values by the reference, and how far they are from those of the artifact.
#include "ValueComparison.h"

#include "Session.h"

#include "adze/Conversion/KernelAbi/ValueNames.h"
#include "adze/Dialect/Llm/Reference/Evaluator.h"
#include "adze/Pipeline/WeightEvaluator.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace adze {

namespace reference = llm::reference;
using reference::Tensor;

namespace {
/// Values by name; one name may have several elements (f32 and its rounding to bf16).
using NamedValues = std::map<std::string, std::vector<Tensor>>;

/// Returns the named values alone, so that nothing behind them is computed.
std::vector<std::string> returnOnly(func::FuncOp step, const std::map<std::string, bool> &wanted) {
  ValueNames names(step);
  Block &block = step.getBody().front();
  std::vector<std::string> order;
  SmallVector<Value> returned;
  for (Operation &op : block)
    for (Value result : op.getResults())
      if (std::string name = names.of(result); wanted.count(name)) {
        order.push_back(name);
        returned.push_back(result);
      }
  block.getTerminator()->setOperands(returned);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (!op.hasTrait<OpTrait::IsTerminator>() && op.use_empty())
      op.erase();
  step.setFunctionType(FunctionType::get(step.getContext(), block.getArgumentTypes(), TypeRange(ValueRange(returned))));
  return order;
}

double numberAt(const Tensor &tensor, int64_t i) {
  return reference::isFloat(tensor.element) ? double(tensor.floats[i]) : double(tensor.ints[i]);
}

struct Deviation {
  double relative = 0, largest = 0, found = 0, expected = 0;
  int64_t row = 0, column = 0;
};

Deviation deviationOf(const Tensor &found, const Tensor &expected) {
  Deviation deviation;
  double error = 0, size = 0;
  for (int64_t i = 0; i < found.size(); ++i) {
    double a = numberAt(found, i), b = numberAt(expected, i), difference = std::abs(a - b);
    error += difference * difference;
    size += b * b;
    if (!(difference <= deviation.largest)) {
      deviation.largest = difference;
      deviation.found = a, deviation.expected = b;
      deviation.row = i / found.columns(), deviation.column = i % found.columns();
    }
  }
  deviation.relative = error == 0 ? 0 : std::sqrt(error / std::max(size, 1e-300));
  return deviation;
}

/// The value of the reference that stands for a dumped one: the same name and element, else the same name.
const Tensor *find(const NamedValues &values, const std::string &name, const Tensor &like) {
  auto found = values.find(name);
  if (found == values.end())
    return nullptr;
  const Tensor *other = nullptr;
  for (const Tensor &tensor : found->second) {
    if (tensor.shape != like.shape)
      continue;
    if (tensor.element == like.element)
      return &tensor;
    if (reference::isFloat(tensor.element) && reference::isFloat(like.element))
      other = &tensor;
  }
  return other;
}

/// "layers.0.attention.norm.bf16" is the second value of a name: see ValueDump.
std::string nameOf(const std::string &key) {
  for (const char *suffix : {".f32", ".bf16"})
    if (key.ends_with(suffix))
      return key.substr(0, key.size() - std::string_view(suffix).size());
  return key;
}

/// The number that codes stand for.
Tensor dequantized(const Tensor &codes, const Tensor &scale) {
  Tensor tensor = Tensor::zeros(reference::Element::F32, codes.shape);
  int64_t group = codes.columns() / scale.columns();
  for (int64_t i = 0; i < codes.size(); ++i) {
    int64_t row = i / codes.columns(), column = i % codes.columns();
    tensor.floats[i] = float(codes.ints[i]) * scale.row(row)[column / group];
  }
  return tensor;
}

void printColumns(const std::string &name, const Tensor &tensor, const Tensor *expected) {
  llvm::raw_ostream &out = llvm::outs();
  out << llvm::left_justify(name, 44) << " "
      << llvm::left_justify(std::to_string(tensor.rows()) + "x" + std::to_string(tensor.columns()) +
                                std::string(reference::elementName(tensor.element)),
                            14);
  if (!expected) {
    out << " no value of the reference has this name\n";
    return;
  }
  Deviation d = deviationOf(tensor, *expected);
  out << llvm::format(" relative L2 %.2e, largest %.2e", d.relative, d.largest);
  if (d.largest > 0)
    out << llvm::format(" at [%lld, %lld]: %.7g, reference %.7g", (long long)d.row, (long long)d.column, d.found,
                        d.expected);
  out << "\n";
}
} // namespace

Expected<NamedValues> Session::referenceValues(const DumpedValues &dump, const std::map<std::string, bool> &wanted) {
  if (Status status = load(); !status.ok())
    return status;
  if (Status status = settle(); !status.ok())
    return status;
  record(*passed);
  std::vector<std::string> hashes;
  for (llm::FileOp file : module->getOps<llm::FileOp>())
    hashes.push_back(file.getHash().str());
  std::sort(hashes.begin(), hashes.end());
  if (hashes != dump.sources)
    return invalidInput("--compare-values=" + options.compareValues +
                        ": the values were computed by an artifact of "
                        "other files than those of " +
                        options.model + "; give the model that it was compiled from");
  if (Status status = runPhase(Phase::Llm); !status.ok())
    return status;
  auto step = module->lookupSymbol<func::FuncOp>("step");
  if (!step)
    return internalError("the module has no function @step after phase llm");
  std::vector<std::string> order = returnOnly(step, wanted);
  reference::registerReferenceEvaluator(context);
  auto weights = WeightEvaluator::open(*module, weightsFolder, /*checkHashes=*/false); // importing has hashed them
  if (!weights)
    return weights.status();
  reference::Values inputs;
  int64_t count = dump.tokens.size();
  for (Type type : step.getArgumentTypes()) {
    int64_t page = settings.kvPage, pages = (count + page - 1) / page;
    if (isa<llm::BatchType>(type)) {
      reference::RequestStep request{count, count, count, {}, false};
      for (int64_t i = 0; i < pages; ++i)
        request.pages.push_back(i);
      inputs.push_back(reference::makeBatch({request}, page));
    } else if (auto kv = dyn_cast<llm::KvType>(type)) {
      inputs.push_back(reference::Cache::empty(kv, pages));
    } else {
      inputs.push_back(Tensor::ofInts(reference::Element::I32, {count}, dump.tokens));
    }
  }
  progress.stage("computing " + std::to_string(order.size()) + " values by the reference");
  auto results = reference::evaluate(step, std::move(inputs), weights->provider());
  if (!results)
    return results.status();
  progress.clear();
  NamedValues values;
  for (auto [name, value] : llvm::zip_equal(order, *results))
    values[name].push_back(value.tensor());
  return values;
}

Status compareValues(const CompileOptions &options) {
  auto dump = DumpedValues::read(options.compareValues);
  if (!dump)
    return dump.status();
  std::map<std::string, bool> wanted;
  for (const auto &[key, tensor] : dump->values) {
    std::string name = nameOf(key);
    wanted[name] = true;
    if (llvm::StringRef(name).ends_with(".codes"))
      wanted[name.substr(0, name.size() - 6)] = true;
  }
  // As the artifact was made, so that kernels and values correspond.
  CompileOptions same = options;
  same.numerics = dump->options["numerics"];
  same.fuse = dump->options["fuse"];
  same.cpu = dump->options["cpu"];
  same.kvPage = std::atoll(dump->options["kv-page"].c_str());
  auto rounded = Session(same).referenceValues(*dump, wanted);
  if (!rounded)
    return rounded.status();
  llvm::outs() << "layer " << dump->layer << ", " << dump->tokens.size() << " tokens, numerics " << same.numerics
               << "\nbeside the reference with the same roundings:\n";
  for (const auto &[key, tensor] : dump->values)
    printColumns(key, tensor, find(*rounded, nameOf(key), tensor));
  if (same.numerics == "f32")
    return Status::success();

  CompileOptions plain = same;
  plain.numerics = "f32";
  auto exact = Session(plain).referenceValues(*dump, wanted);
  if (!exact)
    return exact.status();
  llvm::outs() << "beside the reference in f32:\n";
  for (const auto &[key, tensor] : dump->values) {
    std::string name = nameOf(key);
    if (reference::isFloat(tensor.element) && !llvm::StringRef(name).ends_with(".scale")) {
      printColumns(key, tensor, find(*exact, name, tensor));
    } else if (llvm::StringRef(name).ends_with(".codes")) {
      std::string base = name.substr(0, name.size() - 6);
      for (const auto &[other, scale] : dump->values)
        if (other == base + ".scale") {
          Tensor numbers = dequantized(tensor, scale);
          printColumns(base + " (codes * scale)", numbers, find(*exact, base, numbers));
        }
    }
  }
  return Status::success();
}

} // namespace adze
