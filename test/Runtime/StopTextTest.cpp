// Text at its borders: stop strings across tokens, characters across tokens, answers cut in the middle of either.
#include "FakeArtifact.h"

using namespace adze;

namespace {
// Answers `a` with the tokens of `script`, then the end token.
std::shared_ptr<Collector> answerWith(const std::vector<int32_t> &script, std::vector<std::string> stops,
                                      int64_t maxTokens = 40) {
  FakeModel model;
  int32_t last = 'a';
  for (int32_t token : script) {
    EXPECT_FALSE(model.script.count(last)) << "a token of a script occurs once";
    model.follow(last, token);
    last = token;
  }
  model.follow(last, FAKE_END);
  FakeEngine bench(model);
  AnswerRequest request;
  request.prompt = bytesOf("a");
  request.maxTokens = maxTokens;
  request.stop = std::move(stops);
  return bench.answer(request);
}
} // namespace

TEST(StopText, FindsAStopStringThatCrossesTokens) {
  std::shared_ptr<Collector> answer = answerWith({'x', FAKE_KL, FAKE_MN, 'y'}, {"KLMN"});
  EXPECT_EQ(answer->text(), "x");
  EXPECT_EQ(answer->end->reason, FinishReason::Stop);
  EXPECT_EQ(answer->tokens.size(), 3u) << "nothing is computed behind the stop";
}

TEST(StopText, NeverShowsAPartOfAStopString) {
  std::shared_ptr<Collector> answer = answerWith({'x', FAKE_KL, FAKE_MN, 'y'}, {"LM"});
  EXPECT_EQ(answer->text(), "xK");
  std::string shown;
  for (const std::string &piece : answer->pieces) {
    shown += piece;
    EXPECT_EQ(std::string("xK").substr(0, shown.size()), shown);
  }
}

TEST(StopText, ShowsWhatOnlyLookedLikeAStop) {
  std::shared_ptr<Collector> answer = answerWith({'x', FAKE_KL, 'y'}, {"KLMN"});
  EXPECT_EQ(answer->text(), "xKLy");
  std::shared_ptr<Collector> atEnd = answerWith({'x', FAKE_KL}, {"KLMN"});
  EXPECT_EQ(atEnd->text(), "xKL") << "flushed when the answer ends otherwise";
  EXPECT_EQ(atEnd->end->reason, FinishReason::Stop) << "by its end token";
  std::shared_ptr<Collector> cut = answerWith({'x', FAKE_KL, FAKE_MN}, {"KLMNO"}, 2);
  EXPECT_EQ(cut->text(), "xKL");
  EXPECT_EQ(cut->end->reason, FinishReason::Length);
}

TEST(StopText, JoinsACharacterOfFourByteTokens) {
  std::shared_ptr<Collector> answer = answerWith({0xf0, 0x9f, 0x98, 0x80, '!'}, {});
  EXPECT_EQ(answer->text(), "\xf0\x9f\x98\x80!");
  EXPECT_EQ(answer->pieces[0] + answer->pieces[1] + answer->pieces[2], "") << "no half character is shown";
}

TEST(StopText, CutsACharacterToOneReplacement) {
  std::shared_ptr<Collector> answer = answerWith({'h', 0xf0, 0x9f, 0x98, 0x80}, {}, 3);
  EXPECT_EQ(answer->end->reason, FinishReason::Length);
  EXPECT_EQ(answer->text(), "h\xef\xbf\xbd");
}

TEST(StopText, ReplacesABrokenByteAndGoesOn) {
  std::shared_ptr<Collector> answer = answerWith({0xe2, 'b', 'c'}, {});
  EXPECT_EQ(answer->text(), "\xef\xbf\xbd"
                            "bc");
  EXPECT_EQ(answer->pieces[0], "");
  EXPECT_EQ(answer->pieces[1], "\xef\xbf\xbd"
                               "b")
      << "a broken byte does not hold up what follows";
}

TEST(StopText, FindsAStopStringInsideBytes) {
  std::shared_ptr<Collector> answer = answerWith({'x', 0xc3, 0xa9, 'z'}, {"\xc3\xa9"});
  EXPECT_EQ(answer->text(), "x");
  EXPECT_EQ(answer->end->reason, FinishReason::Stop);
}
