// ConvertLlmToExec.cpp: groups become launches, values become memory.
#include "adze/Conversion/LlmToExec/Passes.h"

#include "StoredSize.h"
#include "adze/Conversion/KernelAbi.h"
#include "adze/Conversion/KernelAbi/ValueNames.h"
#include "adze/Support/Mutant.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

namespace adze {
#define GEN_PASS_DEF_CONVERTLLMTOEXECPASS
#include "adze/Conversion/LlmToExec/Passes.h.inc"
} // namespace adze

#define DEBUG_TYPE "convert-llm-to-exec"

using namespace mlir;
using namespace adze;
using namespace adze::exec;

namespace {

InputKind inputOf(BatchArray array) {
  static constexpr InputKind kinds[kBatchArrays] = {InputKind::Position,   InputKind::Request,  InputKind::KvSlot,
                                                    InputKind::QueryStart, InputKind::KvLength, InputKind::PromptLength,
                                                    InputKind::PageStart,  InputKind::Pages,    InputKind::OutputRow};
  return kinds[unsigned(array)];
}

FormAttr toForm(MLIRContext *ctx, const llm::SizeForm &form) {
  SmallVector<int64_t> c(FormAttr::TermCount, 0);
  c[FormAttr::Constant] = form.constant, c[FormAttr::Tokens] = form.tokens, c[FormAttr::Requests] = form.requests;
  c[FormAttr::Rows] = form.rows, c[FormAttr::KvLengths] = form.keys, c[FormAttr::VisiblePairs] = form.pairs;
  return FormAttr::get(ctx, c);
}

/// Counts of what the kernel-forming passes noted on the groups.
class FusionReport {
public:
  void add(llm::KernelOp kernel) {
    for (auto [name, fused] : {std::pair("fused", true), std::pair("unfused", false)})
      if (auto notes = kernel->getAttrOfType<ArrayAttr>(name))
        for (Attribute note : notes) // whatever else a person has written there is no note
          if (auto text = dyn_cast<StringAttr>(note))
            ++counts[{text, fused}];
  }
  ArrayAttr toAttr(Builder &b) const {
    SmallVector<Attribute> rows;
    for (const auto &[key, count] : counts) {
      auto [rule, reason] = key.first.getValue().split(": ");
      rows.push_back(b.getDictionaryAttr(
          {b.getNamedAttr("rule", b.getStringAttr(rule)), b.getNamedAttr("fused", b.getBoolAttr(key.second != 0)),
           b.getNamedAttr("count", b.getI64IntegerAttr(count)), b.getNamedAttr("reason", b.getStringAttr(reason))}));
    }
    return b.getArrayAttr(rows);
  }

private:
  llvm::MapVector<std::pair<StringAttr, unsigned>, int64_t> counts;
};

class ProgramBuilder {
public:
  ProgramBuilder(func::FuncOp step)
      : step(step), module(step->getParentOfType<ModuleOp>()), names(step), b(step), segments(b) {}

  LogicalResult build() {
    auto program = ProgramOp::create(b, step.getLoc(), step.getSymName());
    segments.setInsertionPoint(program);
    b.setInsertionPointToStart(&program.getBody().emplaceBlock());
    for (BlockArgument argument : step.getArguments())
      if (failed(bindArgument(argument)))
        return failure();
    for (Operation &op : step.getBody().front())
      if (failed(convert(op)))
        return failure();
    program->setAttr("exec.fusion", report.toAttr(b));
    if (kvFacts)
      program->setAttr("exec.kv", kvFacts);
    step.erase();
    return success();
  }

  int64_t launches = 0, weights = 0;

private:
  LogicalResult bindArgument(BlockArgument argument) {
    if (isa<llm::BatchType>(argument.getType()))
      return success(); // its arrays are made where a launch wants them
    if (auto kv = dyn_cast<llm::KvType>(argument.getType())) {
      bind(argument, InputKind::Kv);
      kvFacts = describe(kv);
      return success();
    }
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || type.getRank() != 1 || !type.getElementType().isInteger(32))
      return step.emitError("argument ") << argument.getArgNumber() << " of the step has type " << argument.getType()
                                         << "; token ids, the batch and the cache are accepted";
    bind(argument, InputKind::Token);
    return success();
  }

  void bind(Value value, InputKind kind) { memory[value] = input(kind); }

  Value input(InputKind kind) {
    Value &found = inputs[unsigned(kind)];
    if (!found)
      found = InputOp::create(b, step.getLoc(), kind);
    return found;
  }

  DictionaryAttr describe(llm::KvType kv) {
    auto number = [&](StringRef name, int64_t value) { return b.getNamedAttr(name, b.getI64IntegerAttr(value)); };
    return b.getDictionaryAttr({number("page_tokens", kv.getPage()), number("page_bytes", kv.getPageBytes()),
                                number("bytes_per_token", kv.getPageBytes() / kv.getPage()),
                                b.getNamedAttr("element", TypeAttr::get(kv.getElement()))});
  }

  LogicalResult convert(Operation &op) {
    if (auto weight = dyn_cast<llm::GetWeightOp>(op))
      return convertWeight(weight);
    if (auto kernel = dyn_cast<llm::KernelOp>(op))
      return convertKernel(kernel);
    if (auto ret = dyn_cast<func::ReturnOp>(op)) {
      if (ret.getNumOperands() == 0 || !memory.count(ret.getOperand(0)))
        return ret.emitError("returns no logits that a kernel computes");
      OutputOp::create(b, ret.getLoc(), memory[ret.getOperand(0)], choiceOf(ret));
      return success();
    }
    IntegerAttr layer;
    if (op.getNumResults() == 1 && op.getResult(0).getType().isIndex() && matchPattern(&op, m_Constant(&layer))) {
      layers[op.getResult(0)] = layer.getInt();
      return success();
    }
    return op.emitError("stands in no group: llm-form-kernels puts every op into an llm.kernel");
  }

  /// The tokens that the step returns behind its logits: i32 [rows, 1]. Null where it returns none.
  Value choiceOf(func::ReturnOp ret) {
    for (Value value : ret.getOperands().drop_front())
      if (auto type = dyn_cast<RankedTensorType>(value.getType());
          type && type.getRank() == 2 && type.getElementType().isInteger(32) && type.getDimSize(1) == 1 &&
          !ADZE_MUTANT("forget-the-choice"))
        return memory.lookup(value);
    return Value();
  }

  LogicalResult convertWeight(llm::GetWeightOp op) {
    SegmentOp &segment = segmentOf[op.getWeightAttr().getAttr()];
    if (!segment) {
      FailureOr<int64_t> size = storedBytes(cast<RankedTensorType>(op.getType()));
      if (failed(size) || *size > (int64_t(1) << 62) - nextOffset)
        return op.emitError("the weights are larger than 2^62 bytes");
      segment = SegmentOp::create(segments, op.getLoc(), (op.getWeight() + ".segment").str(), op.getWeight(),
                                  nextOffset, std::max<int64_t>(*size, 1));
      nextOffset = ADZE_MUTANT("pack-segments-tightly") ? nextOffset + *size : llvm::alignTo(nextOffset + *size, 256);
      ++weights;
    }
    Value &memoryOfSegment = weightMemory[segment];
    if (!memoryOfSegment)
      memoryOfSegment = WeightOp::create(b, op.getLoc(), BufferType::get(b.getContext()), segment.getSymName());
    memory[op.getResult()] = memoryOfSegment;
    return success();
  }

  LogicalResult convertKernel(llm::KernelOp kernel) {
    auto name = kernel->getAttrOfType<FlatSymbolRefAttr>("kernel");
    if (!name)
      return kernel.emitError("has no kernel: convert-llm-to-tile names one for every group");
    for (Value result : kernel.getResults())
      if (isa<llm::KvType>(result.getType()))
        memory[result] = input(InputKind::Kv); // written in place
      else if (auto type = dyn_cast<RankedTensorType>(result.getType()); !type || !type.getElementType().isIntOrFloat())
        return kernel.emitError("result ") << cast<OpResult>(result).getResultNumber() << " has type "
                                           << result.getType() << "; a cache and activations are accepted";
      else
        memory[result] = BufferOp::create(b, kernel.getLoc(), BufferType::get(b.getContext()),
                                          activationSize(cast<RankedTensorType>(result.getType()), resultRows(kernel)),
                                          IntegerAttr());

    KernelAbi abi = deriveKernelAbi(kernel);
    Value scratch;
    SmallVector<Value> reads, writes;
    for (const KernelPointer &pointer : abi.pointers) {
      if (pointer.kind == KernelPointer::Kind::Batch) {
        reads.push_back(input(inputOf(pointer.array)));
        continue;
      }
      if (pointer.kind == KernelPointer::Kind::Scratch) {
        scratch = scratchOf(kernel);
        continue;
      }
      bool result = pointer.kind == KernelPointer::Kind::Result;
      Value value = result ? kernel.getResult(pointer.number) : kernel.getOperand(pointer.number);
      auto found = memory.find(value);
      if (found == memory.end())
        return kernel.emitError(result ? "result " : "operand ") << pointer.number << " has no memory";
      (result ? writes : reads).push_back(found->second);
    }
    int64_t layer = 0;
    if (abi.layer) {
      auto found = layers.find(kernel.getOperand(*abi.layer));
      if (found == layers.end())
        return kernel.emitError("the layer, operand ") << *abi.layer << ", is no constant";
      layer = found->second;
    }
    StringAttr family = kernel.getFamilyAttr() ? kernel.getFamilyAttr() : b.getStringAttr("other");
    if (scratch) {
      // Which of the two does the work follows from the step; the cost of both is with the one that gives the results.
      auto partials = kernel->getAttrOfType<FlatSymbolRefAttr>("partials");
      if (!partials)
        return kernel.emitError("folds attention in runs and names no kernel for them in `partials`: "
                                "convert-llm-to-tile does");
      auto nothing = FormAttr::get(b.getContext(), SmallVector<int64_t>(FormAttr::TermCount, 0));
      LaunchOp::create(b, kernel.getLoc(), partials, reads, scratch, family, b.getI64IntegerAttr(layer), nothing,
                       nothing);
      ++launches;
      reads.push_back(scratch);
    }
    llm::Cost cost = cast<llm::CostModel>(kernel.getOperation()).getCost();
    auto launch = LaunchOp::create(b, kernel.getLoc(), name, reads, writes, family, b.getI64IntegerAttr(layer),
                                   toForm(b.getContext(), cost.bytes), toForm(b.getContext(), cost.operations));
    launch->setAttr("exec.values", describeResults(kernel, abi));
    report.add(kernel);
    ++launches;
    return success();
  }

  /// Memory between the two kernels of a group.
  Value scratchOf(llm::KernelOp kernel) {
    ScratchSize size = scratchSize(kernel);
    SmallVector<int64_t> coefficients(FormAttr::TermCount, 0);
    coefficients[FormAttr::Requests] = size.ofRequest;
    coefficients[FormAttr::PagesRequests] = ADZE_MUTANT("scratch-without-pages") ? 0 : size.ofPage;
    return BufferOp::create(b, kernel.getLoc(), BufferType::get(b.getContext()),
                            FormAttr::get(b.getContext(), coefficients), IntegerAttr());
  }

  /// What the launch writes, for who wants to look at it.
  ArrayAttr describeResults(llm::KernelOp kernel, const KernelAbi &abi) {
    SmallVector<Attribute> values;
    for (auto [word, pointer] : llvm::enumerate(abi.pointers)) {
      if (pointer.kind != KernelPointer::Kind::Result)
        continue;
      Value result = kernel.getResult(pointer.number);
      auto type = cast<RankedTensorType>(result.getType());
      std::string name = names.of(result);
      auto entry = [&](StringRef key, Attribute value) { return b.getNamedAttr(key, value); };
      values.push_back(
          b.getDictionaryAttr({entry("name", b.getStringAttr(name)),
                               entry("layer", b.getI64IntegerAttr(ValueNames::layerOf(name).value_or(-1))),
                               entry("word", b.getI64IntegerAttr(int64_t(word))),
                               entry("output_rows", b.getBoolAttr(resultRows(kernel) == Rows::OutputRows)),
                               entry("columns", b.getI64IntegerAttr(type.getRank() > 1 ? type.getDimSize(1) : 1)),
                               entry("element", TypeAttr::get(type.getElementType()))}));
    }
    return b.getArrayAttr(values);
  }

  func::FuncOp step;
  ModuleOp module;
  ValueNames names;
  OpBuilder b, segments;
  std::array<Value, unsigned(InputKind::Kv) + 1> inputs;
  DenseMap<Value, Value> memory;
  DenseMap<Value, int64_t> layers;
  DenseMap<StringAttr, SegmentOp> segmentOf;
  DenseMap<Operation *, Value> weightMemory;
  int64_t nextOffset = 0;
  FusionReport report;
  DictionaryAttr kvFacts;
};

struct ConvertLlmToExecPass : adze::impl::ConvertLlmToExecPassBase<ConvertLlmToExecPass> {
  using ConvertLlmToExecPassBase::ConvertLlmToExecPassBase;

  void runOnOperation() override {
    auto step = getOperation().lookupSymbol<func::FuncOp>("step");
    if (!step) {
      getOperation().emitError("holds no function @step: nothing says what one step computes");
      return signalPassFailure();
    }
    if (!step.getBody().hasOneBlock()) {
      step.emitError("is no straight line of groups: a step has one block");
      return signalPassFailure();
    }
    ProgramBuilder builder(step);
    if (failed(builder.build()))
      return signalPassFailure();
    launchCount += builder.launches;
    segmentCount += builder.weights;
  }
};

} // namespace
