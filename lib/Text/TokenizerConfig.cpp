#include "TokenizerConfig.h"

#include "JsonFields.h"

#include <charconv>
#include <fmt/format.h>

using namespace adze;

namespace {

// "<s>", or {"content": "<s>", ...}, or null.
Status readSpecial(const JsonElement &root, std::string_view key, std::string_view file,
                   std::optional<std::string> &out) {
  JsonElement value;
  if (out || root[key].get(value) || isNull(value))
    return Status::success();
  std::string_view content;
  if (value.get(content) && value["content"].get(content))
    return invalidInput(fmt::format("{}: \"{}\" is {}; it must be a string, null, or an object with a \"content\"",
                                    file, key, jsonTypeOf(value)));
  out = std::string(content);
  return Status::success();
}

Status readFlag(const JsonElement &root, std::string_view key, std::string_view file, std::optional<bool> &out) {
  JsonElement value;
  bool flag;
  if (out || root[key].get(value) || isNull(value))
    return Status::success();
  if (value.get(flag))
    return invalidInput(fmt::format("{}: \"{}\" is {}; it must be true or false", file, key, jsonTypeOf(value)));
  out = flag;
  return Status::success();
}

Status readAddedTokens(const JsonElement &root, std::string_view file, std::vector<AddedToken> &out) {
  simdjson::dom::object tokens;
  if (root["added_tokens_decoder"].get(tokens))
    return Status::success();
  for (auto [key, value] : tokens) {
    AddedToken token;
    auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), token.id);
    if (error != std::errc() || end != key.data() + key.size())
      return invalidInput(fmt::format("{}: added_tokens_decoder: \"{}\" is not a token id", file, key));
    ObjectReader reader(value, fmt::format("{}: added_tokens_decoder: {}", file, key));
    token.content = std::string(reader.text("content"));
    token.special = reader.flag("special", false);
    token.stripLeft = reader.flag("lstrip", false);
    token.stripRight = reader.flag("rstrip", false);
    token.singleWord = reader.flag("single_word", false);
    token.normalized = reader.flag("normalized", !token.special);
    reader.ignore({"__type"});
    if (Status status = reader.finish(); !status.ok())
      return status;
    out.push_back(std::move(token));
  }
  return Status::success();
}

// A string, or a list of {"name", "template"} of which "default" is taken.
Status readChatTemplate(const JsonElement &root, std::string_view file, std::optional<std::string> &out) {
  JsonElement value;
  if (out || root["chat_template"].get(value) || isNull(value))
    return Status::success();
  std::string_view text;
  simdjson::dom::array list;
  if (!value.get(text)) {
    out = std::string(text);
    return Status::success();
  }
  if (value.get(list))
    return invalidInput(
        fmt::format("{}: \"chat_template\" is {}; it must be a string or a list", file, jsonTypeOf(value)));
  for (JsonElement item : list) {
    std::string_view name;
    if (item["name"].get(name) || item["template"].get(text))
      return invalidInput(fmt::format("{}: \"chat_template\": every entry needs a \"name\" and a \"template\"", file));
    if (name == "default")
      out = std::string(text);
  }
  if (!out)
    return invalidInput(fmt::format("{}: \"chat_template\" has no entry named \"default\"", file));
  return Status::success();
}

} // namespace

Status adze::readTokenizerConfig(std::string_view text, std::string_view file, TokenizerConfig &config) {
  if (text.empty())
    return Status::success();
  Expected<JsonDocument> document = JsonDocument::parse(text, file);
  if (!document)
    return document.status();
  const JsonElement &root = document->root();
  if (!root.is_object())
    return invalidInput(fmt::format("{} is {}, not an object", file, jsonTypeOf(root)));
  std::optional<bool> splitSpecial;
  for (Status status :
       {readSpecial(root, "bos_token", file, config.bos), readSpecial(root, "eos_token", file, config.eos),
        readSpecial(root, "unk_token", file, config.unknown), readSpecial(root, "pad_token", file, config.padding),
        readFlag(root, "add_bos_token", file, config.addBos), readFlag(root, "add_eos_token", file, config.addEos),
        readFlag(root, "split_special_tokens", file, splitSpecial), readAddedTokens(root, file, config.addedTokens),
        readChatTemplate(root, file, config.chatTemplate)})
    if (!status.ok())
      return status;
  if (splitSpecial.value_or(false))
    return unsupported(fmt::format("{}: \"split_special_tokens\" is true; only false is supported", file));
  return Status::success();
}
