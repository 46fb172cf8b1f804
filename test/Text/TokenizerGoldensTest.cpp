// Ids equal the reference library's over the corpus, for every pre-split rule and every way of placing spaces.
#include "GoldenFiles.h"

#include "adze/Text/TokenizerImport.h"

#include <gtest/gtest.h>

using namespace adze;
using namespace adze::test;

namespace {

using Ids = std::vector<uint32_t>;

class ReferenceIds : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    golden = readJsonFile("goldens/" + GetParam() + ".json");
    texts = golden.contains("texts") ? golden["texts"].get<std::vector<std::string>>() : corpus();
    OrderedJson model = golden.value("model", OrderedJson::object());
    tokenizer = openTokenizer(changedTokenizerJson(golden["vocabulary"], golden["changes"], model));
    ASSERT_EQ(texts.size(), golden["ids"].size());
  }
  OrderedJson golden;
  std::vector<std::string> texts;
  std::optional<Tokenizer> tokenizer;
};

TEST_P(ReferenceIds, EqualTheReferenceLibrary) {
  for (size_t i = 0; i < texts.size(); ++i)
    EXPECT_EQ(encodeTemplate(*tokenizer, texts[i], golden["add_special"]), golden["ids"][i].get<Ids>())
        << "text " << i << ": " << testing::PrintToString(texts[i]);
}

TEST_P(ReferenceIds, DecodeToTheSameText) {
  bool exact = tokenizer->table().kind == VocabularyKind::ByteLevelBpe &&
               tokenizer->table().normalizer == TextNormalizer::None && !golden.contains("decoded");
  for (size_t i = 0; i < texts.size(); ++i) {
    Ids ids = golden["ids"][i].get<Ids>();
    Expected<std::string> text = tokenizer->decode(ids, {.skipControl = false});
    ASSERT_TRUE(text) << text.status().message();
    if (golden.contains("decoded")) {
      EXPECT_EQ(*text, golden["decoded"][i].get<std::string>()) << i;
    } else if (exact) {
      EXPECT_EQ(*text, texts[i]) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Vocabularies, ReferenceIds,
                         testing::Values("gpt-2", "smollm", "llama-bpe", "qwen2", "qwen35", "tekken", "gpt-4o",
                                         "digits-3", "digit-runs", "start-token", "sentencepiece", "unknown-characters",
                                         "metaspace-always-split", "metaspace-always-whole", "metaspace-first-split",
                                         "metaspace-first-whole", "metaspace-never-split", "metaspace-never-whole",
                                         "markers", "markers-lstrip", "markers-rstrip", "markers-lstrip-rstrip",
                                         "markers-single_word", "markers-normalized", "markers-lstrip-normalized",
                                         "markers-rstrip-single_word", "sentencepiece-markers",
                                         "sentencepiece-markers-lstrip", "sentencepiece-markers-rstrip",
                                         "sentencepiece-markers-lstrip-rstrip", "sentencepiece-markers-single_word",
                                         "sentencepiece-markers-normalized", "sentencepiece-markers-lstrip-normalized",
                                         "sentencepiece-markers-rstrip-single_word"),
                         [](const testing::TestParamInfo<std::string> &info) {
                           std::string name = info.param;
                           for (char &c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c)))
                               c = '_';
                           return name;
                         });

// A vocabulary merged by score, as GGUF files of Llama 2 and Mistral have it, against the sentencepiece library.
class ScoredVocabulary : public testing::Test {
protected:
  static Tokenizer open() {
    OrderedJson source = readJsonFile("vocabularies/sentencepiece-scores.json");
    std::vector<std::string> tokens = source["tokens"];
    GgufVocabulary vocabulary;
    vocabulary.file = "test.gguf";
    vocabulary.model = "llama";
    vocabulary.pre = "default";
    vocabulary.tokens.assign(tokens.begin(), tokens.end());
    vocabulary.tokenTypes = source["types"].get<std::vector<int32_t>>();
    vocabulary.scores = source["scores"].get<std::vector<float>>();
    vocabulary.bos = 1;
    vocabulary.eos = 2;
    vocabulary.unknown = 0;
    Expected<TokenizerTable> table = tokenizerFromGguf(vocabulary);
    EXPECT_TRUE(table) << table.status().message();
    Expected<Tokenizer> tokenizer = Tokenizer::create(*table);
    EXPECT_TRUE(tokenizer) << tokenizer.status().message();
    return *tokenizer;
  }
};

TEST_F(ScoredVocabulary, EqualsTheSentencePieceLibrary) {
  OrderedJson golden = readJsonFile("goldens/sentencepiece-scores.json");
  Tokenizer tokenizer = open();
  for (size_t i = 0; i < golden["texts"].size(); ++i) {
    Expected<Ids> ids = tokenizer.encode(golden["texts"][i].get<std::string>(), {.addSpecial = false});
    ASSERT_TRUE(ids) << ids.status().message();
    EXPECT_EQ(*ids, golden["ids"][i].get<Ids>()) << "text " << i << ": " << golden["texts"][i];
    EXPECT_EQ(*tokenizer.decode(*ids), golden["decoded"][i].get<std::string>()) << i;
  }
}

TEST_F(ScoredVocabulary, BeginsWithTheStartTokenByDefault) {
  EXPECT_EQ(open().encode("Hello")->front(), 1u);
  EXPECT_TRUE(open().table().addBos);
  EXPECT_FALSE(open().table().addEos);
}

// Every code point beside a letter, a space and a digit: the classes of characters that rules use are the reference's.
TEST(EveryCharacter, IsCutAsTheReferenceCutsIt) {
  OrderedJson golden = readJsonFile("goldens/every-character.json");
  std::vector<uint32_t> points;
  for (uint32_t c = 0; c < 0xE0200; c = c == 0xD7FF ? 0xE000 : c == 0x1FFFF ? 0xE0000 : c + 1)
    points.push_back(c);
  auto spelled = [](uint32_t c) {
    std::string out;
    if (c < 0x80) {
      out += static_cast<char>(c);
      return out;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    out += static_cast<char>((more == 1 ? 0xC0 : more == 2 ? 0xE0 : 0xF0) | c >> 6 * more);
    while (more-- > 0)
      out += static_cast<char>(0x80 | (c >> 6 * more & 0x3F));
    return out;
  };
  for (auto &[name, expected] : golden.items()) {
    std::string rule = name;
    OrderedJson changes = readJsonFile("goldens/" + rule + ".json");
    Tokenizer tokenizer = openTokenizer(changedTokenizerJson(changes["vocabulary"], changes["changes"]));
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < points.size(); i += 64) {
      std::string text;
      for (size_t k = i; k < std::min(i + 64, points.size()); ++k)
        text += "a" + spelled(points[k]) + " " + spelled(points[k]) + "1";
      for (uint32_t id : encodeTemplate(tokenizer, text))
        hash = (hash ^ id) * 0x100000001b3;
    }
    char digits[17];
    std::snprintf(digits, sizeof(digits), "%016lx", static_cast<unsigned long>(hash));
    EXPECT_EQ(digits, expected.get<std::string>()) << rule;
  }
}

} // namespace
