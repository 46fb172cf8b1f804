// Tokenizer.h: text to token ids and back.
//
// Encoding follows the `tokenizers` library step by step, which is the reference for every model that ships a
// tokenizer.json: added tokens are cut out first, the rest is normalised, cut by the pre-split rules and merged. Two
// things differ on purpose:
//   * An added token that marks structure is matched only inside text of origin Template, and no merge ever makes one.
//     Such are those that are special, hold any of <>[]{}| or occur in the chat template (docs/Security.md says why).
//     The others (runs of spaces, terms of a trade) are words and matched everywhere, as the reference does.
//   * The start token is put once: where the rendered template already begins with it, none is added.
//
// Text must be UTF-8; anything else is InvalidInput. Offsets are 32-bit: text over the byte limit is ResourceExhausted.
//
// A Tokenizer is immutable and cheap to copy (copies share the table). Everything is const and safe from many threads.
#ifndef ADZE_TEXT_TOKENIZER_H
#define ADZE_TEXT_TOKENIZER_H

#include "adze/Format/TokenizerTable.h"
#include "adze/Text/TextRuns.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adze {

struct TokenizerModel;

struct EncodeOptions {
  // The start token, and behind a caller's text the end token, where the vocabulary asks for them. A rendered template
  // ends where the answer begins, so it never gets an end token.
  bool addSpecial = true;
  uint64_t byteLimit = uint64_t(64) << 20;
};

struct DecodeOptions {
  bool skipControl = true; // leave out control tokens
  // The first token begins the text: the space that the vocabulary put before the first word is taken off again. False
  // when the tokens continue a text (a plain completion).
  bool atTextStart = true;
};

class Tokenizer {
public:
  // InvalidInput when the table breaks its rules, Unsupported for a pre-split rule that this build does not know.
  static Expected<Tokenizer> create(TokenizerTable table, std::string_view file = "tokenizer");
  // From the bytes of tokenizer.bin.
  static Expected<Tokenizer> load(std::span<const uint8_t> bytes, std::string_view file);

  const TokenizerTable &table() const;
  uint32_t legalTokenCount() const;
  bool legal(uint32_t id) const { return table().legal(id); }
  // InvalidInput naming the first id that is not legal.
  Status checkIds(std::span<const uint32_t> ids) const;

  // A rendered chat template.
  Expected<std::vector<uint32_t>> encode(std::span<const TextRun> runs, const EncodeOptions &options = {}) const;
  // What a caller typed.
  Expected<std::vector<uint32_t>> encode(std::string_view userText, const EncodeOptions &options = {}) const;

  // Bytes that are not UTF-8 become U+FFFD, one for each maximal broken piece. InvalidInput for an illegal id.
  Expected<std::string> decode(std::span<const uint32_t> ids, const DecodeOptions &options = {}) const;

  // What one token adds to a text, as bytes that need not be UTF-8 alone: what logprobs show. Empty for illegal ids.
  std::string tokenText(uint32_t id) const;
  // The id of the added token with this exact spelling.
  std::optional<uint32_t> addedTokenId(std::string_view content) const;

private:
  friend class TokenStream;
  explicit Tokenizer(std::shared_ptr<const TokenizerModel> model) : model(std::move(model)) {}
  std::shared_ptr<const TokenizerModel> model;
};

// Token by token to text that is always whole characters. The joined pieces equal Tokenizer::decode of the same ids
// with the same options. For one thread.
class TokenStream {
public:
  explicit TokenStream(Tokenizer tokenizer, DecodeOptions options = {});

  // The text that became certain; possibly empty while a character is incomplete. InvalidInput for an illegal id, which
  // changes nothing.
  Expected<std::string> push(uint32_t id);
  // The rest: one U+FFFD where the text ends inside a character. The stream then starts again as if fresh.
  std::string finish();

private:
  Tokenizer tokenizer;
  DecodeOptions options;
  bool started = false;
  std::string pending; // an incomplete character
};

} // namespace adze

#endif // ADZE_TEXT_TOKENIZER_H
