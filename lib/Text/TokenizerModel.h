// TokenizerModel.h: a tokenizer table with the lookup structures of the encoder. Immutable after build().
#ifndef ADZE_TEXT_TOKENIZERMODEL_H
#define ADZE_TEXT_TOKENIZERMODEL_H

#include "AddedTokenMatcher.h"
#include "Merger.h"
#include "TokenMap.h"

#include "adze/Text/PreSplit.h"
#include "adze/Text/Tokenizer.h"

#include <array>

namespace adze {

inline constexpr std::string_view spaceMark = "\xE2\x96\x81"; // U+2581, a space in SentencePiece vocabularies

struct TokenizerModel {
  explicit TokenizerModel(TokenizerTable source) : table(std::move(source)) {}
  TokenizerModel(const TokenizerModel &) = delete;
  Status build(std::string_view file);

  TokenizerTable table;
  PreSplitter preSplitter;
  AddedTokenMatcher rawTokens, normalizedTokens; // searched before and after normalising
  TokenMap words;                                // what text may become as a whole
  MergeMap merges;                               // ByRank
  std::vector<uint32_t> scoreRank;               // ByScore: 0 is the highest score
  std::array<uint32_t, 256> byteToken{};         // the token of a single byte, or noToken
  // SentencePiece: no token holds the start of a word behind another character, so words merge independently.
  bool wordsIndependent = false;
  // Added tokens that are found with the space prefix in front, which decoding therefore gives back.
  std::vector<uint32_t> prefixedTokens;

  bool isMarker(const AddedToken &added) const;
  std::string normalize(std::string_view text, const OriginSpans &origins, OriginSpans &normalizedOrigins) const;

private:
  void buildAddedTokens();
  void buildByteLevel(const std::vector<bool> &marker);
  void buildSentencePiece(const std::vector<bool> &marker);
};

// Canonical composition of text whose origins are known. A stretch that was composed over a border between origins
// counts as the user's.
std::string composeText(std::string_view text, const OriginSpans &origins, OriginSpans &composedOrigins);

} // namespace adze

#endif // ADZE_TEXT_TOKENIZERMODEL_H
