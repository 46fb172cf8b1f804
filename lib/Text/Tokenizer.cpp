// Construction, id checks and decoding.
#include "adze/Text/Tokenizer.h"

#include "TokenizerModel.h"
#include "Utf8.h"

#include "adze/Support/Mutant.h"

#include <algorithm>
#include <fmt/format.h>

using namespace adze;

Expected<Tokenizer> Tokenizer::create(TokenizerTable table, std::string_view file) {
  auto model = std::make_shared<TokenizerModel>(std::move(table));
  if (Status status = model->build(file); !status.ok())
    return status;
  return Tokenizer(std::shared_ptr<const TokenizerModel>(std::move(model)));
}

Expected<Tokenizer> Tokenizer::load(std::span<const uint8_t> bytes, std::string_view file) {
  Expected<TokenizerTable> table = parseTokenizerTable(bytes, file);
  if (!table)
    return table.takeStatus();
  return create(std::move(*table), file);
}

const TokenizerTable &Tokenizer::table() const { return model->table; }

uint32_t Tokenizer::legalTokenCount() const { return model->table.legalTokenCount(); }

Status Tokenizer::checkIds(std::span<const uint32_t> ids) const {
  for (size_t i = 0; i < ids.size(); ++i)
    if (!legal(ids[i]))
      return invalidInput(fmt::format("token id {} (number {} of the list) is not legal: the model has ids 0 to {}",
                                      ids[i], i, legalTokenCount() - 1));
  return Status::success();
}

std::string Tokenizer::tokenText(uint32_t id) const {
  const TokenizerTable &table = model->table;
  if (!legal(id))
    return {};
  std::string text(table.token(id));
  TokenKind kind = table.tokenKinds[id];
  if (std::find(model->prefixedTokens.begin(), model->prefixedTokens.end(), id) != model->prefixedTokens.end())
    text.insert(0, " ");
  if (table.kind == VocabularyKind::SentencePieceBpe && (kind == TokenKind::Normal || kind == TokenKind::UserDefined))
    for (size_t at = text.find(spaceMark); at != std::string::npos; at = text.find(spaceMark, at + 1))
      text.replace(at, spaceMark.size(), " ");
  return text;
}

std::optional<uint32_t> Tokenizer::addedTokenId(std::string_view content) const {
  for (const AddedToken &added : model->table.addedTokens)
    if (added.content == content)
      return added.id;
  return std::nullopt;
}

Expected<std::string> Tokenizer::decode(std::span<const uint32_t> ids, const DecodeOptions &options) const {
  if (Status status = checkIds(ids); !status.ok())
    return status;
  TokenStream stream(*this, options);
  std::string text;
  for (uint32_t id : ids) {
    Expected<std::string> piece = stream.push(id);
    if (!piece)
      return piece.takeStatus();
    text += *piece;
  }
  return text + stream.finish();
}

TokenStream::TokenStream(Tokenizer tokenizer, DecodeOptions options)
    : tokenizer(std::move(tokenizer)), options(options) {}

Expected<std::string> TokenStream::push(uint32_t id) {
  if (Status status = tokenizer.checkIds(std::span(&id, 1)); !status.ok())
    return status;
  const TokenizerTable &table = tokenizer.table();
  TokenKind kind = table.tokenKinds[id];
  if (options.skipControl && (kind == TokenKind::Control || kind == TokenKind::Unknown))
    return std::string();
  std::string text = tokenizer.tokenText(id);
  if (!started && !text.empty()) {
    started = true;
    if (options.atTextStart && table.spacePrefix != SpacePrefix::None && text.front() == ' ')
      text.erase(0, 1);
  }
  pending += text;
  size_t tail = ADZE_MUTANT("show-cut-characters") ? 0 : utf8::incompleteTail(pending);
  std::string out;
  utf8::appendLossy(out, std::string_view(pending).substr(0, pending.size() - tail));
  pending.erase(0, pending.size() - tail);
  return out;
}

std::string TokenStream::finish() {
  std::string out;
  utf8::appendLossy(out, pending);
  pending.clear();
  started = false;
  return out;
}
