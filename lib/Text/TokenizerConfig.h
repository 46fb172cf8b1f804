// TokenizerConfig.h: the parts of tokenizer_config.json and special_tokens_map.json that decide ids.
//
// These files describe a Python class; most of their keys (lengths, class names, clean-up of decoded text) do not
// change an id and are not looked at. Read are: the special tokens, add_bos_token, add_eos_token, added_tokens_decoder
// and chat_template.
#ifndef ADZE_TEXT_TOKENIZERCONFIG_H
#define ADZE_TEXT_TOKENIZERCONFIG_H

#include "adze/Format/TokenizerTable.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adze {

struct TokenizerConfig {
  std::optional<std::string> bos, eos, unknown, padding;
  std::optional<bool> addBos, addEos;
  std::vector<AddedToken> addedTokens;
  std::optional<std::string> chatTemplate;
};

// Values already in `config` are kept. `text` empty: no file.
Status readTokenizerConfig(std::string_view text, std::string_view file, TokenizerConfig &config);

} // namespace adze

#endif // ADZE_TEXT_TOKENIZERCONFIG_H
