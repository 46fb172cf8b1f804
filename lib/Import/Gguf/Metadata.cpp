// Reading of GGUF metadata whose every key must be accounted for, and the list of keys that do not matter.
#include "Metadata.h"

namespace adze::import {
namespace {

constexpr IgnoredKey ignoredKeys[] = {
    {"general.alignment", "used while the tensors were placed"},
    {"general.file_type", "what most tensors are; each says its own type"},
    {"general.author", "about the makers"},
    {"general.organization", "about the makers"},
    {"general.description", "about the makers"},
    {"general.quantized_by", "about the makers"},
    {"general.version", "about the makers"},
    {"general.finetune", "about the makers"},
    {"general.basename", "about the makers"},
    {"general.size_label", "about the makers"},
    {"general.url", "where it came from"},
    {"general.doi", "where it came from"},
    {"general.uuid", "where it came from"},
    {"general.repo_url", "where it came from"},
    {"general.source.*", "where it came from"},
    {"general.base_model.*", "where it came from"},
    {"general.base_model", "where it came from"},
    {"general.dataset.*", "where it came from"},
    {"general.datasets", "where it came from"},
    {"general.tags", "words for a search"},
    {"general.languages", "words for a search"},
    {"general.license.*", "the name and link of the licence"},
    {"quantize.imatrix.*", "how the quantizer chose its scales"},
    {"tokenizer.huggingface.json", "a copy of what the other tokenizer keys say"},
    {"tokenizer.chat_templates", "names of further templates; the first one is used"},
    {"tokenizer.chat_template.*", "further templates; the first one is used"},
    {"tokenizer.ggml.seperator_token_id", "no role in a causal model"},
    {"tokenizer.ggml.cls_token_id", "no role in a causal model"},
    {"tokenizer.ggml.mask_token_id", "no role in a causal model"},
    {"tokenizer.ggml.token_type_count", "no role in a causal model"},
    {"tokenizer.ggml.prefix_token_id", "fill in the middle, which only a caller's prompt can ask for"},
    {"tokenizer.ggml.suffix_token_id", "fill in the middle"},
    {"tokenizer.ggml.middle_token_id", "fill in the middle"},
    {"tokenizer.ggml.fim_*", "fill in the middle"},
};

} // namespace

const GgufValue *MetadataReader::take(std::string_view key) {
  auto found = file.metadata.find(key);
  if (found == file.metadata.end())
    return nullptr;
  consume(key);
  return &found->second;
}

Status MetadataReader::refuse(std::string_view key, std::string_view accepted) const {
  auto value = file.metadata.find(key);
  std::string found = "absent";
  if (value != file.metadata.end()) {
    found = value->second.describe();
    if (std::optional<int64_t> n = value->second.integer())
      found = std::to_string(*n);
    else if (std::optional<double> n = value->second.number())
      found = std::to_string(*n);
    else if (std::optional<std::string_view> text = value->second.string())
      found = "'" + std::string(text->substr(0, 80)) + "'";
    else if (std::optional<bool> flag = value->second.boolean())
      found = *flag ? "true" : "false";
  }
  return invalidInput(name() + ": key '" + std::string(key) + "' is " + found + "; accepted is " +
                      std::string(accepted));
}

Expected<std::optional<int64_t>> MetadataReader::integer(std::string_view key) {
  const GgufValue *value = take(key);
  if (!value)
    return std::optional<int64_t>();
  std::optional<int64_t> n = value->integer();
  if (!n)
    return refuse(key, "an integer");
  return n;
}

Expected<std::optional<double>> MetadataReader::number(std::string_view key) {
  const GgufValue *value = take(key);
  if (!value)
    return std::optional<double>();
  std::optional<double> n = value->number();
  if (!n)
    return refuse(key, "a number of type f32");
  return n;
}

Expected<std::optional<bool>> MetadataReader::boolean(std::string_view key) {
  const GgufValue *value = take(key);
  if (!value)
    return std::optional<bool>();
  std::optional<bool> flag = value->boolean();
  if (!flag)
    return refuse(key, "a bool");
  return flag;
}

Expected<std::string_view> MetadataReader::string(std::string_view key) {
  const GgufValue *value = take(key);
  if (!value)
    return std::string_view();
  std::optional<std::string_view> text = value->string();
  if (!text)
    return refuse(key, "a string");
  return *text;
}

Status MetadataReader::finish() const { return account(file.metadata, ignoredKeys, ""); }

} // namespace adze::import
