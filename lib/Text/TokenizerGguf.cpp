// The tokenizer.* metadata of GGUF files.
#include "TokenizerFinish.h"
#include "Utf8.h"

#include "adze/Text/PreSplit.h"
#include "adze/Text/TokenizerImport.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

using namespace adze;

namespace {

class GgufTokenizerReader {
public:
  explicit GgufTokenizerReader(const GgufVocabulary &source) : in(source) {}

  Expected<TokenizerTable> read() {
    for (Status status : {checkLists(), readModelName()})
      if (!status.ok())
        return status;
    if (Status status = readTokens(); !status.ok())
      return status;
    if (table.mergeOrder == MergeOrder::ByRank)
      if (Status status = readMerges(); !status.ok())
        return status;
    if (Status status = setSpecials(); !status.ok())
      return status;
    table.chatTemplate = std::string(in.chatTemplate);
    return finishTokenizer(std::move(table), in.file);
  }

private:
  Status checkLists() {
    if (in.tokens.empty())
      return invalidInput(fmt::format("{}: tokenizer.ggml.tokens is missing or empty", in.file));
    if (in.tokens.size() > tokenCountLimit)
      return invalidInput(fmt::format("{}: tokenizer.ggml.tokens has {} entries; at most {} are accepted", in.file,
                                      in.tokens.size(), tokenCountLimit));
    if (!in.tokenTypes.empty() && in.tokenTypes.size() != in.tokens.size())
      return invalidInput(fmt::format("{}: tokenizer.ggml.token_type has {} entries for {} tokens", in.file,
                                      in.tokenTypes.size(), in.tokens.size()));
    if (in.hasPrecompiledCharsmap)
      return unsupported(fmt::format("{}: tokenizer.ggml.precompiled_charsmap is not supported", in.file));
    if (in.removeExtraWhitespaces.value_or(false))
      return unsupported(fmt::format("{}: tokenizer.ggml.remove_extra_whitespaces true is not supported", in.file));
    return Status::success();
  }

  Status readModelName() {
    if (in.model == "gpt2") {
      table.kind = VocabularyKind::ByteLevelBpe;
      if (in.pre.empty())
        return unsupported(fmt::format("{}: tokenizer.ggml.pre is missing, so the way text is cut is unknown; accepted "
                                       "are {}. Convert the model again with a current converter",
                                       in.file, ggufPreSplitNames()));
      rules = ggufPreSplit(in.pre);
      if (!rules)
        return unsupported(fmt::format("{}: tokenizer.ggml.pre \"{}\" is not supported; accepted are {}", in.file,
                                       in.pre, ggufPreSplitNames()));
      table.preSplit.assign(rules->rules.begin(), rules->rules.end());
      table.wholeWordFirst = rules->wholeWordFirst;
      table.normalizer = rules->nfc ? TextNormalizer::Nfc : TextNormalizer::None;
      if (in.addSpacePrefix.value_or(false))
        return unsupported(
            fmt::format("{}: tokenizer.ggml.add_space_prefix true with model gpt2 is not supported", in.file));
      return Status::success();
    }
    if (in.model != "llama")
      return unsupported(fmt::format("{}: tokenizer.ggml.model \"{}\" is not supported; accepted are gpt2 and llama",
                                     in.file, in.model));
    if (!in.pre.empty() && in.pre != "default")
      return unsupported(fmt::format("{}: tokenizer.ggml.pre \"{}\" with model llama is not supported; accepted is "
                                     "default",
                                     in.file, in.pre));
    table.kind = VocabularyKind::SentencePieceBpe;
    table.mergeOrder = MergeOrder::ByScore;
    table.byteFallback = true;
    table.spacePrefix = in.addSpacePrefix.value_or(true) ? SpacePrefix::EachSegment : SpacePrefix::None;
    if (in.scores.size() != in.tokens.size())
      return invalidInput(fmt::format("{}: tokenizer.ggml.scores has {} entries for {} tokens", in.file,
                                      in.scores.size(), in.tokens.size()));
    table.scores = in.scores;
    return Status::success();
  }

  Status readTokens() {
    for (uint32_t id = 0; id < in.tokens.size(); ++id) {
      std::string_view spelling = in.tokens[id];
      int32_t type = in.tokenTypes.empty() ? 1 : in.tokenTypes[id];
      if (type < 1 || type > 6)
        return invalidInput(
            fmt::format("{}: tokenizer.ggml.token_type[{}] is {}; accepted are 1 to 6", in.file, id, type));
      if (!utf8::valid(spelling))
        return invalidInput(fmt::format("{}: tokenizer.ggml.tokens[{}] is not UTF-8", in.file, id));
      TokenKind kind = static_cast<TokenKind>(type - 1);
      switch (kind) {
      case TokenKind::Normal:
        addPlainToken(table, spelling);
        break;
      case TokenKind::Unused:
        table.addToken(spelling, kind);
        break;
      case TokenKind::Byte:
        addPlainToken(table, spelling);
        if (table.tokenKinds.back() != TokenKind::Byte)
          return invalidInput(
              fmt::format("{}: byte token {} is spelled \"{}\"; <0x00> to <0xFF> are accepted in a llama "
                          "vocabulary",
                          in.file, id, spelling));
        break;
      default: {
        std::string content(spelling);
        if (table.kind == VocabularyKind::SentencePieceBpe && kind == TokenKind::UserDefined)
          for (size_t at; (at = content.find("\xE2\x96\x81")) != std::string::npos;)
            content.replace(at, 3, " ");
        table.addToken(content, kind);
        if (!content.empty())
          table.addedTokens.push_back({.id = id, .content = content, .special = kind != TokenKind::UserDefined});
      }
      }
    }
    return Status::success();
  }

  Status readMerges() {
    std::unordered_map<std::string_view, uint32_t> idOf;
    idOf.reserve(in.tokens.size());
    for (uint32_t id = 0; id < in.tokens.size(); ++id)
      idOf.emplace(in.tokens[id], id);
    std::string joined;
    for (size_t i = 0; i < in.merges.size(); ++i) {
      std::string_view merge = in.merges[i];
      size_t space = merge.find(' ', 1);
      if (space == std::string_view::npos)
        return invalidInput(fmt::format("{}: tokenizer.ggml.merges[{}]: \"{}\" is not two tokens with a space between",
                                        in.file, i, merge));
      std::string_view left = merge.substr(0, space), right = merge.substr(space + 1);
      joined.assign(left);
      joined += right;
      auto a = idOf.find(left), b = idOf.find(right), c = idOf.find(joined);
      if (a == idOf.end() || b == idOf.end() || c == idOf.end())
        return invalidInput(fmt::format("{}: tokenizer.ggml.merges[{}]: \"{}\" is not among the tokens", in.file, i,
                                        a == idOf.end()   ? left
                                        : b == idOf.end() ? right
                                                          : joined));
      addMerge(table, a->second, b->second, c->second);
    }
    return Status::success();
  }

  Status setSpecials() {
    bool sentencePiece = table.kind == VocabularyKind::SentencePieceBpe;
    // A llama vocabulary without the keys has <unk>, <s> and </s> as its first three tokens.
    auto orFirst = [&](std::optional<uint32_t> id, uint32_t usual, std::string_view spelling) {
      bool there = sentencePiece && in.tokens.size() > usual && in.tokens[usual] == spelling;
      return id || !there ? id : std::optional<uint32_t>(usual);
    };
    table.bos = orFirst(in.bos, 1, "<s>");
    table.eos = orFirst(in.eos, 2, "</s>");
    table.padding = in.padding;
    // Byte-level vocabularies name an unknown token, but the reference drops bytes that have none.
    if (sentencePiece)
      table.unknown = orFirst(in.unknown, 0, "<unk>");
    for (std::optional<uint32_t> id : {table.eos, in.eot, in.eom})
      if (id)
        table.endTokens.push_back(*id);
    std::sort(table.endTokens.begin(), table.endTokens.end());
    table.endTokens.erase(std::unique(table.endTokens.begin(), table.endTokens.end()), table.endTokens.end());
    table.addBos = in.addBos.value_or(table.bos && (sentencePiece || rules->addBos));
    table.addEos = in.addEos.value_or(false);
    return Status::success();
  }

  const GgufVocabulary &in;
  TokenizerTable table;
  const GgufPreSplit *rules = nullptr;
};

} // namespace

Expected<TokenizerTable> adze::tokenizerFromGguf(const GgufVocabulary &vocabulary) {
  return GgufTokenizerReader(vocabulary).read();
}
