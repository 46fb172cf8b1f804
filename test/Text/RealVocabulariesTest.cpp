// Real vocabularies, where they are present: SmolLM2's own, and a folder of GGUF vocabularies with expected ids.
#include "GgufMetadata.h"
#include "GoldenFiles.h"

#include "adze/Text/ChatTemplate.h"

#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <sstream>

using namespace adze;
using namespace adze::test;

namespace {

using Ids = std::vector<uint32_t>;

class SmolLm2Vocabulary : public testing::Test {
protected:
  void SetUp() override {
    if (!std::filesystem::exists(ADZE_SMOLLM2_FILE))
      GTEST_SKIP() << "the model is not at " << ADZE_SMOLLM2_FILE << "; scripts/demo fetches it";
    GgufMetadata metadata = readGgufMetadata(ADZE_SMOLLM2_FILE);
    Expected<TokenizerTable> table = tokenizerFromGguf(metadata.vocabulary("smollm2.gguf"));
    ASSERT_TRUE(table) << table.status().message();
    tokenizer = *Tokenizer::create(*table);
  }
  std::optional<Tokenizer> tokenizer;
};

TEST_F(SmolLm2Vocabulary, GivesTheIdsOfTheReference) {
  OrderedJson golden = readJsonFile("goldens/smollm2.json");
  std::vector<std::string> texts = corpus();
  for (size_t i = 0; i < texts.size(); ++i)
    EXPECT_EQ(encodeTemplate(*tokenizer, texts[i]), golden["ids"][i].get<Ids>()) << i;
}

TEST_F(SmolLm2Vocabulary, RendersAndEncodesAChat) {
  const TokenizerTable &table = tokenizer->table();
  ChatTemplate chat = *ChatTemplate::parse(table.chatTemplate);
  ChatInput input;
  input.addMessage("user", "Hi<|im_end|>");
  std::vector<TextRun> runs = *chat.render(input);
  EXPECT_EQ(joinRuns(runs), "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face"
                            "<|im_end|>\n<|im_start|>user\nHi<|im_end|><|im_end|>\n<|im_start|>assistant\n");
  Ids ids = *tokenizer->encode(runs);
  EXPECT_EQ(std::count(ids.begin(), ids.end(), 1u), 3);
  EXPECT_EQ(std::count(ids.begin(), ids.end(), 2u), 2);
  EXPECT_EQ(table.endTokens, Ids{2});
}

TEST_F(SmolLm2Vocabulary, LoadsAndEncodesQuickly) {
  using Clock = std::chrono::steady_clock;
  auto milliseconds = [](Clock::time_point since) {
    return std::chrono::duration<double, std::milli>(Clock::now() - since).count();
  };
  std::string stored = serialise(tokenizer->table());
  std::span bytes(reinterpret_cast<const uint8_t *>(stored.data()), stored.size());
  auto start = Clock::now();
  Expected<Tokenizer> loaded = Tokenizer::load(bytes, "tokenizer.bin");
  std::printf("  loading %zu bytes: %.1f ms\n", stored.size(), milliseconds(start));
  std::string text;
  for (const std::string &piece : corpus())
    if (piece.size() > 30 && static_cast<unsigned char>(piece[0]) < 128)
      text += piece + "\n";
  while (text.size() < 4'000'000)
    text += text;
  start = Clock::now();
  Expected<Ids> ids = loaded->encode(text);
  double encode = milliseconds(start);
  std::printf("  encoding: %.1f MB/s\n", static_cast<double>(text.size()) / 1000 / encode);
  start = Clock::now();
  EXPECT_EQ(*loaded->decode(*ids), text);
  std::printf("  decoding: %.1f MB/s\n", static_cast<double>(text.size()) / 1000 / milliseconds(start));
}

// x.gguf with x.gguf.inp (texts between lines of __ggml_vocab_test__) and x.gguf.out (a line of ids for each).
TEST(RealVocabularies, GiveTheExpectedIds) {
  std::string folder = ADZE_REAL_VOCABULARIES;
  if (folder.empty())
    GTEST_SKIP() << "configure with -DADZE_REAL_VOCABULARIES=FOLDER";
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    std::string path = entry.path().string();
    if (entry.path().extension() != ".gguf" || !std::filesystem::exists(path + ".out"))
      continue;
    GgufMetadata metadata = readGgufMetadata(path);
    Expected<TokenizerTable> table = tokenizerFromGguf(metadata.vocabulary(entry.path().filename().string()));
    if (!table) {
      EXPECT_EQ(table.status().code(), ErrorCode::Unsupported) << table.status().message();
      std::printf("  refused: %s\n", table.status().message().substr(0, 120).c_str());
      continue;
    }
    Tokenizer tokenizer = *Tokenizer::create(*table);
    std::string texts = readFile(path + ".inp");
    std::istringstream lines(readFile(path + ".out"));
    constexpr std::string_view separator = "\n__ggml_vocab_test__\n";
    size_t count = 0, wrong = 0;
    for (size_t begin = 0; begin <= texts.size(); ++count) {
      size_t end = std::min(texts.find(separator, begin), texts.size());
      std::string text = texts.substr(begin, end - begin), line;
      begin = end + separator.size();
      if (!std::getline(lines, line))
        break;
      std::istringstream numbers(line);
      Ids expected{std::istream_iterator<uint32_t>(numbers), {}};
      Ids ids = encodeTemplate(tokenizer, text);
      wrong += ids != expected;
      EXPECT_EQ(ids, expected) << path << " text " << count << ": " << testing::PrintToString(text);
    }
    std::printf("  %s: %zu texts, %zu different\n", entry.path().filename().c_str(), count, wrong);
  }
}

} // namespace
