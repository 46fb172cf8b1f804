// tokenizer.* and general.sampling.* keys of a GGUF file.
#include "Metadata.h"

#include "adze/Text/TokenizerImport.h"

#include <limits>

namespace adze::import {
namespace {

const std::string prefix = "tokenizer.ggml.";

Status readTexts(MetadataReader &keys, const std::string &key, std::vector<std::string_view> &target) {
  const GgufValue *value = keys.take(key);
  if (!value)
    return Status::success();
  if (!value->array || value->type != GgufType::String)
    return keys.refuse(key, "an array of strings");
  target = value->strings;
  return Status::success();
}

Status readId(MetadataReader &keys, const std::string &key, std::optional<uint32_t> &target) {
  Expected<std::optional<int64_t>> id = keys.integer(key);
  if (!id)
    return id.takeStatus();
  if (!*id)
    return Status::success();
  if (**id < 0 || **id > std::numeric_limits<int32_t>::max())
    return keys.refuse(key, "a token id");
  target = uint32_t(**id);
  return Status::success();
}

} // namespace

Expected<TokenizerTable> readGgufTokenizer(MetadataReader &keys) {
  GgufVocabulary v;
  v.file = keys.name();
  for (const auto &[key, target] : {std::pair{prefix + "model", &v.model},
                                    {prefix + "pre", &v.pre},
                                    {std::string("tokenizer.chat_template"), &v.chatTemplate}}) {
    Expected<std::string_view> text = keys.string(key);
    if (!text)
      return text.takeStatus();
    *target = *text;
  }
  if (Status s = readTexts(keys, prefix + "tokens", v.tokens); !s.ok())
    return s;
  if (Status s = readTexts(keys, prefix + "merges", v.merges); !s.ok())
    return s;
  if (const GgufValue *types = keys.take(prefix + "token_type")) {
    std::optional<std::vector<int64_t>> values = types->integers();
    if (!values)
      return keys.refuse(prefix + "token_type", "an array of integers");
    for (int64_t type : *values)
      v.tokenTypes.push_back(type < 0 || type > 1000 ? -1 : int32_t(type));
  }
  if (const GgufValue *scores = keys.take(prefix + "scores")) {
    std::optional<std::vector<float>> values = scores->floats();
    if (!values)
      return keys.refuse(prefix + "scores", "an array of f32");
    v.scores = std::move(*values);
  }
  for (auto [key, target] : {std::pair{"bos_token_id", &v.bos},
                             {"eos_token_id", &v.eos},
                             {"eot_token_id", &v.eot},
                             {"eom_token_id", &v.eom},
                             {"unknown_token_id", &v.unknown},
                             {"padding_token_id", &v.padding}})
    if (Status s = readId(keys, prefix + key, *target); !s.ok())
      return s;
  for (auto [key, target] : {std::pair{"add_bos_token", &v.addBos},
                             {"add_eos_token", &v.addEos},
                             {"add_space_prefix", &v.addSpacePrefix},
                             {"remove_extra_whitespaces", &v.removeExtraWhitespaces}}) {
    Expected<std::optional<bool>> flag = keys.boolean(prefix + key);
    if (!flag)
      return flag.takeStatus();
    *target = *flag;
  }
  v.hasPrecompiledCharsmap = keys.take(prefix + "precompiled_charsmap") != nullptr;
  return tokenizerFromGguf(v);
}

Status readGgufGeneration(MetadataReader &keys, GenerationDefaults &generation) {
  const std::string sampling = "general.sampling.";
  for (auto [key, target] : {std::pair{"temp", &generation.temperature},
                             {"top_p", &generation.topP},
                             {"min_p", &generation.minP},
                             {"penalty_repeat", &generation.repetitionPenalty}}) {
    Expected<std::optional<double>> value = keys.number(sampling + key);
    if (!value)
      return value.takeStatus();
    if (*value) {
      *target = **value;
      generation.sample = true;
    }
  }
  Expected<std::optional<int64_t>> topK = keys.integer(sampling + "top_k");
  if (!topK)
    return topK.takeStatus();
  if (*topK) {
    generation.topK = **topK;
    generation.sample = true;
  }
  if (generation.temperature == 0) { // "greedy"
    generation.temperature = 1;
    generation.sample = false;
  }
  return Status::success();
}

} // namespace adze::import
