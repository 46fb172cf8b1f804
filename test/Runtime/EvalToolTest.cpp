// `adze eval` as people call it.
#include "ToolFixture.h"

using namespace adze;
using namespace adze::test;

namespace {
struct EvalToolTest : ToolTest {
  EvalToolTest() {
    text = model.folder.file("text");
    std::string content;
    for (int i = 0; i < 300; ++i)
      content += char('a' + i * i % 23 + i % 3);
    putFile(text, content);
  }
  Outcome eval(const std::string &arguments) { return adze("eval " + artifact() + " " + arguments); }
  // A second toy that is sure of what follows 'b'.
  std::string other(FakeModel &toy) {
    toy.follow('b', 'c');
    std::string where = model.folder.file("other.adze");
    toy.write(where);
    return where;
  }
  std::string text;
};
} // namespace

TEST_F(EvalToolTest, PrintsPerplexityOfAText) {
  Outcome outcome = eval(text + " --window 100");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "perplexity ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "297 predictions in 3 windows of 100 tokens; text of 300 tokens")) << outcome.out;
  EXPECT_EQ(parse(eval(text + " --json --window 100 --windows 2").out)["predictions"], 198);
  EXPECT_EQ(eval(text + " --quiet").err, "");
}

TEST_F(EvalToolTest, ShowsProgressInPlainLinesWithoutATerminal) {
  Outcome outcome = eval(text + " --window 100");
  EXPECT_TRUE(contains(outcome.err, "100 of 300 tokens, ")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "300 of 300 tokens, ")) << outcome.err;
  EXPECT_EQ(outcome.err.find('\r'), std::string::npos);
  EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos);
}

TEST_F(EvalToolTest, TakesTheModelsContextAsWindowWhereItIsShorter) {
  EXPECT_EQ(parse(eval(text + " --json").out)["window"], FAKE_CONTEXT);
}

TEST_F(EvalToolTest, ComparesTwoArtifacts) {
  FakeModel toy;
  std::string reference = other(toy);
  Json json = parse(eval(text + " --json --window 64 --against " + reference).out);
  EXPECT_EQ(json["reference"]["artifact"], reference);
  EXPECT_EQ(json["greedy_agreement"]["of"], json["predictions"]);
  EXPECT_LT(json["greedy_agreement"]["equal"], json["predictions"]);
  EXPECT_GT(json["kl_nats"]["mean"], 0);
  EXPECT_GE(json["kl_nats"]["max"], json["kl_nats"]["p99"]);
  Json same = parse(eval(text + " --json --window 64 --against " + artifact()).out);
  EXPECT_EQ(same["kl_nats"]["max"], 0);
  EXPECT_EQ(same["greedy_agreement"]["share"], 1);
  Outcome people = eval(text + " --window 64 --against " + reference);
  EXPECT_TRUE(contains(people.out, "KL(reference || model)")) << people.out;
  EXPECT_TRUE(contains(people.out, "greedy agreement")) << people.out;
}

TEST_F(EvalToolTest, GivesTheSameFiguresForEveryLimit) {
  FakeModel toy;
  std::string flags = text + " --json --quiet --window 64 --against " + other(toy);
  Json first = parse(eval(flags).out);
  for (const char *limits : {" --logit-rows 1", " --logit-rows 200 --threads 2", " --step-tokens 9"}) {
    Json json = parse(eval(flags + limits).out);
    json["seconds"] = first["seconds"];
    EXPECT_EQ(json, first) << limits;
  }
}

TEST_F(EvalToolTest, RefusesTextsThatAreNone) {
  putFile(text, "");
  Outcome empty = eval(text);
  EXPECT_EQ(empty.code, 1);
  EXPECT_TRUE(contains(empty.err, text + ": the file is empty")) << empty.err;
  putFile(text, "abc\xc3(");
  Outcome broken = eval(text);
  EXPECT_EQ(broken.code, 1);
  EXPECT_TRUE(contains(broken.err, text + ": the text is not UTF-8: byte 3 is 0xc3")) << broken.err;
  putFile(text, "a");
  Outcome shortText = eval(text);
  EXPECT_EQ(shortText.code, 1);
  EXPECT_TRUE(contains(shortText.err, "the text has 1 token,")) << shortText.err;
  Outcome absent = eval(text + ".none");
  EXPECT_EQ(absent.code, 1);
  EXPECT_TRUE(contains(absent.err, text + ".none")) << absent.err;
  EXPECT_EQ(eval(model.folder.path).code, 1) << "a folder";
}

TEST_F(EvalToolTest, RefusesOptionsByName) {
  for (auto [flags, message] : {std::pair{"--window 513", "--window is 513 and"},
                                {"--window 1", "accepted: 2 to 512"},
                                {"--window 64 --skip 63", "--skip is 63; accepted with a window of 64: 0 to 62"},
                                {"--windows 0", "--windows is 0; accepted: 1 or more"},
                                {"--logit-rows -1", "--logit-rows is -1"},
                                {"--step-tokens -1", "--step-tokens is -1"}}) {
    Outcome outcome = eval(text + " " + flags);
    EXPECT_EQ(outcome.code, 1) << flags;
    EXPECT_EQ(outcome.out, "") << flags;
    EXPECT_TRUE(contains(outcome.err, message)) << flags << ": " << outcome.err;
  }
}

TEST_F(EvalToolTest, RefusesAWindowThatTheSecondModelCannotHold) {
  FakeModel toy;
  toy.manifest.model.context = 50;
  std::string reference = other(toy);
  Outcome outcome = eval(text + " --window 60 --against " + reference);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "--window is 60 and " + reference + " was made for sequences of at most 50"))
      << outcome.err;
  EXPECT_EQ(parse(eval(text + " --json --against " + reference).out)["window"], 50);
}

TEST_F(EvalToolTest, RefusesAModelOfAnotherVocabulary) {
  FakeModel renamed;
  renamed.tokenizer.tokenBytes[97] = 'A';
  Outcome outcome = eval(text + " --against " + other(renamed));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "token 97 is \"a\" in one and \"A\" in the other")) << outcome.err;

  FakeModel longer;
  longer.tokenizer.addToken("more", TokenKind::Normal);
  longer.manifest.model.legalTokens = FAKE_LEGAL + 1;
  outcome = eval(text + " --against " + other(longer));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "different vocabularies, of 300 and 301 tokens")) << outcome.err;
}
