// ModuleRunner.cpp: entries, functions on the evaluator, groups as native code.
#include "adze/Pipeline/Execution/ModuleRunner.h"

#include "adze/Conversion/KernelAbi.h"
#include "adze/Dialect/Tile/IR/Tile.h"

using namespace mlir;

namespace adze::execution {

namespace reference = llm::reference;

StepForm StepForm::of(func::FuncOp function) {
  StepForm form;
  form.holder = std::make_shared<OwningOpRef<ModuleOp>>(ModuleOp::create(function.getLoc()));
  form.function = cast<func::FuncOp>(function->clone());
  (**form.holder).getBody()->push_back(form.function);
  return form;
}

static bool isKernel(func::FuncOp function) { return function->hasAttr(tile::kKernelAttr); }

std::vector<Entry> ModuleRunner::entries() {
  std::vector<Entry> found;
  llvm::DenseSet<StringAttr> named; // kernels that a group or a launch runs
  module.walk([&](Operation *op) {
    for (StringRef which : {"kernel", "partials"})
      if (auto name = op->getAttrOfType<FlatSymbolRefAttr>(which);
          name && (isa<llm::KernelOp>(op) || isa<exec::LaunchOp>(op)))
        named.insert(name.getAttr());
  });
  for (Operation &op : *module.getBody()) {
    if (auto program = dyn_cast<exec::ProgramOp>(op)) {
      found.push_back({Entry::Kind::Program, &op, program.getSymName().str()});
      continue;
    }
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function || function.isDeclaration() || function.isPrivate())
      continue;
    if (!isKernel(function))
      found.push_back({Entry::Kind::Function, &op, function.getName().str()});
    else if (!named.contains(function.getSymNameAttr()))
      found.push_back({Entry::Kind::Kernel, &op, function.getName().str()});
  }
  return found;
}

bool ModuleRunner::hasKernels() {
  return llvm::any_of(module.getOps<func::FuncOp>(), [](func::FuncOp function) { return isKernel(function); });
}

bool ModuleRunner::rounds() {
  return module
      .walk([](llm::KernelOp kernel) {
        auto narrow = [](Type type) {
          auto tensor = dyn_cast<RankedTensorType>(type);
          return tensor && ShapedType::isDynamic(tensor.getDimSize(0)) &&
                 (tensor.getElementType().isBF16() || tensor.getElementType().isInteger(8));
        };
        return llvm::any_of(kernel->getOperandTypes(), narrow) || llvm::any_of(kernel->getResultTypes(), narrow)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

Status ModuleRunner::prepare() {
  if (kernels || !hasKernels())
    return Status::success();
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (auto function : module.getOps<func::FuncOp>())
    if (isKernel(function))
      function.print(stream);
  std::shared_ptr<LoadedKernels> &loaded = known.loaded[text];
  if (!loaded) {
    std::string errors;
    ScopedDiagnosticHandler collect(module.getContext(), [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        llvm::raw_string_ostream(errors) << diagnostic << "; ";
      return success();
    });
    auto compiled = LoadedKernels::compile(module, cpu, Lowering::Plain, known.objects);
    if (!compiled)
      return invalidInput(errors + compiled.status().message());
    loaded = std::move(*compiled);
  }
  kernels = loaded;
  return Status::success();
}

Expected<Execution> ModuleRunner::run(const Entry &entry, const Scenario &scenario, uint64_t seed,
                                      const StepForms &forms, bool traced) {
  if (Status status = prepare(); !status.ok())
    return status;
  switch (entry.kind) {
  case Entry::Kind::Function:
    return runFunction(cast<func::FuncOp>(entry.op), scenario, seed, traced);
  case Entry::Kind::Kernel:
    return runKernel(cast<func::FuncOp>(entry.op), scenario, seed);
  case Entry::Kind::Program:
    break;
  }
  auto form = forms.find(entry.name);
  if (form == forms.end())
    return unsupported("the types of the program's values are known only where its function was seen before");
  return runProgram(cast<exec::ProgramOp>(entry.op), form->second.function, scenario, seed, traced);
}

Expected<Execution> ModuleRunner::runFunction(func::FuncOp function, const Scenario &scenario, uint64_t seed,
                                              bool traced) {
  auto inputs = makeInputs(function, scenario, seed);
  if (!inputs)
    return inputs.status();
  Execution execution;
  execution.inputs = std::move(*inputs);
  reference::Evaluator evaluator(
      module, {}, [&](llm::SourceTensorOp op) -> Expected<reference::Tensor> { return generatedSource(op, seed); });
  std::map<Operation *, std::vector<BufferRef>> written;
  if (kernels)
    evaluator.runGroups([&](llm::KernelOp kernel, MutableArrayRef<reference::Value> operands,
                            SmallVectorImpl<reference::Value> &results) -> FailureOr<bool> {
      if (!kernel->hasAttr("kernel"))
        return false;
      Status status = launch(kernel, execution.inputs, operands, results, traced ? &written[kernel] : nullptr);
      if (!status.ok())
        return kernel.emitOpError() << status.message();
      return true;
    });
  if (traced)
    evaluator.observe([&](Operation *op, ArrayRef<reference::Value> values) {
      auto bytes = written.find(op);
      for (auto [number, value] : llvm::enumerate(values))
        execution.trace.push_back(
            {op, unsigned(number), value, bytes == written.end() ? nullptr : bytes->second[number]});
    });
  auto results = evaluator.run(function, execution.inputs.values);
  if (!results)
    return results.status();
  execution.results = std::move(*results);
  return execution;
}

std::vector<BufferRef> batchBytes(const reference::Batch &b) {
  const std::vector<int64_t> *arrays[] = {&b.position,     &b.request,   &b.kvSlot, &b.queryStart, &b.kvLength,
                                          &b.promptLength, &b.pageStart, &b.pages,  &b.outputRow};
  std::vector<BufferRef> bytes;
  for (unsigned i = 0; i < kBatchArrays; ++i)
    bytes.push_back(toBytes(*arrays[i], bitsOf(static_cast<BatchArray>(i))));
  return bytes;
}

Status ModuleRunner::launch(llm::KernelOp kernel, const Inputs &inputs, ArrayRef<reference::Value> operands,
                            SmallVectorImpl<reference::Value> &results, std::vector<BufferRef> *bytes) {
  const reference::Batch &batch = inputs.batch;
  int64_t outputRows = batch.outputRow.size();
  int64_t rows = resultRows(kernel) == Rows::OutputRows ? outputRows : batch.tokens();
  std::vector<BufferRef> arrays = batchBytes(batch), in(operands.size()), out;
  int64_t layer = 0;
  for (auto [number, value] : llvm::enumerate(operands)) {
    Type type = kernel.getInputs()[number].getType();
    if (value.isCache())
      in[number] = toBytes(value.cache(), cast<llm::KvType>(type));
    else if (auto tensor = dyn_cast<RankedTensorType>(type))
      in[number] = toBytes(value.tensor(), tensor);
    else if (type.isIndex())
      layer = value.integer();
  }
  for (Type type : kernel.getOutputs().getTypes()) {
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      out.push_back(std::make_shared<Buffer>(bytesOf(tensor, rows)));
      continue;
    }
    out.push_back(nullptr); // the cache is written in place
    for (auto [number, operand] : llvm::enumerate(kernel.getInputs()))
      if (operand.getType() == type)
        out.back() = in[number];
  }
  BufferRef scratch;
  if (hasPartials(kernel))
    scratch = std::make_shared<Buffer>(scratchSize(kernel).bytes(batch.requests(), int64_t(batch.pages.size())));
  auto run = [&](const KernelAbi &abi, StringRef name) {
    std::vector<uint64_t> words;
    for (const KernelPointer &pointer : abi.pointers) {
      BufferRef buffer = pointer.kind == KernelPointer::Kind::Batch     ? arrays[unsigned(pointer.array)]
                         : pointer.kind == KernelPointer::Kind::Result  ? out[pointer.number]
                         : pointer.kind == KernelPointer::Kind::Scratch ? scratch
                                                                        : in[pointer.number];
      words.push_back(reinterpret_cast<uint64_t>(buffer->data()));
    }
    for (int64_t word : {batch.tokens(), batch.requests(), outputRows, layer})
      words.push_back(word);
    return kernels->run(name, words.data());
  };
  if (scratch) {
    auto partials = kernel->getAttrOfType<FlatSymbolRefAttr>("partials").getValue();
    if (Status status = run(derivePartialsAbi(kernel), partials); !status.ok())
      return status;
    if (!scratch->guardIntact())
      return internalError("kernel @" + partials.str() + " wrote behind the end of its scratch memory");
  }
  auto name = kernel->getAttrOfType<FlatSymbolRefAttr>("kernel").getValue();
  if (Status status = run(deriveKernelAbi(kernel), name); !status.ok())
    return status;
  for (auto [number, type] : llvm::enumerate(kernel.getOutputs().getTypes())) {
    if (!out[number]->guardIntact())
      return internalError("kernel @" + name.str() + " wrote behind the end of result " + std::to_string(number));
    if (auto kv = dyn_cast<llm::KvType>(type))
      results.push_back(fromBytes(*out[number], kv));
    else
      results.push_back(fromBytes(*out[number], cast<RankedTensorType>(type), rows));
  }
  if (bytes)
    *bytes = std::move(out);
  return Status::success();
}

} // namespace adze::execution
