// ValueNames.cpp: names from weights.
#include "adze/Conversion/KernelAbi/ValueNames.h"

#include "adze/Support/Mutant.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace adze {

/// "layers.0.attention.q.codes.qkv" is a part of layers.0.attention.qkv.
static std::string withoutParts(StringRef symbol) {
  SmallVector<StringRef> words, kept;
  symbol.split(words, '.');
  bool stacked = words.size() > 1 && (words.back() == "qkv" || words.back() == "gate_up");
  for (StringRef word : words)
    if (word != "codes" && word != "scales" && word != "offsets" && word != "outer" && word != "bias")
      kept.push_back(word);
  if (stacked && kept.size() > 1 && !ADZE_MUTANT("name-stacks-after-a-part"))
    kept.erase(kept.end() - 2);
  return llvm::join(kept, ".");
}

std::optional<int64_t> ValueNames::layerOf(StringRef name) {
  int64_t layer = 0;
  if (!name.consume_front("layers.") || name.split('.').first.getAsInteger(10, layer))
    return std::nullopt;
  return layer;
}

ValueNames::ValueNames(func::FuncOp step) {
  for (BlockArgument argument : step.getArguments())
    if (isa<RankedTensorType>(argument.getType()))
      names[argument] = "token";
  visit(step.getBody().front());
}

void ValueNames::visit(Block &block) {
  for (Operation &op : block) {
    auto group = dyn_cast<llm::KernelOp>(op);
    if (!group) {
      name(op);
      continue;
    }
    Block &body = group.getBody().front();
    for (auto [argument, operand] : llvm::zip(body.getArguments(), group.getInputs())) {
      if (names.count(operand))
        names[argument] = std::string(names[operand]);
      if (weights.count(operand))
        weights[argument] = std::string(weights[operand]);
      if (layers.count(operand))
        layers[argument] = int64_t(layers[operand]);
    }
    visit(body);
    for (auto [result, yielded] : llvm::zip(group.getOutputs(), body.getTerminator()->getOperands()))
      if (names.count(yielded))
        names[result] = std::string(names[yielded]);
  }
}

void ValueNames::name(Operation &op) {
  IntegerAttr constant;
  if (auto weight = dyn_cast<llm::GetWeightOp>(op)) {
    weights[weight] = withoutParts(weight.getWeight());
    return;
  }
  if (op.getNumResults() == 1 && op.getResult(0).getType().isIndex() && matchPattern(&op, m_Constant(&constant))) {
    layers[op.getResult(0)] = constant.getInt();
    return;
  }
  // The weight that the op reads, and what it reads beside it.
  std::string weight, input;
  for (Value operand : op.getOperands()) {
    if (weight.empty() && weights.count(operand))
      weight = weights[operand];
    if (input.empty() && names.count(operand))
      input = names[operand];
  }
  auto give = [&](unsigned result, std::string text) {
    if (isa<RankedTensorType>(op.getResult(result).getType()))
      names[op.getResult(result)] = std::move(text);
  };
  if (isa<llm::LinearOp, llm::QuantizedLinearOp, llm::RmsNormOp, llm::EmbeddingOp, llm::QuantizedEmbeddingOp>(op))
    return give(0, weight);
  if (auto attention = dyn_cast<llm::PagedAttentionOp>(op)) {
    auto layer = layers.find(attention.getLayer());
    return give(0, "layers." + (layer == layers.end() ? "?" : std::to_string(layer->second)) + ".attention.mix");
  }
  if (isa<llm::QuantizeOp>(op)) {
    const char *const parts[] = {".codes", ".scale", ".sum"};
    for (unsigned number = 0; number < 3; ++number)
      give(number, input + parts[number]);
    return;
  }
  if (isa<llm::AddOp>(op)) {
    // The product is what is new; the other operand is the residual that it is added to.
    std::string lhs = names.lookup(op.getOperand(0)), rhs = names.lookup(op.getOperand(1));
    auto isSum = [](StringRef name) { return name.ends_with(".added") || name == "embedding"; };
    return give(0, (isSum(rhs) && !isSum(lhs) ? lhs : rhs) + ".added");
  }
  if (isa<llm::MulOp>(op))
    return give(0, input + ".gated");
  if (isa<llm::RopeOp>(op))
    return give(0, input + ".rotated");
  if (isa<llm::GatherRowsOp>(op))
    return give(0, input + ".rows");
  if (auto slice = dyn_cast<llm::SliceColumnsOp>(op))
    return give(0, input + "." + std::to_string(slice.getOffset()));
  StringRef spelling = op.getName().getStringRef();
  bool keeps = spelling == "arith.truncf" || spelling == "arith.extf";
  if (op.getNumResults() == 1)
    give(0, keeps ? input : input + "." + spelling.rsplit('.').second.str());
}

} // namespace adze
