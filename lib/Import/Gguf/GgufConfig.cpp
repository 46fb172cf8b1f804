// {architecture}.* keys of a GGUF file to ModelConfig.
#include "Metadata.h"
#include "adze/Import/Family.h"

#include <cstring>

namespace adze::import {
namespace {

Status readGgufRope(MetadataReader &keys, const std::string &prefix, ModelConfig &config) {
  RopeSettings &rope = config.rope;
  Expected<std::optional<double>> base = keys.number(prefix + "rope.freq_base");
  if (!base)
    return base.takeStatus();
  if (*base)
    rope.base = **base;
  Expected<std::optional<int64_t>> turned = keys.integer(prefix + "rope.dimension_count");
  if (!turned)
    return turned.takeStatus();
  if (*turned && **turned != config.headDim)
    return keys.refuse(prefix + "rope.dimension_count", "the head width " + std::to_string(config.headDim) +
                                                            ": a partial rotary factor is not supported");
  Expected<std::string_view> type = keys.string(prefix + "rope.scaling.type");
  if (!type)
    return type.takeStatus();
  Expected<std::optional<double>> factor = keys.number(prefix + "rope.scaling.factor");
  if (!factor)
    return factor.takeStatus();
  Expected<std::optional<double>> oldFactor = keys.number(prefix + "rope.scale_linear");
  if (!oldFactor)
    return oldFactor.takeStatus();
  keys.take(prefix + "rope.scaling.original_context_length"); // only yarn reads it
  keys.take(prefix + "rope.scaling.finetuned");               // a note on training
  if (!type->empty() && *type != "none" && *type != "linear")
    return keys.refuse(prefix + "rope.scaling.type", "none or linear");
  std::optional<double> used = *factor ? *factor : *oldFactor;
  if (*type == "linear" && !used)
    return keys.refuse(prefix + "rope.scaling.factor", "a number above 0 where the type is linear");
  if (used && *type != "none" && *used != 0 && *used != 1) {
    if (!(*used > 0))
      return keys.refuse(*factor ? prefix + "rope.scaling.factor" : prefix + "rope.scale_linear", "a number above 0");
    rope.kind = RopeSettings::Kind::Linear;
    rope.factor = *used;
  }
  return Status::success();
}

// head_count_kv may be one number or one for each layer, which must then be equal.
Status readKvHeads(MetadataReader &keys, const std::string &key, ModelConfig &config) {
  config.kvHeads = config.heads;
  const GgufValue *value = keys.take(key);
  if (!value)
    return Status::success();
  std::optional<int64_t> one = value->integer();
  if (std::optional<std::vector<int64_t>> all = value->integers(); all && !all->empty()) {
    one = all->front();
    for (int64_t heads : *all)
      if (heads != *one)
        return keys.refuse(key, "the same number for every layer");
  }
  if (!one)
    return keys.refuse(key, "an integer");
  config.kvHeads = *one;
  return Status::success();
}

} // namespace

Status readGgufConfig(MetadataReader &keys, const GgufFile &file, ModelConfig &config) {
  Expected<std::string_view> architecture = keys.string("general.architecture");
  if (!architecture)
    return architecture.takeStatus();
  std::string prefix = std::string(*architecture) + ".";
  const std::string windowKey = prefix + "attention.sliding_window";
  const Family *family = familyByGguf(*architecture, keys.has(windowKey));
  if (!family)
    return keys.refuse("general.architecture", familyNames(true));
  config.family = family->name;

  struct Required {
    std::string key;
    int64_t &target;
  };
  for (Required row : {Required{prefix + "block_count", config.layers},
                       {prefix + "context_length", config.context},
                       {prefix + "embedding_length", config.hidden},
                       {prefix + "feed_forward_length", config.feedForward},
                       {prefix + "attention.head_count", config.heads}}) {
    Expected<int64_t> value = keys.requiredInteger(row.key);
    if (!value)
      return value.takeStatus();
    row.target = *value;
  }
  if (config.heads < 1)
    return keys.refuse(prefix + "attention.head_count", "1 to 4096");
  if (config.layers < 1 || config.layers > 1024)
    return keys.refuse(prefix + "block_count", "1 to 1024");
  if (Status s = readKvHeads(keys, prefix + "attention.head_count_kv", config); !s.ok())
    return s;
  Expected<std::optional<int64_t>> keyLength = keys.integer(prefix + "attention.key_length");
  if (!keyLength)
    return keyLength.takeStatus();
  Expected<std::optional<int64_t>> valueLength = keys.integer(prefix + "attention.value_length");
  if (!valueLength)
    return valueLength.takeStatus();
  if (!*keyLength && config.hidden % config.heads != 0)
    return keys.refuse(prefix + "attention.key_length",
                       "the head width, as the hidden size is no multiple of the head count");
  config.headDim = *keyLength ? **keyLength : config.hidden / config.heads;
  if (*valueLength && **valueLength != config.headDim)
    return keys.refuse(prefix + "attention.value_length", "the width of a key, " + std::to_string(config.headDim));
  Expected<std::optional<double>> epsilon = keys.number(prefix + "attention.layer_norm_rms_epsilon");
  if (!epsilon)
    return epsilon.takeStatus();
  if (!*epsilon)
    return keys.refuse(prefix + "attention.layer_norm_rms_epsilon", "the epsilon of the norms");
  config.epsilon = **epsilon;
  if (Status s = readGgufRope(keys, prefix, config); !s.ok())
    return s;

  config.windows.assign(size_t(config.layers), 0);
  Expected<std::optional<int64_t>> window = keys.integer(windowKey);
  if (!window)
    return window.takeStatus();
  if (*window && **window != 0) {
    if (!family->ggufNeedsWindow)
      return keys.refuse(windowKey, "no window: this architecture does not say which layers it is for");
    if (**window < 1 || **window > 1 << 30)
      return keys.refuse(windowKey, "1 to " + std::to_string(1 << 30));
    config.windows.assign(size_t(config.layers), **window);
  }
  // The container has no switch for these: the tensors are the statement.
  for (const GgufTensor &tensor : file.tensors) {
    if (tensor.name == "blk.0.attn_q.bias")
      config.attentionBias = family->hasAttentionBiasKey;
    if (tensor.name == "blk.0.ffn_gate.bias")
      config.feedForwardBias = family->hasFeedForwardBiasKey;
    if (tensor.name == "token_embd.weight" && tensor.shape.size() == 2)
      config.vocabulary = tensor.shape[0];
  }
  if (config.vocabulary == 0)
    return invalidInput(keys.name() + ": no tensor 'token_embd.weight' of two dimensions, which states the vocabulary");
  Expected<std::optional<int64_t>> vocabulary = keys.integer(prefix + "vocab_size");
  if (!vocabulary)
    return vocabulary.takeStatus();
  if (*vocabulary && **vocabulary != config.vocabulary)
    return keys.refuse(prefix + "vocab_size", "the rows of 'token_embd.weight', " + std::to_string(config.vocabulary));
  SizeKeys sizeKeys{prefix + "block_count",
                    prefix + "embedding_length",
                    prefix + "feed_forward_length",
                    prefix + "attention.head_count",
                    prefix + "attention.head_count_kv",
                    prefix + "attention.key_length",
                    "tokenizer.ggml.tokens",
                    prefix + "context_length",
                    prefix + "attention.layer_norm_rms_epsilon",
                    windowKey,
                    prefix + "rope.freq_base"};
  return checkSizes(config, sizeKeys, keys.name());
}

} // namespace adze::import
