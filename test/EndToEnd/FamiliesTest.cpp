// Every family, tied and untied, every stored type, both containers: compiled code against transformers' logits in f32
// (test/Import/goldens), at every CPU level that the machine has and in every numerics that the weights allow.
// test/Import/GoldenTest.cpp holds the reference evaluator to the same numbers.
#include "Answers.h"
#include "CompiledModel.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>

using namespace adze;
using namespace adze::test;

namespace {

const nlohmann::json &goldens() {
  static const nlohmann::json json =
      nlohmann::json::parse(std::ifstream(ADZE_SOURCE "/test/Import/goldens/tiny-models.json"));
  return json;
}

/// Bounds of docs/Numerics.md, "tiny models": largest |y - reference| relative to the row's largest |reference|.
struct Numerics {
  const char *name;
  double bound;
};
constexpr Numerics kF32{"f32", 2e-5}, kBf16{"bf16", 0.1}, kA8{"a8", 0.16};

/// One file or folder: its case of the goldens, and container and type as "gguf-q4_0".
struct FamilyCase {
  int index;
  std::string file;
  const nlohmann::json &golden() const { return goldens()["cases"][index]; }
  bool quantized() const { return file.find("-q") != std::string::npos; }
  std::string model() const {
    size_t dash = file.find('-');
    return tinyModel(golden()["flags"].get<std::string>() + " --type " + file.substr(dash + 1), file.substr(0, dash));
  }
};
// What a failure prints, instead of the struct's bytes.
void PrintTo(const FamilyCase &c, std::ostream *out) {
  *out << c.golden()["name"].get<std::string>() << " as " << c.file;
}

std::vector<FamilyCase> familyCases() {
  std::vector<FamilyCase> cases;
  for (int i = 0; i < int(goldens()["cases"].size()); ++i)
    for (auto &[file, hashes] : goldens()["cases"][i]["files"].items())
      cases.push_back({i, file});
  return cases;
}

std::string caseName(const testing::TestParamInfo<FamilyCase> &info) {
  std::string name = info.param.golden()["name"].get<std::string>() + "_" + info.param.file;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class Families : public testing::TestWithParam<FamilyCase> {
protected:
  /// Compiles and runs the model at every level of the machine and compares its logits.
  void expectLogits(const Numerics &numerics) {
    const nlohmann::json &golden = GetParam().golden();
    std::string model = GetParam().model();
    std::vector<int64_t> positions = golden["positions"], ids = golden["ids"];
    double worst = 0;
    for (const std::string &level : machineLevels()) {
      auto artifact =
          openArtifact(compiledModel(model, std::string("--numerics=") + numerics.name + " --cpu=" + level));
      ASSERT_TRUE(artifact);
      AnswerRequest request;
      request.prompt = goldens()["tokens"].get<std::vector<int32_t>>();
      request.prompt.resize(golden["count"].get<size_t>());
      request.maxTokens = 0;
      request.rowsFrom = 0;
      CollectedAnswer answer = runRequests(artifact, {request}, {}).at(0);
      ASSERT_EQ(answer.error, "");
      for (size_t p = 0; p < positions.size(); ++p) {
        const std::vector<float> &row = answer.rows.at(positions[p]);
        double scale = golden["largest"][p];
        for (size_t i = 0; i < ids.size(); ++i) {
          double off = std::abs(row[ids[i]] - golden["logits"][p][i].get<double>()) / scale;
          worst = std::max(worst, off);
          ASSERT_LE(off, numerics.bound) << numerics.name << ", position " << positions[p] << ", id " << ids[i]
                                         << ", level " << level;
        }
        if (numerics.name == kF32.name) {
          EXPECT_EQ(std::max_element(row.begin(), row.end()) - row.begin(), golden["best"][p].get<int64_t>());
        }
      }
    }
    std::printf("%s: worst %.3g of the row's largest logit\n", numerics.name, worst);
  }
};

TEST_P(Families, CompiledCodeGivesTheLogitsOfTransformersWithinTheBoundOfItsNumerics) {
  expectLogits(kF32);
  expectLogits(kBf16);
  if (GetParam().quantized()) // a8 is for group-quantized weights
    expectLogits(kA8);
}

INSTANTIATE_TEST_SUITE_P(All, Families, testing::ValuesIn(familyCases()), caseName);

} // namespace
