// ProgramRunner.cpp: an exec program, launch by launch.
//
// Buffers lie where the memory plan puts them: those of one slot share memory, so that a plan that puts a buffer over
// one that is still read gives other numbers. Without a plan each has memory of its own. All of it starts as NaN.
#include "adze/Pipeline/Execution/ModuleRunner.h"

#include "adze/Conversion/KernelAbi.h"

#include <algorithm>

using namespace mlir;

namespace adze::execution {

namespace reference = llm::reference;

Expected<Execution> ModuleRunner::runProgram(exec::ProgramOp program, func::FuncOp form, const Scenario &scenario,
                                             uint64_t seed, bool traced) {
  FunctionType types = form.getFunctionType();
  auto logits = types.getNumResults() ? dyn_cast<RankedTensorType>(types.getResult(0)) : RankedTensorType();
  if (!logits)
    return unsupported("the program's function returned no logits");
  if (!kernels)
    return unsupported("the program's kernels are no tile functions any more");

  auto inputs = makeInputs(form, scenario, seed);
  if (!inputs)
    return inputs.status();
  Execution execution;
  execution.inputs = std::move(*inputs);
  const reference::Batch &batch = execution.inputs.batch;
  const int64_t outputRows = batch.outputRow.size();

  std::vector<BufferRef> arrays = batchBytes(batch);
  BufferRef token, kv, choice;
  llm::KvType kvType;
  for (auto [value, type] : llvm::zip(execution.inputs.values, types.getInputs())) {
    if (value.isCache()) {
      kvType = cast<llm::KvType>(type);
      kv = toBytes(value.cache(), kvType);
    } else if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      token = toBytes(value.tensor(), tensor);
    }
  }

  reference::Evaluator evaluator(
      module, {}, [&](llm::SourceTensorOp op) -> Expected<reference::Tensor> { return generatedSource(op, seed); });
  SymbolTable symbols(module);
  llvm::DenseMap<Value, BufferRef> memory;
  llvm::DenseMap<Value, int64_t> sizes;
  std::map<int64_t, BufferRef> slots;
  auto sizeOf = [&](exec::BufferOp buffer) {
    int64_t pages = 1;
    for (const RequestShape &request : scenario.requests)
      pages = std::max(pages, (request.kvLength + execution.inputs.page - 1) / execution.inputs.page);
    return int64_t(buffer.getSize().estimate(batch.tokens(), batch.requests(), outputRows, 0, 0, pages));
  };
  std::map<int64_t, int64_t> slotSize;
  for (auto buffer : program.getBody().getOps<exec::BufferOp>())
    if (auto slot = buffer.getSlot())
      slotSize[*slot] = std::max(slotSize[*slot], sizeOf(buffer));

  for (Operation &op : program.getBody().front()) {
    if (auto input = dyn_cast<exec::InputOp>(op)) {
      auto kind = input.getKind();
      memory[input] = kind == exec::InputKind::Token ? token
                      : kind == exec::InputKind::Kv  ? kv
                                                     : arrays[unsigned(kind) - unsigned(exec::InputKind::Position)];
    } else if (auto weight = dyn_cast<exec::WeightOp>(op)) {
      auto segment = symbols.lookup<exec::SegmentOp>(weight.getSegment());
      auto expression = symbols.lookup<llm::WeightOp>(segment.getWeight());
      if (!expression)
        return unsupported("segment @" + segment.getSymName().str() + " names no weight of the module");
      auto tensor = evaluator.weight(expression);
      if (!tensor)
        return tensor.status();
      memory[weight] = toBytes(*tensor, cast<RankedTensorType>(expression.getType()));
    } else if (auto buffer = dyn_cast<exec::BufferOp>(op)) {
      sizes[buffer] = sizeOf(buffer);
      if (auto slot = buffer.getSlot()) {
        BufferRef &shared = slots[*slot];
        if (!shared)
          shared = std::make_shared<Buffer>(slotSize[*slot]);
        memory[buffer] = shared;
      } else {
        memory[buffer] = std::make_shared<Buffer>(sizeOf(buffer));
      }
    } else if (auto launch = dyn_cast<exec::LaunchOp>(op)) {
      std::vector<uint64_t> words;
      for (Value operand : launch->getOperands()) {
        if (!memory.lookup(operand))
          return unsupported("launch of @" + launch.getKernel().str() + " reads an input that the step does not have");
        words.push_back(reinterpret_cast<uint64_t>(memory[operand]->data()));
      }
      for (int64_t word : {batch.tokens(), batch.requests(), outputRows, int64_t(launch.getLayer())})
        words.push_back(word);
      if (Status status = kernels->run(launch.getKernel(), words.data()); !status.ok())
        return status;
      for (auto [number, value] : llvm::enumerate(launch.getWrites())) {
        if (!memory[value]->guardIntact())
          return internalError("launch of @" + launch.getKernel().str() + " wrote behind the end of its result " +
                               std::to_string(number));
        if (!traced)
          continue;
        auto copy = std::make_shared<Buffer>(sizes[value]);
        std::copy_n(memory[value]->data(), copy->size(), copy->data());
        execution.trace.push_back({launch, unsigned(number), {}, copy});
      }
    } else if (auto output = dyn_cast<exec::OutputOp>(op)) {
      execution.results.push_back(fromBytes(*memory[output.getLogits()], logits, outputRows));
      choice = output.getChoice() ? memory[output.getChoice()] : nullptr;
    }
  }
  for (Type type : types.getResults().drop_front()) {
    auto tokens = dyn_cast<RankedTensorType>(type);
    if (kv && isa<llm::KvType>(type))
      execution.results.push_back(fromBytes(*kv, kvType));
    else if (choice && tokens)
      execution.results.push_back(fromBytes(*choice, tokens, outputRows));
    else
      return unsupported("the program's function returned more than logits, the cache and tokens");
  }
  return execution;
}

} // namespace adze::execution
