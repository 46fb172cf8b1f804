#include "GoldenFiles.h"

#include "adze/Text/TokenizerImport.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

using namespace adze;
using namespace adze::test;

std::string test::readFile(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream.good()) << path;
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

OrderedJson test::readJsonFile(const std::string &name) {
  return OrderedJson::parse(readFile(std::string(ADZE_TEXT_TEST_FOLDER) + "/" + name));
}

std::string test::changedTokenizerJson(const std::string &vocabulary, const OrderedJson &changes,
                                       const OrderedJson &model) {
  OrderedJson document = readJsonFile("vocabularies/" + vocabulary + ".json");
  document.update(changes);
  document["model"].update(model);
  return document.dump();
}

Tokenizer test::openTokenizer(const std::string &tokenizerJson, const std::string &config) {
  Expected<TokenizerTable> table = readTokenizerJson({.tokenizerJson = tokenizerJson, .tokenizerConfigJson = config});
  EXPECT_TRUE(table) << table.status().message();
  // Always through the form that an artifact stores.
  std::string stored = serialise(*table);
  Expected<Tokenizer> tokenizer =
      Tokenizer::load(std::span(reinterpret_cast<const uint8_t *>(stored.data()), stored.size()), "tokenizer.bin");
  EXPECT_TRUE(tokenizer) << tokenizer.status().message();
  return *tokenizer;
}

Tokenizer test::openVocabulary(const std::string &vocabulary) {
  return openTokenizer(changedTokenizerJson(vocabulary));
}

std::vector<std::string> test::corpus() { return readJsonFile("goldens/corpus.json").get<std::vector<std::string>>(); }

TextRun test::fromTemplate(std::string text) { return {std::move(text), TextOrigin::Template}; }

std::vector<uint32_t> test::encodeTemplate(const Tokenizer &tokenizer, const std::string &text, bool addSpecial) {
  TextRun run = fromTemplate(text);
  Expected<std::vector<uint32_t>> ids = tokenizer.encode(std::span<const TextRun>(&run, 1), {.addSpecial = addSpecial});
  EXPECT_TRUE(ids) << ids.status().message();
  return *ids;
}
