// TokenizerJsonPipeline.h: the components around the model in a tokenizer.json, recognised closed-world.
#ifndef ADZE_TEXT_TOKENIZERJSONPIPELINE_H
#define ADZE_TEXT_TOKENIZERJSONPIPELINE_H

#include "JsonFields.h"

#include "adze/Format/TokenizerTable.h"

namespace adze {

// What post_processor puts around a text, by spelling.
struct TextEnds {
  std::optional<std::string> before, after;
};

// Fills the table's kind, normalizer, spacePrefix, splitAtSpaces and preSplit. `decodesBytes`: the decoder turns byte
// tokens into bytes.
Status readTextComponents(std::optional<JsonElement> normalizer, std::optional<JsonElement> preTokenizer,
                          std::optional<JsonElement> decoder, std::string_view file, TokenizerTable &table,
                          bool &decodesBytes);
Expected<TextEnds> readPostProcessor(std::optional<JsonElement> postProcessor, std::string_view file);

} // namespace adze

#endif // ADZE_TEXT_TOKENIZERJSONPIPELINE_H
