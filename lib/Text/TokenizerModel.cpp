#include "TokenizerModel.h"

#include "Utf8.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

using namespace adze;

namespace {
bool isWhiteSpaceAlone(std::string_view text) {
  for (size_t at = 0; at < text.size(); at += utf8::length(text[at]))
    if (!utf8::isWhiteSpace(utf8::codePoint(text, at)) && !text.substr(at).starts_with(spaceMark))
      return false;
  return true;
}
} // namespace

// A token that marks structure. A user's text must not become one, so that it is matched in template text only and no
// merge makes it. Files do not say reliably which these are: markers of roles are often not "special". So a marker is
// what is special, what holds one of the brackets and bars that markers are made of, and what the chat template itself
// spells out ("USER:"). The rest are words (runs of spaces, terms of a trade): the reference finds them in any text,
// and so do we.
bool TokenizerModel::isMarker(const AddedToken &added) const {
  if (added.special || table.tokenKinds[added.id] == TokenKind::Control ||
      added.content.find_first_of("<>[]{}|") != std::string::npos)
    return true;
  return table.chatTemplate.find(added.content) != std::string::npos && !isWhiteSpaceAlone(added.content);
}

void TokenizerModel::buildAddedTokens() {
  std::vector<AddedTokenMatcher::Token> raw, normalized;
  for (const AddedToken &added : table.addedTokens) {
    AddedTokenMatcher::Token token{added.id,        added.content,    isMarker(added),
                                   added.stripLeft, added.stripRight, added.singleWord};
    if (!added.normalized) {
      raw.push_back(std::move(token));
      continue;
    }
    OriginSpans whole, ignored;
    appendOrigin(whole, static_cast<uint32_t>(token.content.size()), TextOrigin::Template);
    token.content = normalize(token.content, whole, ignored);
    if (token.content.starts_with(spaceMark) && !added.content.starts_with(spaceMark))
      prefixedTokens.push_back(added.id);
    normalized.push_back(std::move(token));
  }
  rawTokens = AddedTokenMatcher(std::move(raw));
  normalizedTokens = AddedTokenMatcher(std::move(normalized));
}

void TokenizerModel::buildByteLevel(const std::vector<bool> &marker) {
  byteToken.fill(noToken);
  for (uint32_t id = table.size(); id-- > 0;)
    if (table.tokenKinds[id] == TokenKind::Normal && table.token(id).size() == 1)
      byteToken[static_cast<uint8_t>(table.token(id)[0])] = id;
  if (!table.wholeWordFirst)
    return;
  words = TokenMap(&table, table.size());
  for (uint32_t id = 0; id < table.size(); ++id)
    if (table.tokenKinds[id] == TokenKind::Normal && !marker[id] && !table.token(id).empty())
      words.insert(id);
}

void TokenizerModel::buildSentencePiece(const std::vector<bool> &marker) {
  byteToken.fill(noToken);
  words = TokenMap(&table, table.size());
  for (TokenKind kind : {TokenKind::Normal, TokenKind::UserDefined})
    for (uint32_t id = 0; id < table.size(); ++id)
      if (table.tokenKinds[id] == kind && !marker[id] && !table.token(id).empty())
        words.insert(id);
  wordsIndependent = words.find(spaceMark) != noToken;
  for (uint32_t id = 0; id < table.size(); ++id) {
    std::string_view bytes = table.token(id);
    if (table.tokenKinds[id] == TokenKind::Byte) {
      byteToken[static_cast<uint8_t>(bytes[0])] = id;
      continue;
    }
    if (marker[id] || table.tokenKinds[id] == TokenKind::Control || table.tokenKinds[id] == TokenKind::Unknown)
      continue;
    for (size_t at = bytes.find(spaceMark, 1); at != std::string_view::npos; at = bytes.find(spaceMark, at + 1))
      wordsIndependent &= at >= spaceMark.size() && bytes.substr(at - spaceMark.size(), spaceMark.size()) == spaceMark;
  }
  if (table.mergeOrder != MergeOrder::ByScore)
    return;
  std::vector<float> distinct = table.scores;
  std::sort(distinct.begin(), distinct.end(), std::greater<>());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  scoreRank.resize(table.size());
  for (uint32_t id = 0; id < table.size(); ++id)
    scoreRank[id] = static_cast<uint32_t>(
        std::lower_bound(distinct.begin(), distinct.end(), table.scores[id], std::greater<>()) - distinct.begin());
}

Status TokenizerModel::build(std::string_view file) {
  if (Status status = checkTokenizerTable(table, file); !status.ok())
    return status;
  for (uint32_t id = 0; id < table.size() && table.kind == VocabularyKind::SentencePieceBpe; ++id)
    if (table.tokenKinds[id] == TokenKind::Normal && !utf8::valid(table.token(id)))
      return invalidInput(fmt::format("{}: token {} is not UTF-8", file, id));
  for (const AddedToken &added : table.addedTokens)
    if (!utf8::valid(added.content))
      return invalidInput(fmt::format("{}: added token {} is not UTF-8", file, added.id));
  Expected<PreSplitter> splitter = PreSplitter::create(table.preSplit);
  if (!splitter)
    return splitter.status().withContext(file);
  preSplitter = std::move(*splitter);

  std::vector<bool> marker(table.size());
  for (uint32_t id = 0; id < table.size(); ++id)
    marker[id] = table.tokenKinds[id] == TokenKind::Control || table.tokenKinds[id] == TokenKind::Unused;
  for (const AddedToken &added : table.addedTokens)
    if (isMarker(added))
      marker[added.id] = true;
  if (table.kind == VocabularyKind::ByteLevelBpe)
    buildByteLevel(marker);
  else
    buildSentencePiece(marker);
  merges = MergeMap(table.merges.size());
  for (uint32_t rank = 0; rank < table.merges.size(); ++rank) {
    const TokenMerge &merge = table.merges[rank];
    if (!marker[merge.result])
      merges.insert(merge.left, merge.right, rank, merge.result);
  }
  buildAddedTokens();
  return Status::success();
}
