// The importers against transformers: every tiny model of goldens/tiny-models.json, from each container, run by the
// reference evaluator, gives the committed logits. This proves names, shapes, row orders, biases, norms, windows,
// rotary tables, schemes and decoders end to end before any kernel exists (faults B05 to B08, B11).
#include "ImportTestFiles.h"

#include "adze/Dialect/Llm/Reference/Evaluator.h"
#include "adze/Import/Import.h"
#include "adze/Pipeline/WeightEvaluator.h"
#include "adze/Support/Hash.h"
#include "adze/Transforms/Llm/Passes.h"

#include "mlir/Pass/PassManager.h"

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

/// One file or folder: its case of the goldens, and container and type as "gguf-q4_0".
struct Case {
  size_t index;
  std::string file;
  std::string container() const { return file.substr(0, file.find('-')); }
  std::string type() const { return file.substr(file.find('-') + 1); }
};
std::vector<Case> allCases() {
  std::vector<Case> cases;
  for (size_t i = 0; i < goldens()["cases"].size(); ++i)
    for (auto &[file, hashes] : goldens()["cases"][i]["files"].items())
      cases.push_back({i, file});
  return cases;
}

class TinyModel : public testing::TestWithParam<Case> {
protected:
  const Json &golden() const { return goldens()["cases"][GetParam().index]; }
};

// A changed writer is noticed before numbers are compared.
void expectHashes(const std::string &path, const Json &hashes) {
  for (auto &[name, hash] : hashes.items()) {
    std::string bytes = test::readFile(name == "gguf" ? path : path + "/" + name);
    ASSERT_EQ(hashBytes(test::span(bytes)), hash.get<std::string>()) << name << ": run make-tiny-goldens.py again";
  }
}

/// Largest |y - reference| of the golden's rows, relative to the row's largest |reference|: the model at `path`, run by
/// the reference evaluator in those numerics.
double worstOf(const std::string &path, const Json &golden, const std::string &numerics) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Expected<ImportedModel> model = importModel(path, context);
  EXPECT_TRUE(model.ok()) << model.status().message();
  if (!model.ok())
    return HUGE_VAL;
  mlir::PassManager passes(&context);
  passes.addPass(llm::createAssignNumericsPass({numerics}));
  EXPECT_TRUE(mlir::succeeded(passes.run(*model->module)));
  registerReferenceEvaluator(context);
  Expected<WeightEvaluator> weights = WeightEvaluator::open(*model->module, model->folder);
  EXPECT_TRUE(weights.ok()) << weights.status().message();
  auto step = model->module->lookupSymbol<mlir::func::FuncOp>("step");
  auto kv = mlir::cast<llm::KvType>(step.getArgumentTypes()[2]);

  auto tokens = goldens()["tokens"].get<std::vector<int64_t>>();
  tokens.resize(golden["count"].get<size_t>());
  int64_t count = int64_t(tokens.size()), pages = (count + kv.getPage() - 1) / kv.getPage();
  RequestStep request{count, count, count, {}, true};
  for (int64_t page = 0; page < pages; ++page)
    request.pages.push_back(pages - 1 - page); // in no particular order
  Values inputs{Tensor::ofInts(Element::I32, {count}, tokens), makeBatch({request}, kv.getPage()),
                Cache::empty(kv, pages)};
  Expected<Values> results = llm::reference::evaluate(step, std::move(inputs), weights->provider());
  EXPECT_TRUE(results.ok()) << results.status().message();
  if (!results.ok())
    return HUGE_VAL;

  const Tensor &logits = (*results)[0].tensor();
  double worst = 0;
  for (size_t p = 0; p < golden["positions"].size(); ++p) {
    const float *row = logits.row(golden["positions"][p].get<int64_t>());
    double scale = golden["largest"][p].get<double>();
    for (size_t i = 0; i < golden["ids"].size(); ++i)
      worst = std::max(worst,
                       std::abs(row[golden["ids"][i].get<int64_t>()] - golden["logits"][p][i].get<double>()) / scale);
    if (numerics == "f32") {
      EXPECT_EQ(std::max_element(row, row + logits.columns()) - row, golden["best"][p].get<int64_t>());
    }
  }
  std::printf("%s: worst %.3g of the row's largest logit\n", numerics.c_str(), worst);
  return worst;
}

TEST_P(TinyModel, GivesTheLogitsOfTransformersWithinTheBoundOfItsNumerics) {
  test::ScratchFolder scratch;
  std::string flags = golden()["flags"].get<std::string>() + " --type " + GetParam().type();
  std::string path = test::writeModel(flags, GetParam().container(), scratch.path("model"));
  ASSERT_NO_FATAL_FAILURE(expectHashes(path, golden()["files"][GetParam().file]));
  // The bounds of docs/Numerics.md, which compiled code keeps as well (test/EndToEnd/FamiliesTest.cpp).
  EXPECT_LE(worstOf(path, golden(), "f32"), 2e-5);
  EXPECT_LE(worstOf(path, golden(), "bf16"), 0.1);
  if (GetParam().type()[0] == 'q')
    EXPECT_LE(worstOf(path, golden(), "a8"), 0.16);
}

INSTANTIATE_TEST_SUITE_P(, TinyModel, testing::ValuesIn(allCases()), [](const auto &info) {
  std::string name = goldens()["cases"][info.param.index]["name"].template get<std::string>() + "_" + info.param.file;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

} // namespace
} // namespace adze::import
