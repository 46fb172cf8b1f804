// GoldenFiles.h: reads what make-goldens.py wrote.
#ifndef ADZE_TEST_TEXT_GOLDENFILES_H
#define ADZE_TEST_TEXT_GOLDENFILES_H

#include "adze/Text/Tokenizer.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace adze::test {

using OrderedJson = nlohmann::ordered_json;

std::string readFile(const std::string &path);     // fails the test when it cannot be read
OrderedJson readJsonFile(const std::string &name); // below this folder
// A committed tokenizer.json with components replaced: keys of `changes` at the top, keys of `model` in the model.
std::string changedTokenizerJson(const std::string &vocabulary, const OrderedJson &changes = OrderedJson::object(),
                                 const OrderedJson &model = OrderedJson::object());
Tokenizer openTokenizer(const std::string &tokenizerJson, const std::string &config = "");
Tokenizer openVocabulary(const std::string &vocabulary);
std::vector<std::string> corpus();
TextRun fromTemplate(std::string text);
std::vector<uint32_t> encodeTemplate(const Tokenizer &tokenizer, const std::string &text, bool addSpecial = false);

} // namespace adze::test

#endif // ADZE_TEST_TEXT_GOLDENFILES_H
