// TokenizerTable.h: one canonical description of a tokenizer, whatever file it came from.
//
// The importers turn tokenizer.json or GGUF metadata into this table; the artifact stores it as tokenizer.bin; the one
// encoder and the one decoder (adze/Text/Tokenizer.h) are built from it. Nothing in it depends on the container.
//
// Two kinds of vocabulary:
//   ByteLevelBpe      a token's bytes are raw bytes (the 256-letter alphabet of the files is undone at import); text is
//                     cut by the pre-split rules first, then merged by rank.
//   SentencePieceBpe  a token's bytes are UTF-8 with U+2581 for a space; characters that have no token fall back to
//                     byte tokens; merged by rank (merges listed) or by score (every adjacent pair whose joined text is
//                     a token may merge, highest score first).
//
// Ids are 0 .. size()-1. Ids of kind Unused exist in files as padding: they are never legal, see legal().
//
// serialise() and parseTokenizerTable() are inverse to each other and deterministic. The binary form is little-endian:
//   "ADZETOK\0", u32 version, u32 0, u64 payload bytes, 32 hex digits (XXH3-128 of the payload), payload.
// The parser trusts no count, refuses other versions and damage by name, and checks every id. Plain data: const use
// from many threads is safe.
#ifndef ADZE_FORMAT_TOKENIZERTABLE_H
#define ADZE_FORMAT_TOKENIZERTABLE_H

#include "adze/Support/Status.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adze {

enum class VocabularyKind : uint8_t { ByteLevelBpe, SentencePieceBpe };
enum class MergeOrder : uint8_t { ByRank, ByScore };
// The numbers of GGUF's token types, less one.
enum class TokenKind : uint8_t { Normal, Unknown, Control, UserDefined, Unused, Byte };

// Where a SentencePiece vocabulary puts a space that the text does not have. A segment is the text between two added
// tokens.
enum class SpacePrefix : uint8_t {
  None,
  EachSegment,            // before every segment, even one that starts with a space
  EachSegmentUnlessSpace, // before every segment that does not start with a space
  FirstUnlessSpace        // only at the start of the whole text, unless it starts with a space
};

enum class TextNormalizer : uint8_t { None, Nfc };

struct TokenMerge {
  uint32_t left = 0, right = 0, result = 0;
  friend bool operator==(const TokenMerge &, const TokenMerge &) = default;
};

// A token that is found in the text before any splitting. `normalized`: it is searched in normalised text.
struct AddedToken {
  uint32_t id = 0;
  std::string content;
  bool special = false, stripLeft = false, stripRight = false, singleWord = false, normalized = false;
  friend bool operator==(const AddedToken &, const AddedToken &) = default;
};

struct TokenizerTable {
  VocabularyKind kind = VocabularyKind::ByteLevelBpe;
  MergeOrder mergeOrder = MergeOrder::ByRank;
  TextNormalizer normalizer = TextNormalizer::None;
  SpacePrefix spacePrefix = SpacePrefix::None;
  bool splitAtSpaces = false;  // SentencePiece: no merge crosses the start of a word
  bool wholeWordFirst = false; // a split piece that is a token is taken as it is ("ignore_merges")
  bool byteFallback = false;   // a character without a token becomes its byte tokens
  bool fuseUnknown = false;    // neighbouring unknown characters become one unknown token
  bool addBos = false, addEos = false;
  std::optional<uint32_t> bos, eos, unknown, padding;
  // Every id that the tokenizer's own files call an end of text, turn or message, ascending; eos is among them.
  std::vector<uint32_t> endTokens;
  // Names of pre-split rules (adze/Text/PreSplit.h) applied one after the other, for example {"digits", "gpt-2"}.
  std::vector<std::string> preSplit;

  // Token i is tokenBytes[tokenStart[i], tokenStart[i + 1]).
  std::string tokenBytes;
  std::vector<uint32_t> tokenStart = {0};
  std::vector<TokenKind> tokenKinds;
  std::vector<float> scores;      // ByScore only, one per token
  std::vector<TokenMerge> merges; // ByRank only; the index is the rank
  std::vector<AddedToken> addedTokens;

  std::string chatTemplate; // source; empty: the model has none

  uint32_t size() const { return static_cast<uint32_t>(tokenKinds.size()); }
  std::string_view token(uint32_t id) const {
    return std::string_view(tokenBytes).substr(tokenStart[id], tokenStart[id + 1] - tokenStart[id]);
  }
  void addToken(std::string_view bytes, TokenKind kind);
  // True for ids that may be produced, sampled or accepted from a caller.
  bool legal(uint32_t id) const { return id < size() && tokenKinds[id] != TokenKind::Unused; }
  // One more than the highest legal id: the width of what may be sampled. Ids below it can still be illegal.
  uint32_t legalTokenCount() const;

  friend bool operator==(const TokenizerTable &, const TokenizerTable &) = default;
};

inline constexpr uint32_t tokenizerTableVersion = 1;
inline constexpr uint32_t tokenCountLimit = 1u << 22;

// The rules between the fields: ids in range, one score per token, merge results that join their halves, no empty added
// token. `file` names the source in the message.
Status checkTokenizerTable(const TokenizerTable &table, std::string_view file);

std::string serialise(const TokenizerTable &table);
// InvalidInput for damage, truncation or broken rules; Unsupported for another version.
Expected<TokenizerTable> parseTokenizerTable(std::span<const uint8_t> bytes, std::string_view file);

} // namespace adze

#endif // ADZE_FORMAT_TOKENIZERTABLE_H
