// The stored form of a tokenizer: what is written is read again, and damage of any kind is refused.
#include "GoldenFiles.h"

#include "adze/Format/TokenizerTable.h"
#include "adze/Support/Hash.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace adze;
using namespace adze::test;

namespace {

std::span<const uint8_t> bytesOf(const std::string &text) {
  return std::span(reinterpret_cast<const uint8_t *>(text.data()), text.size());
}

Status statusOf(const std::string &bytes) { return parseTokenizerTable(bytesOf(bytes), "tokenizer.bin").status(); }

// Bytes with a hash that matches again after `payload` was changed.
std::string withHash(std::string bytes) {
  constexpr size_t header = 8 + 4 + 4 + 8, hash = 32;
  uint64_t size = bytes.size() - header - hash;
  std::memcpy(bytes.data() + 16, &size, sizeof(size));
  bytes.replace(header, hash, hashText(std::string_view(bytes).substr(header + hash)));
  return bytes;
}

TokenizerTable smallTable() {
  TokenizerTable table;
  table.addToken("a", TokenKind::Normal);
  table.addToken("b", TokenKind::Normal);
  table.addToken("ab", TokenKind::Normal);
  table.addToken("<s>", TokenKind::Control);
  table.merges = {{0, 1, 2}};
  table.bos = 3;
  table.addBos = true;
  table.preSplit = {"digits", "gpt-2"};
  table.addedTokens = {{.id = 3, .content = "<s>", .special = true, .stripRight = true}};
  table.endTokens = {3};
  table.chatTemplate = "{{ x }}";
  return table;
}

TEST(TokenizerTable, IsReadAsItWasWritten) {
  for (std::string vocabulary : {"gpt-2", "llama-bpe", "sentencepiece"}) {
    TokenizerTable table = openVocabulary(vocabulary).table();
    Expected<TokenizerTable> again = parseTokenizerTable(bytesOf(serialise(table)), "tokenizer.bin");
    ASSERT_TRUE(again) << again.status().message();
    EXPECT_TRUE(*again == table);
    EXPECT_EQ(serialise(*again), serialise(table));
  }
  TokenizerTable small = smallTable();
  EXPECT_TRUE(*parseTokenizerTable(bytesOf(serialise(small)), "x") == small);
}

TEST(TokenizerTable, RefusesEveryTruncation) {
  std::string bytes = serialise(smallTable());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(statusOf(bytes.substr(0, size)).ok()) << size;
    if (size > 56) { // also where the header agrees with what is left
      EXPECT_FALSE(statusOf(withHash(bytes.substr(0, size))).ok()) << size;
    }
  }
  EXPECT_FALSE(statusOf(bytes + "x").ok());
  EXPECT_FALSE(statusOf(withHash(bytes + "x")).ok());
}

TEST(TokenizerTable, RefusesEveryFlippedBit) {
  std::string bytes = serialise(smallTable());
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_FALSE(statusOf(damaged).ok()) << i;
  }
}

TEST(TokenizerTable, RefusesOtherVersionsByNumber) {
  std::string bytes = serialise(smallTable());
  bytes[8] = 9;
  EXPECT_EQ(statusOf(bytes).code(), ErrorCode::Unsupported);
  EXPECT_NE(statusOf(bytes).message().find("version 9"), std::string::npos);
}

TEST(TokenizerTable, RefusesCountsThatTheFileCannotHold) {
  std::string bytes = serialise(smallTable());
  // Every aligned 64-bit word of the payload in turn becomes huge; none may be believed.
  for (size_t at = 56; at + 8 <= bytes.size(); ++at) {
    std::string damaged = bytes;
    uint64_t huge = UINT64_MAX / 2;
    std::memcpy(damaged.data() + at, &huge, sizeof(huge));
    (void)statusOf(withHash(damaged)); // must return, whatever it says
  }
}

TEST(TokenizerTable, RefusesBrokenRulesByName) {
  struct Case {
    const char *message;
    void (*change)(TokenizerTable &);
  } cases[] = {
      {"names a token outside", [](TokenizerTable &t) { t.merges[0].result = 9; }},
      {"not its two halves joined", [](TokenizerTable &t) { t.merges[0].result = 3; }},
      {"beginning-of-text token has id 7", [](TokenizerTable &t) { t.bos = 7; }},
      {"none is named", [](TokenizerTable &t) { t.bos.reset(); }},
      {"is not a legal id", [](TokenizerTable &t) { t.addedTokens[0].id = 4; }},
      {"is empty", [](TokenizerTable &t) { t.addedTokens[0].content.clear(); }},
      {"scores for", [](TokenizerTable &t) { t.scores = {1}; }},
      {"merged by rank", [](TokenizerTable &t) { t.mergeOrder = MergeOrder::ByScore; }},
      {"end token has id", [](TokenizerTable &t) { t.endTokens = {99}; }},
      {"do not cover", [](TokenizerTable &t) { t.tokenStart.back() = 1; }},
      {"vocabulary is empty", [](TokenizerTable &t) { t = TokenizerTable(); }},
      {"does not hold exactly one byte", [](TokenizerTable &t) { t.tokenKinds[2] = TokenKind::Byte; }},
  };
  for (const Case &c : cases) {
    TokenizerTable table = smallTable();
    c.change(table);
    Status status = checkTokenizerTable(table, "tokenizer.bin");
    EXPECT_FALSE(status.ok()) << c.message;
    EXPECT_NE(status.message().find(c.message), std::string::npos) << status.message();
    EXPECT_EQ(statusOf(serialise(table)).message(), status.message());
  }
}

TEST(TokenizerTable, RefusesAnUnknownPreSplitRule) {
  TokenizerTable table = smallTable();
  table.preSplit = {"unheard-of"};
  Status status = Tokenizer::create(table, "tokenizer.bin").status();
  EXPECT_EQ(status.code(), ErrorCode::Unsupported);
  EXPECT_NE(status.message().find("unheard-of"), std::string::npos);
}

} // namespace
