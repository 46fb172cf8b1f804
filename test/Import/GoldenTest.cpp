// The importers against transformers: every tiny model of goldens/tiny-models.json, from either container, run by the
// reference evaluator, gives the committed logits. This proves names, shapes, row orders, biases, norms, windows,
// rotary tables, schemes and decoders end to end before any kernel exists (faults B05 to B08, B11).
#include "ImportTestFiles.h"

#include "adze/Dialect/Llm/Reference/Evaluator.h"
#include "adze/Import/Import.h"
#include "adze/Pipeline/WeightEvaluator.h"
#include "adze/Support/Hash.h"

#include <cmath>
#include <gtest/gtest.h>

namespace adze::import {
namespace {

using namespace llm::reference;

const Json &goldens() {
  static const Json json = [] {
    std::string path = std::string(ADZE_IMPORT_GOLDENS) + "/tiny-models.json";
    Expected<Json> parsed = parseJson(test::readFile(path), path);
    EXPECT_TRUE(parsed.ok()) << parsed.status().message();
    return *parsed;
  }();
  return json;
}

struct Case {
  size_t index;
  const char *container;
};
std::vector<Case> allCases() {
  std::vector<Case> cases;
  for (size_t i = 0; i < goldens()["cases"].size(); ++i)
    for (const char *container : {"hf", "gguf"})
      cases.push_back({i, container});
  return cases;
}

class TinyModel : public testing::TestWithParam<Case> {
protected:
  const Json &golden() const { return goldens()["cases"][GetParam().index]; }
};

// A changed writer is noticed before numbers are compared.
void expectHashes(const std::string &path, const Json &hashes, bool gguf) {
  for (auto &[name, hash] : hashes.items())
    if (gguf == (name == "gguf")) {
      std::string bytes = test::readFile(gguf ? path : path + "/" + name);
      ASSERT_EQ(hashBytes(test::span(bytes)), hash.get<std::string>()) << name << ": run make-tiny-goldens.py again";
    }
}

TEST_P(TinyModel, GivesTheLogitsOfTransformers) {
  test::ScratchFolder scratch;
  bool gguf = std::string(GetParam().container) == "gguf";
  std::string path =
      test::writeModel(golden()["flags"].get<std::string>(), GetParam().container, scratch.path("model"));
  ASSERT_NO_FATAL_FAILURE(expectHashes(path, golden()["hashes"], gguf));

  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Expected<ImportedModel> model = importModel(path, context);
  ASSERT_TRUE(model.ok()) << model.status().message();
  registerReferenceEvaluator(context);
  Expected<WeightEvaluator> weights = WeightEvaluator::open(*model->module, model->folder);
  ASSERT_TRUE(weights.ok()) << weights.status().message();
  auto step = model->module->lookupSymbol<mlir::func::FuncOp>("step");
  auto kv = mlir::cast<llm::KvType>(step.getArgumentTypes()[2]);

  auto tokens = golden()["tokens"].get<std::vector<int64_t>>();
  int64_t count = int64_t(tokens.size()), pages = (count + kv.getPage() - 1) / kv.getPage();
  RequestStep request{count, count, count, {}, true};
  for (int64_t page = 0; page < pages; ++page)
    request.pages.push_back(pages - 1 - page); // in no particular order
  Values inputs{Tensor::ofInts(Element::I32, {count}, tokens), makeBatch({request}, kv.getPage()),
                Cache::empty(kv, pages)};
  Expected<Values> results = llm::reference::evaluate(step, std::move(inputs), weights->provider());
  ASSERT_TRUE(results.ok()) << results.status().message();

  // Both sides keep f32 activations; they differ by the rounding of sums (measured: 5.1e-6).
  const double tolerance = 2e-5;
  const Tensor &logits = (*results)[0].tensor();
  double worst = 0;
  for (size_t p = 0; p < golden()["positions"].size(); ++p) {
    const float *row = logits.row(golden()["positions"][p].get<int64_t>());
    double scale = std::abs(golden()["log_sum_exp"][p].get<double>());
    for (size_t i = 0; i < golden()["ids"].size(); ++i)
      worst = std::max(
          worst, std::abs(row[golden()["ids"][i].get<int64_t>()] - golden()["logits"][p][i].get<double>()) / scale);
    EXPECT_EQ(std::max_element(row, row + logits.columns()) - row, golden()["best"][p].get<int64_t>());
  }
  RecordProperty("worst", std::to_string(worst * 1e6) + "e-6");
  EXPECT_LT(worst, tolerance);
}

INSTANTIATE_TEST_SUITE_P(, TinyModel, testing::ValuesIn(allCases()), [](const auto &info) {
  std::string name =
      goldens()["cases"][info.param.index]["name"].template get<std::string>() + "_" + info.param.container;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

} // namespace
} // namespace adze::import
