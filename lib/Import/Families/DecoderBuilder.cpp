// The step function of a pre-norm decoder with grouped-query attention and a gated feed-forward:
//
//   x = embedding[token]
//   each layer:  x += output(attention(rope(norm?(q(n)))..., n = norm(x)));  x += down(silu(gate(m)) * up(m)), m =
//   norm(x) logits = head(norm(x)[output rows])
//
// What differs between families (biases, a norm over heads, windows, the rotary table) is asked of the weight table and
// the configuration: a role without a tensor is simply not there.
#include "adze/Import/DecoderBuilder.h"

#include "WeightTable.h"
#include "adze/Support/Mutant.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

#include <cmath>

namespace adze::import {
namespace {

using mlir::Value;

class DecoderBuilder {
public:
  DecoderBuilder(const Checkpoint &checkpoint, const Family &family, mlir::ModuleOp module)
      : config(checkpoint.config), weights(checkpoint, family, module), module(module), b(module.getContext()) {}

  Status build();

private:
  mlir::RankedTensorType rows(int64_t columns) {
    return mlir::RankedTensorType::get({mlir::ShapedType::kDynamic, columns}, b.getF32Type());
  }
  Value part(const Weight &weight, TensorPart part) {
    auto found = weight.parts.find(part);
    if (found == weight.parts.end())
      return {};
    return llm::GetWeightOp::create(b, loc, found->second.type,
                                    mlir::FlatSymbolRefAttr::get(b.getContext(), found->second.symbol));
  }
  Value data(const Weight &weight) { return part(weight, TensorPart::Data); }
  static llm::Scheme scheme(const EncodingInfo &encoding) {
    return encoding.scheme == QuantScheme::Affine      ? llm::Scheme::Affine
           : encoding.scheme == QuantScheme::ZeroPoint ? llm::Scheme::ZeroPoint
                                                       : llm::Scheme::Symmetric;
  }

  Value embed(const Weight &table);
  Value norm(Value input, const Weight &weight) {
    return llm::RmsNormOp::create(b, loc, input.getType(), input, data(weight),
                                  b.getF32FloatAttr(float(config.epsilon)));
  }
  Value product(Value input, const Weight &weight, const std::optional<Weight> &bias = {});
  // The product of a role's weight, with the bias of another role where there is one.
  Expected<Value> linear(Value input, Role weight, Role bias, int64_t layer);
  Expected<Value> rotated(Value input, Role normRole, int64_t layer);
  Expected<Value> attention(Value input, int64_t layer);
  Expected<Value> feedForward(Value input, int64_t layer);

  const ModelConfig &config;
  WeightTable weights;
  mlir::ModuleOp module;
  mlir::OpBuilder b;
  mlir::Location loc = b.getUnknownLoc();
  Value token, batch, kv;
  std::optional<Weight> frequencies;
};

Value DecoderBuilder::embed(const Weight &table) {
  if (!table.encoding->quantized())
    return llm::EmbeddingOp::create(b, loc, rows(config.hidden), token, data(table));
  return llm::QuantizedEmbeddingOp::create(b, loc, rows(config.hidden), token, part(table, TensorPart::Codes),
                                           part(table, TensorPart::Scales), part(table, TensorPart::Offsets),
                                           part(table, TensorPart::Outer), b.getI64IntegerAttr(table.encoding->group),
                                           llm::SchemeAttr::get(b.getContext(), scheme(*table.encoding)));
}

Value DecoderBuilder::product(Value input, const Weight &weight, const std::optional<Weight> &bias) {
  mlir::RankedTensorType type = rows(weight.shape[0]);
  Value biasValue = bias ? data(*bias) : Value();
  if (!weight.encoding->quantized())
    return llm::LinearOp::create(b, loc, type, input, data(weight), biasValue);
  return llm::QuantizedLinearOp::create(
      b, loc, type, input, Value(), Value(), part(weight, TensorPart::Codes), part(weight, TensorPart::Scales),
      part(weight, TensorPart::Offsets), part(weight, TensorPart::Outer), biasValue,
      b.getI64IntegerAttr(weight.encoding->group), llm::SchemeAttr::get(b.getContext(), scheme(*weight.encoding)));
}

Expected<Value> DecoderBuilder::linear(Value input, Role role, Role biasRole, int64_t layer) {
  Expected<Weight> weight = weights.get(role, layer);
  if (!weight)
    return weight.takeStatus();
  Expected<std::optional<Weight>> bias = weights.find(biasRole, layer);
  if (!bias)
    return bias.takeStatus();
  if (ADZE_MUTANT("drop-projection-bias"))
    return product(input, *weight);
  return product(input, *weight, *bias);
}

Expected<Value> DecoderBuilder::rotated(Value input, Role normRole, int64_t layer) {
  Expected<std::optional<Weight>> headNorm = weights.find(normRole, layer);
  if (!headNorm)
    return headNorm.takeStatus();
  if (*headNorm)
    input = norm(input, **headNorm);
  return Value(llm::RopeOp::create(b, loc, input.getType(), input, data(*frequencies), batch,
                                   b.getI64IntegerAttr(config.headDim), b.getF32FloatAttr(1.0f)));
}

Expected<Value> DecoderBuilder::attention(Value input, int64_t layer) {
  Expected<Value> q = linear(input, Role::Query, Role::QueryBias, layer);
  if (!q)
    return q.takeStatus();
  Expected<Value> k = linear(input, Role::Key, Role::KeyBias, layer);
  if (!k)
    return k.takeStatus();
  Expected<Value> v = linear(input, Role::Value, Role::ValueBias, layer);
  if (!v)
    return v.takeStatus();
  q = rotated(*q, Role::QueryNorm, layer);
  if (!q)
    return q.takeStatus();
  k = rotated(*k, Role::KeyNorm, layer);
  if (!k)
    return k.takeStatus();
  Value index = mlir::arith::ConstantIndexOp::create(b, loc, layer);
  kv = llm::KvAppendOp::create(b, loc, kv.getType(), *k, *v, kv, index, batch);
  float scale = float(1.0 / std::sqrt(double(config.headDim)));
  Value context =
      llm::PagedAttentionOp::create(b, loc, (*q).getType(), *q, kv, index, batch, b.getI64IntegerAttr(config.heads),
                                    b.getF32FloatAttr(scale), b.getI64IntegerAttr(config.windows[size_t(layer)]));
  return linear(context, Role::AttentionOutput, Role::AttentionOutputBias, layer);
}

Expected<Value> DecoderBuilder::feedForward(Value input, int64_t layer) {
  Expected<Value> gate = linear(input, Role::Gate, Role::GateBias, layer);
  if (!gate)
    return gate.takeStatus();
  Expected<Value> up = linear(input, Role::Up, Role::UpBias, layer);
  if (!up)
    return up.takeStatus();
  Value active = llm::SiluOp::create(b, loc, *gate);
  Value product = llm::MulOp::create(b, loc, active, *up);
  return linear(product, Role::Down, Role::DownBias, layer);
}

Status DecoderBuilder::build() {
  mlir::MLIRContext *context = b.getContext();
  Expected<Weight> embedding = weights.get(Role::Embedding);
  if (!embedding)
    return embedding.takeStatus();
  frequencies = weights.constant("rope.inverse_frequency", inverseFrequencies(config.rope, config.headDim));

  // Created detached, so that the weights come first in the module.
  auto kvType = llm::KvType::get(context, config.layers, config.kvHeads, config.headDim, b.getF32Type(), 64,
                                 llm::KeyOrder::TokenDim);
  auto tokenType = mlir::RankedTensorType::get({mlir::ShapedType::kDynamic}, b.getI32Type());
  auto type = b.getFunctionType({tokenType, llm::BatchType::get(context), kvType}, {rows(config.vocabulary), kvType});
  mlir::OwningOpRef<mlir::func::FuncOp> step = mlir::func::FuncOp::create(loc, "step", type);
  mlir::Block *body = step->addEntryBlock();
  token = body->getArgument(0);
  batch = body->getArgument(1);
  kv = body->getArgument(2);
  b.setInsertionPointToEnd(body);
  auto named = [&](const std::string &name) { loc = mlir::NameLoc::get(b.getStringAttr(name)); };

  named("embedding");
  Value x = embed(*embedding);
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    using Sublayer = Expected<Value> (DecoderBuilder::*)(Value, int64_t);
    for (auto [role, sublayer, name] :
         {std::tuple<Role, Sublayer, const char *>{Role::AttentionNorm, &DecoderBuilder::attention, ".attention"},
          {Role::FeedForwardNorm, &DecoderBuilder::feedForward, ".feed_forward"}}) {
      named("layers." + std::to_string(layer) + name);
      Expected<Weight> weight = weights.get(role, layer);
      if (!weight)
        return weight.takeStatus();
      Expected<Value> y = (this->*sublayer)(norm(x, *weight), layer);
      if (!y)
        return y.takeStatus();
      x = llm::AddOp::create(b, loc, x, *y);
    }
  }
  named("output");
  Expected<Weight> outputNorm = weights.get(Role::OutputNorm);
  if (!outputNorm)
    return outputNorm.takeStatus();
  Expected<Weight> head = weights.head(*embedding);
  if (!head)
    return head.takeStatus();
  x = llm::GatherRowsOp::create(b, loc, x.getType(), x, batch);
  Value logits = product(norm(x, *outputNorm), *head);
  mlir::func::ReturnOp::create(b, loc, mlir::ValueRange{logits, kv});
  module.push_back(step.release());
  return weights.finish();
}

} // namespace

Expected<mlir::OwningOpRef<mlir::ModuleOp>> buildDecoder(const Checkpoint &checkpoint, mlir::MLIRContext &context) {
  const ModelConfig &c = checkpoint.config;
  const Family *family = nullptr;
  for (const Family *candidate : allFamilies())
    if (candidate->name == c.family)
      family = candidate;
  if (!family)
    return internalError("a door named a family that is not in the table: " + c.family);
  mlir::OpBuilder b(&context);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(b.getUnknownLoc());
  std::vector<mlir::NamedAttribute> model;
  for (auto [key, value] : {std::pair{"family", &c.family}, {"name", &c.name}})
    model.push_back(b.getNamedAttr(key, b.getStringAttr(*value)));
  for (auto [key, value] : {std::pair{"layers", c.layers},
                            {"hidden", c.hidden},
                            {"heads", c.heads},
                            {"kv_heads", c.kvHeads},
                            {"head_dim", c.headDim},
                            {"vocabulary", c.vocabulary},
                            {"context", c.context},
                            {"legal_tokens", int64_t(checkpoint.tokenizer.legalTokenCount())}})
    model.push_back(b.getNamedAttr(key, b.getI64IntegerAttr(value)));
  (*module)->setAttr("llm.model", b.getDictionaryAttr(model));
  if (Status s = DecoderBuilder(checkpoint, *family, *module).build(); !s.ok())
    return s;
  if (mlir::failed(mlir::verify(*module)))
    return internalError("the importer built a module that does not verify");
  return module;
}

} // namespace adze::import
