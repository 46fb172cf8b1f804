// Streaming: characters are never cut, broken bytes are shown once, stop strings are never shown in part.
#include "GoldenFiles.h"

#include "adze/Text/StopMatcher.h"

#include <gtest/gtest.h>
#include <random>

using namespace adze;
using namespace adze::test;

namespace {

using Ids = std::vector<uint32_t>;
constexpr const char *replacement = "\xEF\xBF\xBD";

// The token of one byte.
uint32_t byteToken(const Tokenizer &tokenizer, uint8_t byte) {
  const TokenizerTable &table = tokenizer.table();
  for (uint32_t id = 0; id < table.size(); ++id)
    if (table.token(id).size() == 1 && static_cast<uint8_t>(table.token(id)[0]) == byte &&
        table.tokenKinds[id] != TokenKind::Control)
      return id;
  ADD_FAILURE() << "no token for byte " << int(byte);
  return 0;
}

std::vector<std::string> stream(const Tokenizer &tokenizer, const Ids &ids) {
  TokenStream stream(tokenizer);
  std::vector<std::string> pieces;
  for (uint32_t id : ids)
    pieces.push_back(*stream.push(id));
  pieces.push_back(stream.finish());
  return pieces;
}

std::string joined(const std::vector<std::string> &pieces) {
  std::string out;
  for (const std::string &piece : pieces)
    out += piece;
  return out;
}

// B60
TEST(TokenStream, HoldsACharacterBackUntilItIsWhole) {
  Tokenizer tokenizer = openVocabulary("gpt-2");
  Ids ids;
  for (uint8_t byte : {0xF0, 0x9F, 0x98, 0x80})
    ids.push_back(byteToken(tokenizer, byte));
  EXPECT_EQ(stream(tokenizer, ids), (std::vector<std::string>{"", "", "", "\xF0\x9F\x98\x80", ""}));
}

TEST(TokenStream, ShowsACutCharacterAsOneReplacement) {
  Tokenizer tokenizer = openVocabulary("gpt-2");
  Ids ids = {byteToken(tokenizer, 'a'), byteToken(tokenizer, 0xF0), byteToken(tokenizer, 0x9F)};
  EXPECT_EQ(stream(tokenizer, ids), (std::vector<std::string>{"a", "", "", replacement}));
}

TEST(TokenStream, DoesNotStallOnABrokenByte) {
  Tokenizer tokenizer = openVocabulary("gpt-2");
  Ids ids = {byteToken(tokenizer, 0xE2), byteToken(tokenizer, 'x'), byteToken(tokenizer, 0x80),
             byteToken(tokenizer, 'y')};
  EXPECT_EQ(stream(tokenizer, ids),
            (std::vector<std::string>{"", replacement + std::string("x"), replacement, "y", ""}));
}

TEST(TokenStream, WorksForByteTokensOfASentencePieceVocabulary) {
  Tokenizer tokenizer = openVocabulary("sentencepiece");
  Ids ids = *tokenizer.encode("\U0001F9FF \U0001FA90", {.addSpecial = false});
  EXPECT_GT(ids.size(), 8u);
  EXPECT_EQ(joined(stream(tokenizer, ids)), "\U0001F9FF \U0001FA90");
}

TEST(TokenStream, JoinedEqualsDecodingAtOnceForAnyIds) {
  for (std::string vocabulary : {"gpt-2", "sentencepiece"}) {
    Tokenizer tokenizer = openVocabulary(vocabulary);
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
      Ids ids;
      for (int i = 0; i < 40; ++i)
        ids.push_back(random() % (round % 2 ? tokenizer.legalTokenCount() : 400));
      EXPECT_EQ(joined(stream(tokenizer, ids)), *tokenizer.decode(ids));
    }
  }
}

TEST(TokenStream, ReplacesBrokenPiecesAsUnicodeRecommends) {
  Tokenizer tokenizer = openVocabulary("gpt-2");
  Ids ids;
  for (uint8_t byte : {0x61, 0xF1, 0x80, 0x80, 0xE1, 0x80, 0xC2, 0x62, 0x80, 0x63, 0xED, 0xA0, 0x80})
    ids.push_back(byteToken(tokenizer, byte));
  std::string r = replacement;
  EXPECT_EQ(*tokenizer.decode(ids), "a" + r + r + r + "b" + r + "c" + r + r + r);
}

// Feeds a text in pieces of `size` and returns what was shown, and which stop string ended it.
std::pair<std::string, std::optional<size_t>> feed(StopMatcher matcher, std::string_view text, size_t size) {
  std::string shown;
  for (size_t at = 0; at < text.size(); at += size) {
    StopMatcher::Result result = matcher.push(text.substr(at, size));
    shown += result.text;
    if (result.stop)
      return {shown, result.stop};
  }
  return {shown + matcher.finish(), std::nullopt};
}

// B58
TEST(StopMatcher, NeverShowsAPartOfAStopString) {
  StopMatcher matcher = *StopMatcher::create({"KLMN"});
  EXPECT_EQ(matcher.push("abKL").text, "ab");
  StopMatcher::Result result = matcher.push("MNxx");
  EXPECT_EQ(result.text, "");
  EXPECT_EQ(result.stop, 0u);
  EXPECT_EQ(matcher.push("more").text, "");
}

TEST(StopMatcher, ReleasesWhatTurnedOutToBeText) {
  StopMatcher matcher = *StopMatcher::create({"KLMN"});
  EXPECT_EQ(matcher.push("KLM").text, "");
  EXPECT_EQ(matcher.push("x").text, "KLMx");
  EXPECT_EQ(matcher.push("KL").text, "");
  EXPECT_EQ(matcher.finish(), "KL");
}

TEST(StopMatcher, GivesTheSameResultHoweverTextIsCut) {
  struct Case {
    std::vector<std::string> stops;
    std::string text, shown;
    std::optional<size_t> stop;
  } cases[] = {
      {{"KLMN"}, "aKLKLMNb", "aKL", 0},          {{"aab"}, "aaab", "a", 0},
      {{"abcd", "bc"}, "xabcd", "xa", 1},        {{"abc", "bc"}, "xabc", "x", 0},
      {{"\n\n", "END"}, "a\nb\n\nc", "a\nb", 0}, {{"stop"}, "never st", "never st", std::nullopt},
      {{}, "all", "all", std::nullopt},          {{"\xE6\xB0\xB4"}, "a\xE6\xB0\xB4z", "a", 0},
  };
  for (const Case &c : cases)
    for (size_t size = 1; size <= c.text.size(); ++size) {
      auto [shown, stop] = feed(*StopMatcher::create(c.stops), c.text, size);
      EXPECT_EQ(shown, c.shown) << c.text << " in pieces of " << size;
      EXPECT_EQ(stop, c.stop) << c.text << " in pieces of " << size;
    }
}

TEST(StopMatcher, RefusesEmptyManyAndLongStrings) {
  EXPECT_EQ(StopMatcher::create({""}).status().code(), ErrorCode::InvalidInput);
  EXPECT_EQ(StopMatcher::create(std::vector<std::string>(stopStringCountLimit + 1, "x")).status().code(),
            ErrorCode::ResourceExhausted);
  EXPECT_EQ(StopMatcher::create({std::string(stopStringByteLimit + 1, 'x')}).status().code(),
            ErrorCode::ResourceExhausted);
}

} // namespace
