// Importing is closed-world: what would change ids and is not implemented is refused by name.
#include "GoldenFiles.h"

#include "adze/Text/TokenizerImport.h"

#include <gtest/gtest.h>

using namespace adze;
using namespace adze::test;

namespace {

Status importJson(const std::string &json, const std::string &config = "", const std::string &chat = "") {
  return readTokenizerJson(
             {.tokenizerJson = json, .tokenizerConfigJson = config, .chatTemplateJinja = chat, .folder = "dir"})
      .status();
}

void expectRefusal(const Status &status, ErrorCode code, const std::string &part) {
  EXPECT_FALSE(status.ok()) << part;
  EXPECT_EQ(status.code(), code) << status.message();
  EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
}

OrderedJson json(const char *text) { return OrderedJson::parse(text); }

TEST(TokenizerJson, RefusesComponentsThatItDoesNotImplement) {
  struct Case {
    const char *vocabulary, *key, *value, *part;
  } cases[] = {
      {"gpt-2", "normalizer", R"({"type": "NFKC"})", "normalizer (NFKC)"},
      {"gpt-2", "normalizer", R"({"type": "Sequence", "normalizers": [{"type": "Lowercase"}]})",
       "normalizer[0] (Lowercase)"},
      {"gpt-2", "pre_tokenizer", R"({"type": "Whitespace"})", "pre_tokenizer (Whitespace)"},
      {"gpt-2", "pre_tokenizer", R"({"type": "ByteLevel", "add_prefix_space": true})", "add_prefix_space"},
      {"gpt-2", "pre_tokenizer", R"({"type": "ByteLevel", "surprise": 1})", "\"surprise\""},
      {"gpt-2", "pre_tokenizer", R"({"type": "Sequence", "pretokenizers": [{"type": "Split", "pattern": {"Regex": "a+"},
        "behavior": "Isolated", "invert": false}, {"type": "ByteLevel", "add_prefix_space": false}]})",
       "a+"},
      {"gpt-2", "pre_tokenizer",
       R"({"type": "Sequence", "pretokenizers": [{"type": "Split", "pattern": {"Regex": "\\p{N}"},
        "behavior": "MergedWithNext", "invert": false}, {"type": "ByteLevel", "add_prefix_space": false}]})",
       "MergedWithNext"},
      {"gpt-2", "decoder", R"({"type": "WordPiece"})", "decoder (WordPiece)"},
      {"gpt-2", "decoder", "null", "does not undo"},
      {"gpt-2", "post_processor", R"({"type": "BertProcessing"})", "post_processor (BertProcessing)"},
      {"gpt-2", "post_processor", R"({"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<|im_start|>"}},
        {"SpecialToken": {"id": "<|im_end|>"}}, {"Sequence": {"id": "A"}}]})",
       "more than one token"},
      {"gpt-2", "surprise", "1", "\"surprise\""},
      {"sentencepiece", "decoder", R"({"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": "▁"},
        "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"}]})",
       "keeps a leading space"},
      {"sentencepiece", "decoder", R"({"type": "Metaspace", "replacement": "▁"})", "ByteFallback"},
      {"sentencepiece", "normalizer", R"({"type": "Replace", "pattern": {"String": "a"}, "content": "b"})", "Replace"},
      {"sentencepiece", "normalizer", "null", "spaces must be replaced"},
  };
  for (const Case &c : cases) {
    OrderedJson changes;
    changes[c.key] = json(c.value);
    expectRefusal(importJson(changedTokenizerJson(c.vocabulary, changes)), ErrorCode::Unsupported, c.part);
  }
}

TEST(TokenizerJson, RefusesModelsThatItDoesNotImplement) {
  struct Case {
    const char *change, *part;
  } cases[] = {
      {R"({"type": "Unigram"})", "Unigram"},
      {R"({"type": "WordPiece"})", "WordPiece"},
      {R"({"dropout": 0.1})", "dropout"},
      {R"({"end_of_word_suffix": "</w>"})", "end_of_word_suffix"},
      {R"({"continuing_subword_prefix": "##"})", "continuing_subword_prefix"},
      {R"({"byte_fallback": true})", "byte_fallback"},
      {R"({"surprise": 1})", "\"surprise\""},
  };
  for (const Case &c : cases)
    expectRefusal(importJson(changedTokenizerJson("gpt-2", OrderedJson::object(), json(c.change))),
                  ErrorCode::Unsupported, c.part);
}

TEST(TokenizerJson, RefusesBrokenFilesByPlace) {
  struct Case {
    const char *change, *part;
  } cases[] = {
      {R"({"vocab": []})", "\"vocab\" must be an object"},
      {R"({"vocab": {"a": -1}})", "has an integer as its id"},
      {R"({"vocab": {"a": 9999999}})", "at most"},
      {R"({"vocab": {"a": 3, "b": 3}})", "both have id 3"},
      {R"({"merges": {}})", "\"merges\" must be an array"},
      {R"({"merges": ["a"]})", "merges[0]"},
      {R"({"merges": [["a", "b", "c"]]})", "merges[0]"},
      {R"({"merges": [["a", "no such token"]]})", "\"no such token\" is not in the vocabulary"},
      {R"({"vocab": 7, "merges": 7})", "\"vocab\""},
      {R"({"fuse_unk": 3})", "\"fuse_unk\" is an integer"},
  };
  for (const Case &c : cases)
    expectRefusal(importJson(changedTokenizerJson("gpt-2", OrderedJson::object(), json(c.change))),
                  ErrorCode::InvalidInput, c.part);
  expectRefusal(importJson("{"), ErrorCode::InvalidInput, "dir/tokenizer.json: not valid JSON");
  expectRefusal(importJson(""), ErrorCode::InvalidInput, "dir/tokenizer.json");
  expectRefusal(importJson("[]"), ErrorCode::InvalidInput, "not an object");
  expectRefusal(importJson("{}"), ErrorCode::InvalidInput, "\"model\" is missing");
}

TEST(TokenizerJson, RefusesTheSameKeyTwice) {
  std::string text = changedTokenizerJson("gpt-2");
  text.insert(1, "\"normalizer\":null,");
  expectRefusal(importJson(text), ErrorCode::InvalidInput, "\"normalizer\" occurs twice");
}

TEST(TokenizerJson, RefusesAnAddedTokenThatContradictsTheVocabulary) {
  OrderedJson added = readJsonFile("vocabularies/gpt-2.json")["added_tokens"];
  added[0]["id"] = 5;
  expectRefusal(importJson(changedTokenizerJson("gpt-2", {{"added_tokens", added}})), ErrorCode::InvalidInput,
                "<|endoftext|>");
}

TEST(TokenizerJson, ReadsTheConfigurationsOwnAddedTokens) {
  Tokenizer tokenizer = openTokenizer(changedTokenizerJson("gpt-2"), R"({"added_tokens_decoder": {"2259": {
      "content": "<extra>", "lstrip": false, "rstrip": false, "normalized": false, "single_word": false, "special": true}}})");
  EXPECT_EQ(tokenizer.addedTokenId("<extra>"), 2259u);
  expectRefusal(importJson(changedTokenizerJson("gpt-2"),
                           R"({"added_tokens_decoder": {"0": {"content": "<other>", "special": true}}})"),
                ErrorCode::InvalidInput, "<other>");
}

TEST(TokenizerJson, ChecksTheConfiguration) {
  std::string text = changedTokenizerJson("gpt-2");
  expectRefusal(importJson(text, "{"), ErrorCode::InvalidInput, "dir/tokenizer_config.json");
  expectRefusal(importJson(text, R"({"bos_token": 3})"), ErrorCode::InvalidInput, "\"bos_token\" is an integer");
  expectRefusal(importJson(text, R"({"eos_token": "<none such>"})"), ErrorCode::InvalidInput, "<none such>");
  expectRefusal(importJson(text, R"({"split_special_tokens": true})"), ErrorCode::Unsupported, "split_special_tokens");
  expectRefusal(importJson(text, R"({"chat_template": [{"name": "tools", "template": ""}]})"), ErrorCode::InvalidInput,
                "default");
  expectRefusal(importJson(changedTokenizerJson("llama-bpe"), R"({"bos_token": "<|im_start|>"})"),
                ErrorCode::Unsupported, "begins texts with");
}

TEST(TokenizerJson, TakesTheChatTemplateFromWhereItIs) {
  std::string text = changedTokenizerJson("gpt-2");
  auto chat = [&](const char *config, const char *file) {
    return readTokenizerJson({.tokenizerJson = text, .tokenizerConfigJson = config, .chatTemplateJinja = file})
        ->chatTemplate;
  };
  EXPECT_EQ(chat(R"({"chat_template": "{{ a }}"})", ""), "{{ a }}");
  EXPECT_EQ(chat(R"({"chat_template": "{{ a }}"})", "{{ b }}"), "{{ b }}");
  EXPECT_EQ(chat(R"({"chat_template": [{"name": "x", "template": "1"}, {"name": "default", "template": "2"}]})", ""),
            "2");
  EXPECT_EQ(chat("{}", ""), "");
}

TEST(TokenizerJson, RefusesAnUnsupportedChatTemplateByConstructAndLine) {
  expectRefusal(importJson(changedTokenizerJson("gpt-2"), "", "a\n{% include 'x' %}"), ErrorCode::Unsupported,
                "line 2");
  expectRefusal(importJson(changedTokenizerJson("gpt-2"), "", "{{ x | nonsense }}"), ErrorCode::Unsupported,
                "filter \"nonsense\"");
}

TEST(TokenizerJson, GapsBetweenIdsAreNotLegal) {
  OrderedJson vocabulary = readJsonFile("vocabularies/gpt-2.json")["model"]["vocab"];
  uint32_t size = static_cast<uint32_t>(vocabulary.size());
  vocabulary["far"] = size + 2;
  Tokenizer tokenizer = openTokenizer(changedTokenizerJson("gpt-2", OrderedJson::object(), {{"vocab", vocabulary}}));
  EXPECT_EQ(tokenizer.legalTokenCount(), size + 3);
  EXPECT_FALSE(tokenizer.legal(size));
  EXPECT_TRUE(tokenizer.legal(size + 2));
}

GgufVocabulary smallGguf() {
  GgufVocabulary gguf;
  gguf.file = "m.gguf";
  gguf.model = "gpt2";
  gguf.pre = "smollm";
  gguf.tokens = {"<|end|>", "a", "b", "ab", "\u0120"};
  gguf.tokenTypes = {3, 1, 1, 1, 1};
  gguf.merges = {"a b"};
  gguf.eos = 0;
  return gguf;
}

TEST(GgufTokenizer, ReadsAByteLevelVocabulary) {
  Expected<TokenizerTable> table = tokenizerFromGguf(smallGguf());
  ASSERT_TRUE(table) << table.status().message();
  EXPECT_EQ(table->preSplit, (std::vector<std::string>{"digits", "gpt-2"}));
  EXPECT_EQ(*Tokenizer::create(*table)->encode("ab a"), (std::vector<uint32_t>{3, 4, 1}));
  EXPECT_FALSE(table->addBos);
  EXPECT_EQ(table->endTokens, std::vector<uint32_t>{0});
}

TEST(GgufTokenizer, RefusesWhatItDoesNotKnowByKey) {
  struct Case {
    ErrorCode code;
    const char *part;
    void (*change)(GgufVocabulary &);
  } cases[] = {
      {ErrorCode::Unsupported, "\"unheard-of\" is not supported; accepted are gpt-2, smollm",
       [](GgufVocabulary &g) { g.pre = "unheard-of"; }},
      {ErrorCode::Unsupported, "tokenizer.ggml.pre is missing", [](GgufVocabulary &g) { g.pre = ""; }},
      {ErrorCode::Unsupported, "tokenizer.ggml.model \"bert\"", [](GgufVocabulary &g) { g.model = "bert"; }},
      {ErrorCode::Unsupported, "precompiled_charsmap", [](GgufVocabulary &g) { g.hasPrecompiledCharsmap = true; }},
      {ErrorCode::Unsupported, "remove_extra_whitespaces", [](GgufVocabulary &g) { g.removeExtraWhitespaces = true; }},
      {ErrorCode::Unsupported, "add_space_prefix", [](GgufVocabulary &g) { g.addSpacePrefix = true; }},
      {ErrorCode::InvalidInput, "tokens is missing", [](GgufVocabulary &g) { g.tokens.clear(); }},
      {ErrorCode::InvalidInput, "token_type has 1 entries for 5", [](GgufVocabulary &g) { g.tokenTypes = {1}; }},
      {ErrorCode::InvalidInput, "token_type[1] is 9", [](GgufVocabulary &g) { g.tokenTypes[1] = 9; }},
      {ErrorCode::InvalidInput, "tokens[1] is not UTF-8", [](GgufVocabulary &g) { g.tokens[1] = "\xFF"; }},
      {ErrorCode::InvalidInput, "merges[0]", [](GgufVocabulary &g) { g.merges = {"ab"}; }},
      {ErrorCode::InvalidInput, "\"x\" is not among the tokens", [](GgufVocabulary &g) { g.merges = {"a x"}; }},
      {ErrorCode::InvalidInput, "end-of-text token has id 77", [](GgufVocabulary &g) { g.eos = 77; }},
      {ErrorCode::InvalidInput, "none is named", [](GgufVocabulary &g) { g.addBos = true; }},
      {ErrorCode::InvalidInput, "scores has 0 entries", [](GgufVocabulary &g) { g.model = "llama", g.pre = ""; }},
      {ErrorCode::Unsupported, "chat template, line 1", [](GgufVocabulary &g) { g.chatTemplate = "{% block a %}"; }},
  };
  for (const Case &c : cases) {
    GgufVocabulary gguf = smallGguf();
    c.change(gguf);
    Status status = tokenizerFromGguf(gguf).status();
    expectRefusal(status, c.code, c.part);
    EXPECT_TRUE(status.message().starts_with("m.gguf")) << status.message();
  }
}

// B69: any of the ends counts.
TEST(GgufTokenizer, CollectsEveryEndToken) {
  GgufVocabulary gguf = smallGguf();
  gguf.eot = 2;
  gguf.eom = 0;
  EXPECT_EQ(tokenizerFromGguf(gguf)->endTokens, (std::vector<uint32_t>{0, 2}));
}

} // namespace
