// The Hugging Face door: spellings that must load, and everything it must refuse by name.
#include "ImportTestFiles.h"

#include "adze/Dialect/Llm/IR/Llm.h"
#include "adze/Import/Doors.h"
#include "adze/Import/Import.h"

#include <filesystem>
#include <gmock/gmock.h>

namespace adze::import {
namespace {

using test::editJson;
using test::importMessage;
using test::writeModel;
using testing::HasSubstr;

class HuggingFace : public testing::Test {
protected:
  std::string model(const std::string &flags, const std::string &name = "m") {
    return writeModel(flags, "hf", scratch.path(name));
  }
  // The message after an edit of config.json of a tiny llama.
  std::string afterConfig(const std::function<void(Json &)> &edit, const std::string &flags = "--family llama") {
    std::string folder = model(flags, "edited");
    editJson(folder + "/config.json", edit);
    std::string message = importMessage(folder);
    std::filesystem::remove_all(folder);
    return message;
  }
  size_t weightCount(const std::string &folder) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    Expected<ImportedModel> model = importModel(folder, context);
    EXPECT_TRUE(model.ok()) << model.status().message();
    auto weights = model->module->getOps<llm::WeightOp>();
    return size_t(std::distance(weights.begin(), weights.end()));
  }
  test::ScratchFolder scratch;
};

TEST_F(HuggingFace, LoadsTheSpellingsOfBothTransformersReleases) {
  for (const char *family : {"llama", "mistral", "qwen2", "qwen3"})
    for (const char *spelling : {"4", "5"}) {
      std::string name = std::string(family) + spelling;
      EXPECT_EQ(importMessage(model("--family " + std::string(family) + " --spelling " + spelling, name)), "ok")
          << name;
    }
}

TEST_F(HuggingFace, ReadsRotaryScalingTheSameHoweverItIsSpelled) {
  std::string four = model("--family llama --rope llama3", "four"),
              five = model("--family llama --rope llama3 --spelling 5", "five");
  std::string old = model("--family llama --rope llama3", "old");
  editJson(old + "/config.json", [](Json &config) {
    config["rope_scaling"]["type"] = config["rope_scaling"]["rope_type"];
    config["rope_scaling"].erase("rope_type");
  });
  for (const std::string &folder : {four, five, old}) {
    Expected<Checkpoint> checkpoint = openHuggingFace(folder);
    ASSERT_TRUE(checkpoint.ok()) << checkpoint.status().message();
    const RopeSettings &rope = checkpoint->config.rope;
    EXPECT_EQ(rope.kind, RopeSettings::Kind::Llama3);
    EXPECT_EQ(rope.base, 10000);
    EXPECT_EQ(rope.factor, 8);
    EXPECT_EQ(rope.highFrequency, 4);
    EXPECT_EQ(rope.originalContext, 64);
  }
}

TEST_F(HuggingFace, ReadsWindowsByLayer) {
  auto windows = [&](const std::string &folder) {
    Expected<Checkpoint> checkpoint = openHuggingFace(folder);
    EXPECT_TRUE(checkpoint.ok()) << checkpoint.status().message();
    return checkpoint->config.windows;
  };
  EXPECT_EQ(windows(model("--family mistral --window 5", "a")), (std::vector<int64_t>{5, 5}));
  EXPECT_EQ(windows(model("--family mistral --window 0", "b")), (std::vector<int64_t>{0, 0})); // null: none
  std::string absent = model("--family mistral", "c");
  editJson(absent + "/config.json", [](Json &config) { config.erase("sliding_window"); });
  EXPECT_EQ(windows(absent), (std::vector<int64_t>{4096, 4096})); // what transformers takes
  EXPECT_EQ(windows(model("--family qwen2 --window 6", "d")), (std::vector<int64_t>{0, 6}));
  EXPECT_EQ(windows(model("--family qwen2 --window 6 --spelling 5", "e")), (std::vector<int64_t>{0, 6}));
  std::string unused = model("--family qwen2 --window 6", "f");
  editJson(unused + "/config.json", [](Json &config) { config["use_sliding_window"] = false; });
  EXPECT_EQ(windows(unused), (std::vector<int64_t>{0, 0}));
}

TEST_F(HuggingFace, TakesTheStatedHeadWidth) {
  Expected<Checkpoint> checkpoint =
      openHuggingFace(model("--family llama --hidden 64 --heads 4 --kv-heads 2 --head-dim 32"));
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.status().message();
  EXPECT_EQ(checkpoint->config.headDim, 32);
  EXPECT_EQ(checkpoint->tensors.at("model.layers.0.self_attn.q_proj.weight").shape, (std::vector<int64_t>{128, 64}));
  EXPECT_EQ(checkpoint->tensors.at("model.layers.0.self_attn.o_proj.weight").shape, (std::vector<int64_t>{64, 128}));
}

TEST_F(HuggingFace, CollectsEveryEndTokenAndTheMakersSampling) {
  Expected<Checkpoint> checkpoint = openHuggingFace(model("--family qwen2"));
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.status().message();
  EXPECT_EQ(checkpoint->generation.endTokens, (std::vector<int32_t>{297, 299}));
  EXPECT_TRUE(checkpoint->generation.sample);
  EXPECT_EQ(checkpoint->generation.temperature, 0.7);
  EXPECT_EQ(checkpoint->generation.topK, 20);
  EXPECT_EQ(checkpoint->generation.topP, 0.8);
  EXPECT_EQ(checkpoint->generation.repetitionPenalty, 1.05);
}

TEST_F(HuggingFace, RefusesConfigurationsByKey) {
  struct Row {
    std::function<void(Json &)> edit;
    std::vector<const char *> said;
  };
  const Row rows[] = {
      {[](Json &c) { c["logit_scale"] = 0.5; }, {"unknown key 'logit_scale'"}},
      {[](Json &c) { c["partial_rotary_factor"] = 0.25; }, {"'partial_rotary_factor' is 0.25", "not supported"}},
      {[](Json &c) { c["rope_scaling"] = {{"rope_type", "yarn"}, {"factor", 4.0}}; }, {"rope type 'yarn'", "llama3"}},
      {[](Json &c) { c["rope_scaling"] = {{"rope_type", "linear"}}; }, {"'factor' is absent"}},
      {[](Json &c) { c["rope_scaling"] = {{"rope_type", "linear"}, {"type", "llama3"}, {"factor", 2.0}}; },
       {"disagree"}},
      {[](Json &c) { c["rope_scaling"] = {{"rope_type", "linear"}, {"factor", 2.0}, {"beta", 1}}; },
       {"unknown key 'beta'"}},
      {[](Json &c) { c["rope_scaling"] = 3; }, {"'rope_scaling' is not an object"}},
      {[](Json &c) { c["rope_parameters"] = {{"rope_theta", 500.0}}; }, {"disagrees"}},
      {[](Json &c) { c["rope_interleaved"] = true; }, {"'rope_interleaved' is true"}},
      {[](Json &c) { c["use_mrope"] = true; }, {"'use_mrope' is true"}},
      {[](Json &c) { c["hidden_act"] = "gelu"; }, {"'hidden_act' is \"gelu\""}},
      {[](Json &c) { c["model_type"] = "mamba"; }, {"'model_type' is 'mamba'", "llama, mistral, qwen2, qwen3"}},
      {[](Json &c) { c.erase("model_type"); }, {"'model_type' is absent"}},
      {[](Json &c) { c["architectures"] = {"LlamaForSequenceClassification"}; },
       {"'architectures'", "LlamaForCausalLM"}},
      {[](Json &c) { c["quantization_config"] = {{"quant_method", "gptq"}}; }, {"'quantization_config'", "gptq"}},
      {[](Json &c) { c.erase("rms_norm_eps"); }, {"'rms_norm_eps' is absent"}},
      {[](Json &c) { c.erase("hidden_size"); }, {"'hidden_size' is absent"}},
      {[](Json &c) { c["hidden_size"] = "big"; }, {"'hidden_size' is \"big\"", "an integer"}},
      {[](Json &c) { c["num_hidden_layers"] = 1000000; }, {"'num_hidden_layers' is 1000000", "1 to 1024"}},
      {[](Json &c) { c["num_attention_heads"] = 0; }, {"'num_attention_heads' is 0"}},
      {[](Json &c) { c["num_key_value_heads"] = 3; }, {"a multiple of 'num_key_value_heads', which is 3"}},
      {[](Json &c) { c["head_dim"] = 15; }, {"'head_dim' is 15", "even"}},
      {[](Json &c) { c["num_attention_heads"] = 6; }, {"'head_dim' is absent"}},
      {[](Json &c) { c["torch_dtype"] = "int8"; }, {"'torch_dtype' is \"int8\""}},
      {[](Json &c) { c["eos_token_id"] = 5000; }, {"end token 5000 is outside the vocabulary of 320"}},
      {[](Json &c) { c["eos_token_id"] = "end"; }, {"'eos_token_id'", "a token id"}},
      {[](Json &c) { c["vocab_size"] = 299; }, {"the tokenizer has 300 tokens"}},
      {[](Json &c) { c["layer_types"] = {"sliding_attention", "full_attention"}; },
       {"'layer_types'", "full_attention"}},
      {[](Json &c) { c["layer_types"] = {"full_attention"}; }, {"'layer_types'", "2 layers"}},
      {[](Json &c) { c["num_hidden_layers"] = 3; }, {"no tensor 'model.layers.2.input_layernorm.weight'"}},
      {[](Json &c) { c["num_hidden_layers"] = 1; }, {"does not use", "'model.layers.1.input_layernorm.weight'"}},
      {[](Json &c) { c["intermediate_size"] = 64; },
       {"'model.layers.0.mlp.gate_proj.weight' has shape [128, 64]", "[64, 64]"}},
      {[](Json &c) { c["attention_bias"] = true; }, {"no tensor 'model.layers.0.self_attn.q_proj.bias' [64]"}},
  };
  for (const Row &row : rows) {
    std::string message = afterConfig(row.edit);
    for (const char *part : row.said)
      EXPECT_THAT(message, HasSubstr(part));
    EXPECT_THAT(message, HasSubstr("edited"));
  }
}

TEST_F(HuggingFace, RefusesATensorThatNobodyUses) {
  // Biases of q, k and v belong to no llama without attention_bias.
  std::string message = afterConfig(
      [](Json &c) {
        c["model_type"] = "llama";
        c["architectures"] = {"LlamaForCausalLM"};
        for (const char *key : {"use_sliding_window", "sliding_window", "max_window_layers"})
          c.erase(key);
      },
      "--family qwen2");
  EXPECT_THAT(message, HasSubstr("'model.layers.0.self_attn.k_proj.bias'"));
  EXPECT_THAT(message, HasSubstr("6 tensors"));
}

TEST_F(HuggingFace, SettlesTheHeadByOneRule) {
  EXPECT_EQ(importMessage(model("--family llama --tied", "a")), "ok");
  EXPECT_EQ(importMessage(model("--family llama --untied", "b")), "ok");
  EXPECT_EQ(importMessage(model("--family llama --tied --keep-head", "c")), "ok"); // the same bytes: shared
  // What is shared is stored once: the same weights with and without a stored head, and one more where it is untied.
  size_t shared = weightCount(scratch.path("a"));
  EXPECT_EQ(weightCount(scratch.path("c")), shared);
  EXPECT_EQ(weightCount(scratch.path("b")), shared + 1);
  auto tie = [](bool tied) { return [tied](Json &c) { c["tie_word_embeddings"] = tied; }; };
  EXPECT_THAT(afterConfig(tie(true), "--family llama --untied"),
              HasSubstr("'lm_head.weight' is stored and differs from 'model.embed_tokens.weight'"));
  EXPECT_THAT(afterConfig(tie(false), "--family llama --tied"), HasSubstr("no tensor 'lm_head.weight' [320, 64]"));
  EXPECT_THAT(afterConfig([](Json &c) { c.erase("tie_word_embeddings"); }, "--family llama --tied"),
              HasSubstr("no tensor 'lm_head.weight'")); // the family's default is untied
}

TEST_F(HuggingFace, RefusesMissingAndStrayShards) {
  std::string folder = model("--family llama --shards 2 --type bf16");
  ASSERT_EQ(importMessage(folder), "ok");
  std::string second = folder + "/model-00002-of-00002.safetensors", index = folder + "/model.safetensors.index.json";
  std::string bytes = test::readFile(second), indexText = test::readFile(index);
  std::filesystem::remove(second);
  EXPECT_THAT(importMessage(folder), HasSubstr("model-00002-of-00002.safetensors"));
  test::writeFile(second, bytes.substr(0, bytes.size() - 100));
  EXPECT_THAT(importMessage(folder), HasSubstr("past the end of the file"));
  test::writeFile(second, bytes);

  editJson(index, [](Json &json) { json["weight_map"]["model.norm.weight"] = "model-00001-of-00002.safetensors"; });
  EXPECT_THAT(importMessage(folder), HasSubstr("'model.norm.weight' is not in model-00001-of-00002.safetensors"));
  test::writeFile(index, indexText);
  editJson(index, [](Json &json) { json["weight_map"].erase("model.norm.weight"); });
  EXPECT_THAT(importMessage(folder),
              HasSubstr("'model.norm.weight' of model-00002-of-00002.safetensors is not in the index"));
  test::writeFile(index, indexText);
  editJson(index, [](Json &json) { json["weight_map"]["model.norm.weight"] = "../outside.safetensors"; });
  EXPECT_THAT(importMessage(folder), HasSubstr("../outside.safetensors"));
  test::writeFile(index, "{}");
  EXPECT_THAT(importMessage(folder), HasSubstr("no 'weight_map'"));
  test::writeFile(index, indexText);
  test::writeFile(folder + "/model.safetensors", bytes);
  EXPECT_THAT(importMessage(folder), HasSubstr("both model.safetensors and model.safetensors.index.json"));
}

TEST_F(HuggingFace, RefusesFoldersThatLackAFile) {
  std::string folder = model("--family llama");
  for (const char *name : {"config.json", "tokenizer.json", "model.safetensors"}) {
    std::string bytes = test::readFile(folder + "/" + name);
    std::filesystem::remove(folder + "/" + name);
    EXPECT_THAT(importMessage(folder), HasSubstr(name));
    test::writeFile(folder + "/" + name, bytes);
  }
  std::filesystem::remove(folder + "/model.safetensors");
  test::writeFile(folder + "/pytorch_model.bin", "x");
  EXPECT_THAT(importMessage(folder), HasSubstr("Convert them to safetensors"));
  EXPECT_THAT(importMessage(scratch.path("nowhere")), HasSubstr("no such file or folder"));
  test::writeFile(scratch.path("m.safetensors"), "x");
  EXPECT_THAT(importMessage(scratch.path("m.safetensors")), HasSubstr("Give the folder that holds it"));
  std::filesystem::create_directory(scratch.path("adapter"));
  test::writeFile(scratch.path("adapter") + "/adapter_config.json", "{}");
  EXPECT_THAT(importMessage(scratch.path("adapter")), HasSubstr("an adapter"));
}

TEST_F(HuggingFace, RefusesIntegerTensors) {
  std::string folder = model("--family llama");
  std::string bytes = test::readFile(folder + "/model.safetensors");
  size_t place = bytes.find("\"F32\"");
  bytes.replace(place, 5, "\"I32\"");
  test::writeFile(folder + "/model.safetensors", bytes);
  EXPECT_THAT(importMessage(folder), HasSubstr("'model.embed_tokens.weight' has dtype I32"));
}

TEST_F(HuggingFace, RefusesWaysOfChoosingTokensThatAreNotBuilt) {
  std::string folder = model("--family llama"), file = folder + "/generation_config.json";
  std::string text = test::readFile(file);
  auto after = [&](const std::function<void(Json &)> &edit) {
    test::writeFile(file, text);
    editJson(file, edit);
    return importMessage(folder);
  };
  EXPECT_EQ(after([](Json &g) { g["num_beams"] = 1; }), "ok");
  EXPECT_EQ(after([](Json &g) { g["temperature"] = 0; }), "ok");
  EXPECT_THAT(after([](Json &g) { g["num_beams"] = 4; }), HasSubstr("'num_beams' is 4"));
  EXPECT_THAT(after([](Json &g) { g["bad_words_ids"] = {{1}}; }), HasSubstr("unknown key 'bad_words_ids'"));
  EXPECT_THAT(after([](Json &g) { g["top_p"] = 1.5; }), HasSubstr("'top_p' is out of range"));
  EXPECT_THAT(after([](Json &g) { g["temperature"] = -1.0; }), HasSubstr("'temperature' is out of range"));
}

TEST_F(HuggingFace, LoadsAHubSnapshotAndRefusesOtherLinks) {
  namespace fs = std::filesystem;
  std::string folder = model("--family llama");
  fs::path cache = scratch.path("cache"), snapshot = cache / "snapshots" / "0123abcd";
  fs::create_directories(snapshot);
  fs::create_directories(cache / "blobs");
  int number = 0;
  for (const fs::directory_entry &file : fs::directory_iterator(folder)) {
    std::string blob = "abcdef" + std::to_string(number++);
    fs::copy_file(file.path(), cache / "blobs" / blob);
    fs::create_symlink("../../blobs/" + blob, snapshot / file.path().filename());
  }
  EXPECT_EQ(importMessage(snapshot.string()), "ok");
  fs::remove(snapshot / "model.safetensors");
  fs::create_symlink(folder + "/model.safetensors", snapshot / "model.safetensors");
  EXPECT_NE(importMessage(snapshot.string()), "ok");
}

} // namespace
} // namespace adze::import
