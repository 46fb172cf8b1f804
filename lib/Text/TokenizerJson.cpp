// tokenizer.json: the vocabulary, its merges and its added tokens.
#include "JsonFields.h"
#include "TokenizerConfig.h"
#include "TokenizerFinish.h"
#include "TokenizerJsonPipeline.h"

#include "ByteAlphabet.h"

#include "adze/Text/TokenizerImport.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <unordered_map>

using namespace adze;

namespace {

class TokenizerJsonReader {
public:
  TokenizerJsonReader(std::string file, const TokenizerConfig &config) : file(std::move(file)), config(config) {}

  Expected<TokenizerTable> read(const JsonElement &root) {
    ObjectReader reader(root, file);
    // The caller decides how much text a request may have; offsets are not ours.
    reader.ignore({"version", "truncation", "padding"});
    std::optional<JsonElement> model = reader.field("model"), added = reader.field("added_tokens");
    std::optional<JsonElement> normalizer = reader.field("normalizer"), pieces = reader.field("pre_tokenizer");
    std::optional<JsonElement> decoder = reader.field("decoder"), ends = reader.field("post_processor");
    if (Status status = reader.finish(); !status.ok())
      return status;
    if (!model)
      return invalidInput(fmt::format("{}: \"model\" is missing", file));
    std::string_view type;
    if (!(*model)["type"].get(type) && type != "BPE")
      return unsupported(fmt::format("{}: model: the type {} is not supported; only BPE is", file, type));
    Expected<TextEnds> around = readPostProcessor(ends, file);
    if (!around)
      return around.takeStatus();
    for (Status status : {readTextComponents(normalizer, pieces, decoder, file, table, decodesBytes), readAdded(added)})
      if (!status.ok())
        return status;
    if (Status status = readModel(*model); !status.ok())
      return status;
    if (Status status = setSpecials(*around); !status.ok())
      return status;
    return std::move(table);
  }

private:
  Status readAdded(std::optional<JsonElement> list) {
    simdjson::dom::array items;
    if (list && list->get(items))
      return invalidInput(fmt::format("{}: \"added_tokens\" is {}, not an array", file, jsonTypeOf(*list)));
    if (list)
      for (JsonElement item : items) {
        ObjectReader reader(item, fmt::format("{}: added_tokens[{}]", file, table.addedTokens.size()));
        AddedToken token;
        token.id = static_cast<uint32_t>(reader.number("id", tokenCountLimit));
        token.content = std::string(reader.text("content"));
        token.special = reader.flag("special", false);
        token.stripLeft = reader.flag("lstrip", false);
        token.stripRight = reader.flag("rstrip", false);
        token.singleWord = reader.flag("single_word", false);
        token.normalized = reader.flag("normalized", !token.special);
        if (Status status = reader.finish(); !status.ok())
          return status;
        table.addedTokens.push_back(std::move(token));
      }
    for (const AddedToken &token : config.addedTokens) {
      bool known = false;
      for (const AddedToken &have : table.addedTokens) {
        if (have.id == token.id && have.content != token.content)
          return invalidInput(fmt::format("tokenizer_config.json calls token {} \"{}\", but {} calls it \"{}\"",
                                          token.id, token.content, file, have.content));
        known |= have.content == token.content;
      }
      if (!known)
        table.addedTokens.push_back(token);
    }
    return Status::success();
  }

  Status readModel(const JsonElement &element) {
    ObjectReader reader(element, file + ": model");
    reader.ignore({"type"});
    if (std::optional<JsonElement> dropout = reader.field("dropout")) {
      double rate = 0;
      if (dropout->get(rate) || rate != 0)
        reader.fail(reader.unsupportedHere("\"dropout\" makes ids random; only null is supported"));
    }
    for (std::string_view key : {"continuing_subword_prefix", "end_of_word_suffix"})
      if (!reader.text(key).empty())
        reader.fail(reader.unsupportedHere(fmt::format("\"{}\" is not supported", key)));
    unknownSpelling = reader.text("unk_token");
    table.fuseUnknown = reader.flag("fuse_unk", false);
    table.byteFallback = reader.flag("byte_fallback", false);
    table.wholeWordFirst = reader.flag("ignore_merges", false);
    std::optional<JsonElement> vocabulary = reader.field("vocab"), merges = reader.field("merges");
    if (Status status = reader.finish(); !status.ok())
      return status;
    if (table.byteFallback && table.kind == VocabularyKind::ByteLevelBpe)
      return reader.unsupportedHere("\"byte_fallback\" with a ByteLevel pre-tokenizer is not supported");
    if (table.byteFallback && !decodesBytes)
      return reader.unsupportedHere("\"byte_fallback\" without a ByteFallback decoder is not supported");
    if (Status status = readVocabulary(vocabulary); !status.ok())
      return status;
    return readMerges(merges);
  }

  Status readVocabulary(std::optional<JsonElement> element) {
    simdjson::dom::object object;
    if (!element || element->get(object))
      return invalidInput(fmt::format("{}: model: \"vocab\" must be an object", file));
    std::vector<std::string_view> spellings;
    auto place = [&](std::string_view spelling, uint64_t id) -> Status {
      if (id >= tokenCountLimit)
        return invalidInput(fmt::format("{}: token \"{}\" has id {}; at most {} are accepted", file, spelling, id,
                                        tokenCountLimit - 1));
      if (id >= spellings.size())
        spellings.resize(id + 1);
      if (!spellings[id].empty())
        return invalidInput(fmt::format("{}: \"{}\" and \"{}\" both have id {}", file, spellings[id], spelling, id));
      spellings[id] = spelling;
      return Status::success();
    };
    idOf.reserve(object.size());
    for (auto [spelling, value] : object) {
      uint64_t id;
      if (value.get(id))
        return invalidInput(
            fmt::format("{}: model: vocab: \"{}\" has {} as its id", file, spelling, jsonTypeOf(value)));
      if (spelling.empty())
        return invalidInput(fmt::format("{}: model: vocab: token {} is empty", file, id));
      if (Status status = place(spelling, id); !status.ok())
        return status;
      if (!idOf.emplace(spelling, static_cast<uint32_t>(id)).second)
        return invalidInput(fmt::format("{}: model: vocab: \"{}\" occurs twice", file, spelling));
    }
    std::unordered_map<uint32_t, const AddedToken *> addedOf;
    for (const AddedToken &added : table.addedTokens) {
      auto known = idOf.find(added.content);
      if (known != idOf.end() && known->second != added.id)
        return invalidInput(fmt::format("{}: added token \"{}\" has id {}, but {} in the vocabulary", file,
                                        added.content, added.id, known->second));
      if (known == idOf.end())
        if (Status status = place(added.content, added.id); !status.ok())
          return status;
      addedOf[added.id] = &added;
    }
    for (uint32_t id = 0; id < spellings.size(); ++id) {
      auto added = addedOf.find(id);
      addToken(spellings[id], added == addedOf.end() ? nullptr : added->second);
    }
    return Status::success();
  }

  void addToken(std::string_view spelling, const AddedToken *added) {
    if (!unknownSpelling.empty() && spelling == unknownSpelling)
      table.addToken(spelling, TokenKind::Unknown);
    else if (added)
      table.addToken(spelling, added->special ? TokenKind::Control : TokenKind::UserDefined);
    else if (spelling.empty())
      table.addToken(spelling, TokenKind::Unused); // an id that the files leave out
    else
      addPlainToken(table, spelling);
  }

  Status readMerges(std::optional<JsonElement> element) {
    simdjson::dom::array list;
    if (!element || element->get(list))
      return invalidInput(fmt::format("{}: model: \"merges\" must be an array", file));
    std::string joined;
    size_t index = 0;
    for (JsonElement item : list) {
      std::string_view left, right;
      simdjson::dom::array pair;
      if (!item.get(left)) {
        size_t space = left.find(' ');
        if (space == std::string_view::npos || left.find(' ', space + 1) != std::string_view::npos)
          return invalidInput(
              fmt::format("{}: model: merges[{}]: \"{}\" is not two tokens with a space between", file, index, left));
        right = left.substr(space + 1);
        left = left.substr(0, space);
      } else if (item.get(pair) || pair.size() != 2 || pair.at(0).get(left) || pair.at(1).get(right)) {
        return invalidInput(fmt::format("{}: model: merges[{}] must be a string or two strings", file, index));
      }
      joined.assign(left);
      joined += right;
      auto a = idOf.find(left), b = idOf.find(right), c = idOf.find(joined);
      if (a == idOf.end() || b == idOf.end() || c == idOf.end())
        return invalidInput(fmt::format("{}: model: merges[{}]: \"{}\" is not in the vocabulary", file, index,
                                        a == idOf.end()   ? left
                                        : b == idOf.end() ? right
                                                          : joined));
      addMerge(table, a->second, b->second, c->second);
      ++index;
    }
    return Status::success();
  }

  std::optional<uint32_t> idOfSpelling(const std::string &spelling) const {
    for (const AddedToken &added : table.addedTokens)
      if (added.content == spelling)
        return added.id;
    auto found = idOf.find(spelling);
    return found == idOf.end() ? std::nullopt : std::optional<uint32_t>(found->second);
  }

  Status special(const std::optional<std::string> &spelling, std::string_view what, std::optional<uint32_t> &out) {
    if (!spelling || spelling->empty())
      return Status::success();
    out = idOfSpelling(*spelling);
    if (!out)
      return invalidInput(fmt::format("{}: the {} token \"{}\" is not in the vocabulary", file, what, *spelling));
    return Status::success();
  }

  Status setSpecials(const TextEnds &ends) {
    // Where the post-processor and the configuration name different tokens, what is put around texts is what counts.
    std::optional<std::string> bos = ends.before ? ends.before : config.bos;
    std::optional<std::string> unknown =
        unknownSpelling.empty() ? std::nullopt : std::optional<std::string>(unknownSpelling);
    if (ends.before && config.bos && *ends.before != *config.bos)
      return unsupported(
          fmt::format("{}: post_processor: it begins texts with \"{}\", but the configuration names \"{}\"", file,
                      *ends.before, *config.bos));
    if (ends.after && config.eos && *ends.after != *config.eos)
      return unsupported(
          fmt::format("{}: post_processor: it ends texts with \"{}\", but the configuration names \"{}\"", file,
                      *ends.after, *config.eos));
    for (Status status :
         {special(bos, "beginning-of-text", table.bos),
          special(ends.after ? ends.after : config.eos, "end-of-text", table.eos),
          special(unknown, "unknown", table.unknown), special(config.padding, "padding", table.padding)})
      if (!status.ok())
        return status;
    table.addBos = config.addBos.value_or(ends.before.has_value()) && table.bos;
    table.addEos = config.addEos.value_or(ends.after.has_value()) && table.eos;
    if (table.eos)
      table.endTokens = {*table.eos};
    return Status::success();
  }

  std::string file;
  const TokenizerConfig &config;
  TokenizerTable table;
  std::string_view unknownSpelling;
  bool decodesBytes = false;
  std::unordered_map<std::string_view, uint32_t> idOf;
};

} // namespace

Expected<TokenizerTable> adze::readTokenizerJson(const TokenizerJsonFiles &files) {
  auto name = [&](std::string_view file) {
    return files.folder.empty() ? std::string(file) : fmt::format("{}/{}", files.folder, file);
  };
  TokenizerConfig config;
  if (!files.chatTemplateJinja.empty())
    config.chatTemplate = std::string(files.chatTemplateJinja);
  for (Status status : {readTokenizerConfig(files.tokenizerConfigJson, name("tokenizer_config.json"), config),
                        readTokenizerConfig(files.specialTokensMapJson, name("special_tokens_map.json"), config)})
    if (!status.ok())
      return status;
  std::string file = name("tokenizer.json");
  Expected<JsonDocument> document = JsonDocument::parse(files.tokenizerJson, file);
  if (!document)
    return document.status();
  Expected<TokenizerTable> table = TokenizerJsonReader(file, config).read(document->root());
  if (!table)
    return table;
  table->chatTemplate = config.chatTemplate.value_or("");
  return finishTokenizer(std::move(*table), file);
}
