// TokenizerFinish.h: what both importers do with tokens, merges and the finished table.
#ifndef ADZE_TEXT_TOKENIZERFINISH_H
#define ADZE_TEXT_TOKENIZERFINISH_H

#include "adze/Format/TokenizerTable.h"

namespace adze {

// Adds a vocabulary entry that is no added token: undoes the byte alphabet of byte-level vocabularies and recognises
// the byte tokens <0x00> to <0xFF> where the vocabulary falls back to bytes.
void addPlainToken(TokenizerTable &table, std::string_view spelling);

// Adds a merge unless it can never happen: byte-level symbols start as bytes, so a half that holds anything else is
// never formed.
void addMerge(TokenizerTable &table, uint32_t left, uint32_t right, uint32_t result);

// Checks the table by building a tokenizer from it and parses its chat template.
Expected<TokenizerTable> finishTokenizer(TokenizerTable table, std::string_view file);

} // namespace adze

#endif // ADZE_TEXT_TOKENIZERFINISH_H
