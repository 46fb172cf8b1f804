#include "adze/Format/StepValues.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace adze;

namespace {
StepValues sample() {
  return {{{{"embedding", -1, 2, false, 64, "f32"}},
           {},
           {{"layers.0.attention.norm.codes", 0, 3, false, 64, "i8"},
            {"layers.0.attention.norm.scale", 0, 4, true, 2, "f32"}}}};
}

template <class Change> void expectError(Change change, const std::string &part) {
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(writeStepValues(sample()));
  change(json["launches"][2][0]);
  auto values = readStepValues(json.dump(), "values.json");
  ASSERT_FALSE(bool(values));
  EXPECT_NE(values.status().message().find("values.json"), std::string::npos);
  EXPECT_NE(values.status().message().find(part), std::string::npos) << values.status().message();
}
} // namespace

TEST(StepValues, ReadsWhatItWrote) {
  std::string text = writeStepValues(sample());
  auto values = readStepValues(text, "values.json");
  ASSERT_TRUE(bool(values)) << values.status().message();
  EXPECT_EQ(writeStepValues(*values), text);
  ASSERT_EQ(values->launches.size(), 3u);
  EXPECT_TRUE(values->launches[2][1].outputRows);
  EXPECT_EQ(stepElementBytes(values->launches[2][0].element), 1);
}

TEST(StepValues, RefusesWhatNoLaunchWrites) {
  expectError([](auto &value) { value["element"] = "f64"; }, "element 'f64'; f32, bf16, i8 and i32 are accepted");
  expectError([](auto &value) { value["columns"] = 0; }, "'layers.0.attention.norm.codes' with a word, a layer");
  expectError([](auto &value) { value["word"] = -1; }, "out of range");
  expectError([](auto &value) { value.erase("layer"); }, "launches[2][0].layer' is missing");
  expectError([](auto &value) { value["extra"] = 1; }, "extra' is not known");
}
