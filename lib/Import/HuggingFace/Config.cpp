// config.json to ModelConfig. Every key is read, required to have the one value that is built, or listed with a reason.
#include "Config.h"

namespace adze::import {
namespace {

constexpr IgnoredKey ignoredKeys[] = {
    {"transformers_version", "which release wrote the file"},
    {"_name_or_path", "where it was loaded from when it was written"},
    {"use_cache", "whether a caller keeps the KV cache; the runtime always does"},
    {"initializer_range", "training starts from it"},
    {"attention_dropout", "training only"},
    {"pretraining_tp", "splits products the way training did; the numbers are the same"},
    {"torchscript", "an export option"},
    {"_attn_implementation_autoset", "which attention kernel another library chose"},
    {"output_attentions", "what a caller gets back besides logits"},
    {"output_hidden_states", "what a caller gets back besides logits"},
    {"return_dict", "what a caller gets back besides logits"},
    {"id2label", "names of classes; there is no classifier here"},
    {"label2id", "names of classes; there is no classifier here"},
    {"is_llama_config", "a converter's note"},
    {"transformers.js_config", "settings of another runtime"},
    {"unsloth_version", "which tool wrote the file"},
    {"unsloth_fixed", "a tool's note"},
};

Status readLayerTypes(KeyReader &keys, ModelConfig &config, int64_t window) {
  const Json *types = keys.take("layer_types");
  if (!types)
    return Status::success();
  if (!types->is_array() || int64_t(types->size()) != config.layers)
    return keys.refuse("layer_types",
                       "a list with one entry for each of the " + std::to_string(config.layers) + " layers");
  for (size_t layer = 0; layer < types->size(); ++layer) {
    const Json &type = (*types)[layer];
    if (type == "full_attention")
      config.windows[layer] = 0;
    else if (type == "sliding_attention" && window > 0)
      config.windows[layer] = window;
    else
      return keys.refuse("layer_types", window > 0 ? "full_attention or sliding_attention for each layer"
                                                   : "full_attention for each layer, as no sliding_window is in use");
  }
  return Status::success();
}

Status readWindows(KeyReader &keys, const Family &family, ModelConfig &config) {
  config.windows.assign(size_t(config.layers), 0);
  int64_t window = 0;
  if (family.windowRule == WindowRule::EveryLayer) {
    // null means no window, an absent key the family's default.
    Expected<std::optional<int64_t>> stated = keys.integer("sliding_window");
    if (!stated)
      return stated.takeStatus();
    window = *stated ? **stated : keys.isNull("sliding_window") ? 0 : family.defaultWindow;
    if (*stated && window < 1)
      return keys.refuse("sliding_window", "null or a positive integer");
    config.windows.assign(size_t(config.layers), window);
  }
  if (family.windowRule == WindowRule::UpperLayers) {
    bool use = false;
    int64_t first = config.layers;
    if (Status s = keys.read("use_sliding_window", use); !s.ok())
      return s;
    if (Status s = keys.read("sliding_window", window); !s.ok())
      return s;
    if (Status s = keys.read("max_window_layers", first); !s.ok())
      return s;
    if (use && window < 1)
      return keys.refuse("sliding_window", "a positive integer where 'use_sliding_window' is true");
    if (use && (first < 0 || !keys.has("max_window_layers")) && !keys.has("layer_types"))
      return keys.refuse("max_window_layers", "the number of layers without a window");
    if (!use)
      window = 0;
    for (int64_t layer = first; use && layer < config.layers; ++layer)
      config.windows[size_t(layer)] = window;
  }
  return readLayerTypes(keys, config, window);
}

Status readSizes(KeyReader &keys, const Family &family, ModelConfig &config) {
  struct Required {
    const char *key;
    int64_t &target;
  };
  for (Required row : {Required{"num_hidden_layers", config.layers},
                       {"hidden_size", config.hidden},
                       {"intermediate_size", config.feedForward},
                       {"num_attention_heads", config.heads},
                       {"vocab_size", config.vocabulary},
                       {"max_position_embeddings", config.context}}) {
    Expected<int64_t> value = keys.requiredInteger(row.key);
    if (!value)
      return value.takeStatus();
    row.target = *value;
  }
  config.kvHeads = config.heads;
  if (Status s = keys.read("num_key_value_heads", config.kvHeads); !s.ok())
    return s;
  if (config.heads < 1)
    return keys.refuse("num_attention_heads", "1 to 4096");
  // Derived only where neither the file nor the family says it, and only where it comes out even.
  config.headDim = family.defaultHeadDim;
  if (Status s = keys.read("head_dim", config.headDim); !s.ok())
    return s;
  if (config.headDim == 0) {
    if (config.hidden % config.heads != 0)
      return keys.refuse("head_dim", "the head width, as 'hidden_size' is no multiple of 'num_attention_heads'");
    config.headDim = config.hidden / config.heads;
  }
  Expected<std::optional<double>> epsilon = keys.number("rms_norm_eps");
  if (!epsilon)
    return epsilon.takeStatus();
  if (!*epsilon)
    return keys.refuse("rms_norm_eps", "the epsilon of the norms");
  config.epsilon = **epsilon;
  return Status::success();
}

Status readType(KeyReader &keys) {
  for (const char *key : {"torch_dtype", "dtype"}) {
    Expected<std::optional<std::string>> type = keys.string(key);
    if (!type)
      return type.takeStatus();
    // The tensors say their own type; this is only what a training framework would convert them to.
    if (*type && **type != "float32" && **type != "float16" && **type != "bfloat16")
      return keys.refuse(key, "float32, float16 or bfloat16");
  }
  return Status::success();
}

} // namespace

Status readConfig(const Json &json, const std::string &where, ModelConfig &config, GenerationDefaults &generation) {
  if (!json.is_object())
    return invalidInput(where + ": not a JSON object");
  KeyReader keys(json, where);
  Expected<std::optional<std::string>> modelType = keys.string("model_type");
  if (!modelType)
    return modelType.takeStatus();
  const Family *family = *modelType ? familyByHfModelType(**modelType) : nullptr;
  if (!family)
    return unsupported(where + ": 'model_type' is " + (*modelType ? "'" + **modelType + "'" : "absent") +
                       "; supported are " + familyNames(false));
  config.family = family->name;
  if (Status s = keys.requireValue("architectures", Json::array({std::string(family->hfArchitecture)}),
                                   "only the causal language model of this family is built");
      !s.ok())
    return s;
  // Before anything else: a quantized checkpoint has other tensors throughout, and that is what its user should hear.
  if (const Json *quantization = keys.take("quantization_config"))
    return unsupported(where + ": 'quantization_config' says that the weights are stored quantized (" +
                       (quantization->is_object() && quantization->contains("quant_method")
                            ? writeJsonLine((*quantization)["quant_method"])
                            : std::string("by an unstated method")) +
                       "); accepted are f32, f16 and bf16 weights, or a GGUF file");
  if (Status s = readSizes(keys, *family, config); !s.ok())
    return s;
  if (config.layers < 1 || config.layers > 1024)
    return keys.refuse("num_hidden_layers", "1 to 1024");
  if (Status s = readRope(keys, config); !s.ok())
    return s;
  if (Status s = readWindows(keys, *family, config); !s.ok())
    return s;
  if (family->hasAttentionBiasKey)
    if (Status s = keys.read("attention_bias", config.attentionBias); !s.ok())
      return s;
  if (family->hasFeedForwardBiasKey)
    if (Status s = keys.read("mlp_bias", config.feedForwardBias); !s.ok())
      return s;
  if (Status s = keys.requireValue("hidden_act", "silu", "no other activation is built for this family"); !s.ok())
    return s;
  if (Status s = keys.requireValue("use_mrope", false, "positions of several dimensions are not built"); !s.ok())
    return s;
  bool tied = false; // the default of each of these families
  if (Status s = keys.read("tie_word_embeddings", tied); !s.ok())
    return s;
  config.tied = tied;
  if (Status s = readType(keys); !s.ok())
    return s;
  std::vector<int32_t> unused; // the tokenizer says which tokens begin and pad
  for (const char *key : {"bos_token_id", "pad_token_id"})
    if (const Json *id = jsonFind(json, key); id && id->is_number_integer() && *id == -1)
      keys.take(key); // an old spelling of "none"
    else if (Status s = keys.readIds(key, unused); !s.ok())
      return s;
  if (Status s = keys.readIds("eos_token_id", generation.endTokens); !s.ok())
    return s;
  if (Status s = keys.finish(ignoredKeys); !s.ok())
    return s;
  static const SizeKeys sizeKeys{
      "num_hidden_layers",   "hidden_size",    "intermediate_size", "num_attention_heads",
      "num_key_value_heads", "head_dim",       "vocab_size",        "max_position_embeddings",
      "rms_norm_eps",        "sliding_window", "rope_theta"};
  return checkSizes(config, sizeKeys, where);
}

} // namespace adze::import
