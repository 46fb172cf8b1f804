// The GGUF door: what it reads, and everything it must refuse by key or tensor.
#include "ImportTestFiles.h"

#include "adze/Import/Doors.h"

#include <gmock/gmock.h>

namespace adze::import {
namespace {

using test::importMessage;
using test::setGgufU32;
using testing::HasSubstr;

class Gguf : public testing::Test {
protected:
  std::string model(const std::string &flags) { return test::writeModel(flags, "gguf", scratch.path("m.gguf")); }
  test::ScratchFolder scratch;
};

TEST_F(Gguf, ReadsSizesTokenizerAndLicence) {
  Expected<Checkpoint> checkpoint = openGguf(model("--family qwen3 --type q8_0"));
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.status().message();
  EXPECT_EQ(checkpoint->config.family, "qwen3");
  EXPECT_EQ(checkpoint->config.headDim, 32);
  EXPECT_EQ(checkpoint->config.vocabulary, 320);
  EXPECT_EQ(checkpoint->licence, "apache-2.0");
  EXPECT_EQ(checkpoint->tokenizer.legalTokenCount(), 300u);
  EXPECT_FALSE(checkpoint->config.tied.has_value());
}

TEST_F(Gguf, TellsMistralFromLlamaByItsWindow) {
  Expected<Checkpoint> checkpoint = openGguf(model("--family mistral --window 4"));
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.status().message();
  EXPECT_EQ(checkpoint->config.family, "mistral");
  EXPECT_EQ(checkpoint->config.windows, (std::vector<int64_t>{4, 4}));
  checkpoint = openGguf(model("--family llama"));
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.status().message();
  EXPECT_EQ(checkpoint->config.family, "llama");
}

TEST_F(Gguf, RefusesSizesByKey) {
  struct Row {
    const char *key;
    uint32_t value;
    const char *said;
  };
  const Row rows[] = {
      {"llama.block_count", 1000000, "key 'llama.block_count' is 1000000; accepted is 1 to 1024"},
      {"llama.block_count", 3, "no tensor 'blk.2.attn_norm.weight'"},
      {"llama.block_count", 1, "'blk.1.attn_k.weight'"},
      {"llama.attention.head_count", 0, "key 'llama.attention.head_count' is 0"},
      {"llama.attention.head_count", 33, "key 'llama.attention.key_length' is absent"},
      {"llama.attention.head_count_kv", 3, "'llama.attention.head_count' is 4; accepted is a multiple of"},
      {"llama.rope.dimension_count", 4, "a partial rotary factor is not supported"},
      {"llama.vocab_size", 321, "key 'llama.vocab_size' is 321"},
      {"llama.feed_forward_length", 64, "'blk.0.ffn_gate.weight' has shape [128, 64]"},
      {"general.quantization_version", 1, "key 'general.quantization_version' is 1"},
      {"tokenizer.ggml.eos_token_id", 5000, "5000"},
  };
  for (const Row &row : rows) {
    std::string path = model("--family llama");
    setGgufU32(path, row.key, row.value);
    EXPECT_THAT(importMessage(path), HasSubstr(row.said));
  }
}

TEST_F(Gguf, RefusesHeadsThatDoNotShareEvenly) {
  std::string path = model("--family llama --heads 33 --kv-heads 1 --head-dim 2 --hidden 66");
  ASSERT_EQ(importMessage(path), "ok");
  setGgufU32(path, "llama.attention.head_count_kv", 2);
  EXPECT_THAT(importMessage(path), HasSubstr("'llama.attention.head_count' is 33"));
}

// B03 for GGUF: a part of a model, whatever its weights are stored as, is no model.
TEST_F(Gguf, RefusesOnePartOfASplitModel) {
  std::string path = scratch.path("model-00001-of-00002.gguf");
  test::writeFile(path, test::GgufBytes(0, 2).pairU32("split.count", 2).pairU32("split.no", 0).data(0).bytes);
  EXPECT_THAT(importMessage(path), HasSubstr("key 'split.count' is 2; accepted is 1: merge the parts into one file"));
}

TEST_F(Gguf, RefusesUnknownKeysTensorsAndArchitectures) {
  std::string path = model("--family llama");
  test::renameInGguf(path, "llama.context_length", "llama.contest_length");
  EXPECT_THAT(importMessage(path), HasSubstr("key 'llama.context_length' is absent"));
  path = model("--family llama");
  test::renameInGguf(path, "general.license", "general.licence");
  EXPECT_THAT(importMessage(path), HasSubstr("unknown key 'general.licence'"));
  path = model("--family llama");
  test::renameInGguf(path, "blk.1.attn_q.weight", "blk.1.attn_w.weight");
  EXPECT_THAT(importMessage(path), HasSubstr("no tensor 'blk.1.attn_q.weight' [64, 64]"));
  path = model("--family llama");
  test::renameInGguf(path, "output.weight", "outpot.weight"); // a missing head is a tied one; the stray name is refused
  EXPECT_THAT(importMessage(path), HasSubstr("'outpot.weight'"));
  path = model("--family qwen2");
  test::renameInGguf(path, "qwen2", "owen2");
  EXPECT_THAT(importMessage(path), HasSubstr("key 'general.architecture' is 'owen2'; accepted is llama, qwen2, qwen3"));
  path = model("--family llama");
  test::renameInGguf(path, "llama-bpe", "llama-xyz");
  EXPECT_THAT(importMessage(path), HasSubstr("llama-xyz"));
}

TEST_F(Gguf, RefusesAWindowThatItsArchitectureDoesNotPlace) {
  std::string path = model("--family qwen2 --window 4");
  EXPECT_THAT(importMessage(path), HasSubstr("key 'qwen2.attention.sliding_window' is 4"));
}

TEST_F(Gguf, RefusesQuantizedVectors) {
  std::string path = model("--family llama --type q8_0");
  std::string bytes = test::readFile(path);
  // The type number of blk.0.attn_norm.weight [64]: after the name come the rank and one dimension.
  size_t place = bytes.find("blk.0.attn_norm.weight") + 22 + 4 + 8;
  bytes[place] = 8;
  test::writeFile(path, bytes);
  EXPECT_THAT(importMessage(path), HasSubstr("'blk.0.attn_norm.weight' is a vector stored as q8_0"));
}

} // namespace
} // namespace adze::import
