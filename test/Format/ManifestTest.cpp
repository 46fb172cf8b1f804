#include "adze/Format/Manifest.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace adze;
using nlohmann::ordered_json;

namespace {

Manifest sample() {
  Manifest m;
  m.programVersion = 1;
  m.adzeVersion = "0.1.0";
  m.target = {"x86_64-unknown-linux-gnu", "x86-64-v3", {"avx2", "fma"}, 0, "f32-fma"};
  m.numerics = "f32";
  m.model = {"llama", "tiny", 2, 64, 4, 2, 16, 104, 100, 128};
  m.kv = {16, 16 * 512, 512, "f32"};
  m.memory.slots = {{{{0, 0}, {256, 0}, {0, 0}, {0, 0}}}, {{{0, 0}, {0, 0}, {0, 4}, {416, 0}}}};
  m.memory.logitsSlot = 1;
  m.kernels = {{"linear_0", "linear", {4, 16, 32, "invariant"}, 7, {4096, 512, 0, 0, 0, 0}, {0, 8192, 0, 0, 0, 2}}};
  m.weights = {{"f32 [8, 8]", 3, 4096}};
  m.fusion = {{"residual", true, 4, ""}, {"norm", false, 1, "two uses"}};
  m.sources = {{"model.safetensors", 4096, "00112233445566778899aabbccddeeff"}};
  m.licence = "apache-2.0";
  m.generation.endTokens = {2, 99};
  m.options = {{"cpu", "x86-64-v3"}, {"numerics", "f32"}};
  m.sections = {{"program.so", 100, "00"}, {"weights.bin", 4096, "11"}};
  return m;
}

/// The sample's text after `change` has had its JSON.
template <class Change> std::string changed(Change change) {
  ordered_json json = ordered_json::parse(writeManifest(sample()));
  change(json);
  return json.dump();
}

void expectError(const std::string &text, const std::string &part) {
  auto manifest = readManifest(text, "manifest.json");
  ASSERT_FALSE(bool(manifest));
  EXPECT_NE(manifest.status().message().find(part), std::string::npos) << manifest.status().message();
  EXPECT_NE(manifest.status().message().find("manifest.json"), std::string::npos);
}

} // namespace

TEST(Manifest, ReadsWhatItWrote) {
  std::string text = writeManifest(sample());
  auto manifest = readManifest(text, "manifest.json");
  ASSERT_TRUE(bool(manifest)) << manifest.status().message();
  EXPECT_EQ(writeManifest(*manifest), text);
  EXPECT_EQ(manifest->memory.slots, sample().memory.slots);
  EXPECT_EQ(manifest->kernels[0].operations, sample().kernels[0].operations);
  ASSERT_NE(manifest->section("weights.bin"), nullptr);
  EXPECT_EQ(manifest->section("weights.bin")->size, 4096);
  EXPECT_EQ(manifest->section("other.bin"), nullptr);
}

TEST(Manifest, SaysHowAGpuLaunchesItsKernelsOnlyWhereThereIsOne) {
  Manifest m = sample();
  EXPECT_EQ(writeManifest(m).find("\"gpu\""), std::string::npos);
  EXPECT_FALSE(readManifest(writeManifest(m), "manifest.json")->gpu.has_value());
  m.gpu = ManifestGpu{"sm_90a", 12030, {{"linear_0_kernel", 256, 98304, 88}}, {}};
  EXPECT_FALSE(readManifest(writeManifest(m), "manifest.json")->gpu->cubin.has_value());
  m.gpu->cubin = ManifestCubin{"sm_90a", 13000, "ptxas 13.0.88"};
  auto read = readManifest(writeManifest(m), "manifest.json");
  ASSERT_TRUE(bool(read)) << read.status().message();
  ASSERT_TRUE(read->gpu.has_value());
  EXPECT_EQ(read->gpu->architecture, "sm_90a");
  EXPECT_EQ(read->gpu->driver, 12030);
  EXPECT_EQ(read->gpu->kernels[0].function, "linear_0_kernel");
  EXPECT_EQ(read->gpu->kernels[0].sharedBytes, 98304);
  ASSERT_TRUE(read->gpu->cubin.has_value());
  EXPECT_EQ(read->gpu->cubin->architecture, "sm_90a");
  EXPECT_EQ(read->gpu->cubin->driver, 13000);
  EXPECT_EQ(read->gpu->cubin->assembler, "ptxas 13.0.88");
  EXPECT_EQ(writeManifest(*read), writeManifest(m));

  auto broken = [&](auto change) {
    ordered_json json = ordered_json::parse(writeManifest(m));
    change(json["gpu"]);
    return json.dump();
  };
  expectError(broken([](auto &g) { g["kernels"][0]["threads"] = 0; }), "'gpu.kernels[0].threads' is 0; 1 to 1024");
  expectError(broken([](auto &g) { g["kernels"][0]["argument_bytes"] = 5000; }), "argument_bytes' is 5000; 0 to 4096");
  expectError(broken([](auto &g) { g["kernels"][0]["shared_bytes"] = -1; }), "shared_bytes' is -1; 0 to");
  expectError(broken([](auto &g) { g["kernels"].clear(); }), "'gpu.kernels' has 0 entries; one for each of the 1");
  expectError(broken([](auto &g) { g["architecture"] = ""; }), "'gpu.architecture' is empty");
  expectError(broken([](auto &g) { g["driver"] = -1; }), "'gpu.driver' is -1");
  expectError(broken([](auto &g) { g.erase("driver"); }), "key 'gpu.driver' is missing");
  expectError(broken([](auto &g) { g["kernels"][0]["warps"] = 4; }), "key 'gpu.kernels[0].warps' is not known");
  expectError(broken([](auto &g) { g["cubin"]["architecture"] = ""; }), "'gpu.cubin.architecture' is empty");
  expectError(broken([](auto &g) { g["cubin"]["driver"] = -1; }), "'gpu.cubin.driver' is -1");
  expectError(broken([](auto &g) { g = 5; }), "key 'gpu' is the number 5; an object is accepted");
}

TEST(Manifest, SaysWhatStandsInForWeightsOnlyWhereTheyAreNotTheModels) {
  Manifest m = sample();
  EXPECT_EQ(writeManifest(m).find("stand_in"), std::string::npos);
  EXPECT_FALSE(m.lacksWeights());
  m.standIn = ManifestStandIn{std::nullopt,
                              {{"a", 0, 512, "bf16", "normal", 0, 0.125, ""},
                               {"b", 512, 2, "i4", "uniform", 7.5, 7.5, ""},
                               {"c", 768, 4, "f32", "given", 0, 0, "0000803f"}}};
  m.sections[1].hash = "";
  EXPECT_TRUE(m.lacksWeights());
  auto read = readManifest(writeManifest(m), "manifest.json");
  ASSERT_TRUE(bool(read)) << read.status().message();
  ASSERT_TRUE(read->standIn.has_value());
  EXPECT_FALSE(read->standIn->seed.has_value());
  EXPECT_EQ(read->standIn->weights[0].spread, 0.125);
  EXPECT_EQ(read->standIn->weights[2].values, "0000803f");
  EXPECT_EQ(writeManifest(*read), writeManifest(m));
  m.standIn->seed = ~uint64_t(0);
  m.sections[1].hash = "11";
  read = readManifest(writeManifest(m), "manifest.json");
  ASSERT_TRUE(bool(read)) << read.status().message();
  EXPECT_EQ(read->standIn->seed, ~uint64_t(0));
  EXPECT_FALSE(read->lacksWeights());

  auto broken = [&](auto change) {
    ordered_json json = ordered_json::parse(writeManifest(m));
    change(json);
    return json.dump();
  };
  auto weight = [&](int number, auto change) {
    return broken([&](ordered_json &json) { change(json["stand_in"]["weights"][number]); });
  };
  expectError(broken([](auto &j) { j["stand_in"].erase("seed"); }), "no seed and the section of weights.bin a hash");
  expectError(broken([](auto &j) { j["sections"][1]["hash"] = ""; }), "a seed and the section of weights.bin no hash");
  expectError(broken([](auto &j) { j["sections"].erase(1); }), "'sections' has no weights.bin");
  expectError(weight(1, [](auto &w) { w["offset"] = 256; }), "(b) takes the bytes from 256 to 258");
  expectError(weight(1, [](auto &w) { w["offset"] = 513; }), "a multiple of 256");
  expectError(weight(2, [](auto &w) { w["bytes"] = 4096; }), "to 4096 at most");
  expectError(weight(2, [](auto &w) { w["bytes"] = -4; }), "(c) takes the bytes from 768");
  expectError(weight(0, [](auto &w) { w["element"] = "f64"; }), "has the element 'f64'; f32, bf16, f16, i8 or i4");
  expectError(weight(0, [](auto &w) { w["bytes"] = 511; }), "no whole number of bf16");
  expectError(weight(0, [](auto &w) { w["kind"] = "zero"; }), "is of kind 'zero'; uniform, given");
  expectError(weight(1, [](auto &w) { w["kind"] = "normal"; }), "is of kind 'normal'; uniform, given");
  expectError(weight(1, [](auto &w) { w["spread"] = 8; }), "to 15.500000, which i4 cannot hold");
  expectError(weight(0, [](auto &w) { w["spread"] = -1; }), "which bf16 cannot hold");
  expectError(weight(2, [](auto &w) { w["values"] = "0000803"; }), "has 7 characters of 'values'");
  expectError(weight(2, [](auto &w) { w["values"] = "0000803G"; }), "two hexadecimal digits for each byte");
  expectError(weight(0, [](auto &w) { w["values"] = "00"; }), "(a) has 2 characters of 'values'");
}

TEST(Manifest, NamesTheSlotOfTokensOnlyWhereTheProgramChooses) {
  Manifest m = sample();
  EXPECT_EQ(writeManifest(m).find("\"choice_slot\""), std::string::npos);
  EXPECT_FALSE(readManifest(writeManifest(m), "manifest.json")->memory.choiceSlot.has_value());
  m.memory.choiceSlot = 0;
  auto read = readManifest(writeManifest(m), "manifest.json");
  ASSERT_TRUE(bool(read)) << read.status().message();
  EXPECT_EQ(read->memory.choiceSlot, 0);
}

TEST(Manifest, NamesAMissingKeyWithItsPath) {
  expectError(changed([](auto &j) { j["kernels"][0].erase("family"); }), "key 'kernels[0].family' is missing");
  expectError(changed([](auto &j) { j.erase("licence"); }), "key 'licence' is missing");
}

TEST(Manifest, NamesAnUnknownKeyWithItsPath) {
  expectError(changed([](auto &j) { j["model"]["experts"] = 8; }), "key 'model.experts' is not known");
}

TEST(Manifest, SaysWhatItFoundAndWhatItAccepts) {
  expectError(changed([](auto &j) { j["model"]["layers"] = "two"; }),
              "key 'model.layers' is the string \"two\"; a whole number of 64 bits is accepted");
  expectError(changed([](auto &j) { j["model"]["layers"] = 2.5; }), "is the number 2.5");
  expectError(changed([](auto &j) { j["generation"]["end_tokens"][0] = 1ull << 40; }),
              "a whole number of 32 bits is accepted");
  expectError(changed([](auto &j) { j["target"]["features"] = 3; }), "a list is accepted");
  expectError(changed([](auto &j) { j["kernels"][0]["bytes"] = nullptr; }), "a value of type null; an object");
}

TEST(Manifest, RefusesAnotherFormatVersionBeforeAnythingElse) {
  expectError(changed([](auto &j) {
                j["format_version"] = 4;
                j["future"] = true;
              }),
              "key 'format_version' is 4; this release of Adze reads 3");
  expectError("{}", "key 'format_version' is missing");
  expectError("[1]", "this is no manifest of Adze");
  expectError("{\"format_version\": 1", "manifest.json");
}

TEST(Manifest, ChecksNumbersAgainstEachOther) {
  expectError(changed([](auto &j) { j["model"]["legal_tokens"] = 105; }), "at most 'model.vocabulary' = 104");
  expectError(changed([](auto &j) { j["kv"]["page_bytes"] = 100; }), "kv.page_tokens * kv.bytes_per_token");
  expectError(changed([](auto &j) { j["memory"]["logits_slot"] = 2; }), "a slot below 2 is accepted");
  expectError(changed([](auto &j) { j["memory"]["choice_slot"] = 2; }), "'memory.choice_slot' is 2; a slot below 2");
  expectError(changed([](auto &j) { j["memory"]["choice_slot"] = -1; }), "'memory.choice_slot' is -1; 0 or more");
  expectError(changed([](auto &j) { j["memory"]["choice_slot"] = 1; }), "the slot of the logits; another slot");
  expectError(changed([](auto &j) { j["memory"]["slots"][0][0]["tokens"]["fixed"] = -1; }), "negative coefficient");
  expectError(changed([](auto &j) { j["generation"]["end_tokens"][1] = 100; }), "below 'model.legal_tokens' = 100");
  expectError(changed([](auto &j) { j["sections"][0]["size"] = -5; }), "negative size");
}

TEST(Manifest, FindsEveryFlippedBitThatChangesWhatItSays) {
  const std::string text = writeManifest(sample());
  int64_t read = 0;
  for (size_t i = 0; i < text.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = text;
      flipped[i] = char(flipped[i] ^ (1 << bit));
      auto manifest = readManifest(flipped, "manifest.json");
      read += bool(manifest);
      // What may be read has the same content: a number in another spelling.
      EXPECT_TRUE(!manifest || writeManifest(*manifest) == text) << "byte " << i << ", bit " << bit;
    }
  EXPECT_LT(read, 10);
  expectError(changed([](auto &j) { j["model"]["context"] = 17; }), "manifest.json is damaged: the XXH3-128");
  expectError(changed([](auto &j) { j["model"]["name"] = "another"; }), "copy the artifact again or compile");
}

TEST(Manifest, ReadsAnotherIndentation) {
  auto manifest = readManifest(changed([](auto &) {}), "manifest.json");
  EXPECT_TRUE(bool(manifest)) << manifest.status().message();
}

TEST(SizeForm, RoundsUpToMultiplesOf256) {
  SizeLimits limits{5, 2, 3, 100, 16};
  EXPECT_EQ(*(SizeForm{{1, 0}, {0, 0}, {0, 0}, {0, 0}}.evaluate(limits)), 256);
  EXPECT_EQ(*(SizeForm{{0, 0}, {256, 0}, {0, 0}, {0, 0}}.evaluate(limits)), 5 * 256);
  EXPECT_EQ(*(SizeForm{{0, 0}, {256, 0}, {0, 0}, {1, 0}}.evaluate(limits)), 6 * 256);
  EXPECT_EQ(*(SizeForm{}.evaluate(limits)), 0);
}

TEST(SizeForm, CountsWholePagesOfTheContext) {
  // 100 tokens are 7 pages of 16; each of 2 requests takes 64 bytes a page.
  EXPECT_EQ(*(SizeForm{{0, 0}, {0, 0}, {0, 64}, {0, 0}}.evaluate({1, 2, 1, 100, 16})), 1024);
}

TEST(SizeForm, RefusesSizesThatDoNotFit) {
  SizeForm form{{0, 0}, {int64_t(1) << 40, 0}, {0, 0}, {0, 0}};
  auto size = form.evaluate({int64_t(1) << 40, 1, 1, 1, 1});
  ASSERT_FALSE(bool(size));
  EXPECT_EQ(size.status().code(), ErrorCode::ResourceExhausted);
  EXPECT_NE(size.status().message().find("--step-tokens"), std::string::npos);
}

TEST(CostForm, IsAffineInTheNumbersOfAStep) {
  CostForm form{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(form.evaluate(10, 100, 1000, 10000, 100000), 1 + 20 + 300 + 4000 + 50000 + 600000);
}
