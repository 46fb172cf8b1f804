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

// Fill the table's kind, normalizer, spacePrefix, splitAtSpaces and preSplit. Absent components are null elements.
Status readTextComponents(std::optional<JsonElement> normalizer, std::optional<JsonElement> preTokenizer,
                          std::optional<JsonElement> decoder, std::string_view file, TokenizerTable &table);
Expected<TextEnds> readPostProcessor(std::optional<JsonElement> postProcessor, std::string_view file);

} // namespace adze

#endif // ADZE_TEXT_TOKENIZERJSONPIPELINE_H
