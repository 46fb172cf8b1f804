// TokenizerImport.h: from the files of a checkpoint to the canonical table.
//
// Closed world: a component, key or flag of tokenizer.json that the encoder does not implement exactly is refused by
// name (InvalidInput for broken files, Unsupported for legal ones that are not implemented); an unknown GGUF pre-split
// rule is refused by name. The chat template, where there is one, is parsed here, so that an unsupported construct is
// an import error and never a surprise at run time. Pure functions.
#ifndef ADZE_TEXT_TOKENIZERIMPORT_H
#define ADZE_TEXT_TOKENIZERIMPORT_H

#include "adze/Format/TokenizerTable.h"
#include "adze/Support/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adze {

// Contents of the files of a Hugging Face directory; an empty one is absent. Only tokenizerJson is required.
struct TokenizerJsonFiles {
  std::string_view tokenizerJson;
  std::string_view tokenizerConfigJson = {};
  std::string_view specialTokensMapJson = {};
  std::string_view chatTemplateJinja = {}; // wins over the chat_template of the config
  std::string_view folder = {};            // put before file names in messages
};
Expected<TokenizerTable> readTokenizerJson(const TokenizerJsonFiles &files);

// The tokenizer.* metadata of a GGUF file. Views must stay valid during the call only.
struct GgufVocabulary {
  std::string_view file;                // named in messages
  std::string_view model;               // tokenizer.ggml.model: "gpt2" or "llama"
  std::string_view pre;                 // tokenizer.ggml.pre; empty: absent
  std::vector<std::string_view> tokens; // tokenizer.ggml.tokens
  std::vector<int32_t> tokenTypes;      // tokenizer.ggml.token_type; empty: absent, all normal
  std::vector<std::string_view> merges; // tokenizer.ggml.merges
  std::vector<float> scores;            // tokenizer.ggml.scores
  std::optional<uint32_t> bos, eos, eot, eom, unknown, padding;
  std::optional<bool> addBos, addEos, addSpacePrefix, removeExtraWhitespaces;
  bool hasPrecompiledCharsmap = false; // tokenizer.ggml.precompiled_charsmap
  std::string_view chatTemplate;       // tokenizer.chat_template
};
Expected<TokenizerTable> tokenizerFromGguf(const GgufVocabulary &vocabulary);

} // namespace adze

#endif // ADZE_TEXT_TOKENIZERIMPORT_H
