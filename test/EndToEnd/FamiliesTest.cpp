// Every family, every stored type, both containers: compiled code against transformers' logits in f32
// (test/Import/goldens), at every CPU level that the machine has.
#include "Answers.h"
#include "CompiledModel.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>

using namespace adze;
using namespace adze::test;

namespace {

const nlohmann::json &goldenCases() {
  static const nlohmann::json cases =
      nlohmann::json::parse(std::ifstream(ADZE_SOURCE "/test/Import/goldens/tiny-models.json"))["cases"];
  return cases;
}

/// Largest |y - reference| allowed, relative to the largest |reference| of the row: docs/Numerics.md, "Tiny models".
constexpr double kTinyModelBound = 2e-5;

struct FamilyCase {
  int index;
  std::string container;
};

std::vector<FamilyCase> familyCases() {
  std::vector<FamilyCase> cases;
  for (int i = 0; i < int(goldenCases().size()); ++i) {
    const nlohmann::json &golden = goldenCases()[i];
    cases.push_back({i, "hf"});
    // GGUF has no key for the window of Mistral, so there is no GGUF of such a model.
    if (golden["hashes"].contains("gguf"))
      cases.push_back({i, "gguf"});
  }
  return cases;
}

std::string caseName(const testing::TestParamInfo<FamilyCase> &info) {
  std::string name = goldenCases()[info.param.index]["name"].get<std::string>() + "_" + info.param.container;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class Families : public testing::TestWithParam<FamilyCase> {};

TEST_P(Families, CompiledCodeGivesTheLogitsOfTransformers) {
  const nlohmann::json &golden = goldenCases()[GetParam().index];
  std::string model = tinyModel(golden["flags"].get<std::string>(), GetParam().container);
  std::vector<int64_t> positions = golden["positions"];
  std::vector<int64_t> ids = golden["ids"];
  int64_t compared = 0;
  for (const std::string &level : machineLevels()) {
    auto artifact = openArtifact(compiledModel(model, "--numerics=f32 --cpu=" + level));
    ASSERT_TRUE(artifact);
    AnswerRequest request;
    request.prompt = golden["tokens"].get<std::vector<int32_t>>();
    request.maxTokens = 0;
    request.rowsFrom = 0;
    CollectedAnswer answer = runRequests(artifact, {request}, {}).at(0);
    ASSERT_EQ(answer.error, "");
    for (size_t p = 0; p < positions.size(); ++p) {
      const std::vector<float> &row = answer.rows.at(positions[p]);
      double scale = 0;
      for (double value : golden["logits"][p])
        scale = std::max(scale, std::abs(value));
      for (size_t i = 0; i < ids.size(); ++i, ++compared)
        ASSERT_NEAR(row[ids[i]], golden["logits"][p][i].get<double>(), kTinyModelBound * scale)
            << "position " << positions[p] << ", id " << ids[i] << ", level " << level;
      EXPECT_EQ(std::max_element(row.begin(), row.end()) - row.begin(), golden["best"][p].get<int64_t>());
    }
  }
  EXPECT_GE(compared, int64_t(positions.size() * ids.size()));
}

INSTANTIATE_TEST_SUITE_P(All, Families, testing::ValuesIn(familyCases()), caseName);

} // namespace
