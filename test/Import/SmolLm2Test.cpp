// The real model, where it is present: its import, and the reference evaluator's numbers for the first tokens of a
// prompt against transformers' (test/EndToEnd/goldens). The compiled model is the end-to-end tests' subject.
#include "ImportTestFiles.h"

#include "adze/Dialect/Llm/Reference/Evaluator.h"
#include "adze/Import/Import.h"
#include "adze/Pipeline/WeightEvaluator.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>

namespace adze::import {
namespace {

using namespace llm::reference;

std::vector<float> floatsOfBase64(const std::string &text) {
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (char c : text) {
    size_t value = letters.find(c);
    if (value == std::string::npos)
      break;
    bits = bits << 6 | uint32_t(value);
    if ((count += 6) >= 8)
      bytes += char(bits >> (count -= 8));
  }
  std::vector<float> floats(bytes.size() / 4);
  std::memcpy(floats.data(), bytes.data(), floats.size() * 4);
  return floats;
}

TEST(SmolLm2, GivesTheLogitsOfTransformersForTheFirstTokens) {
  if (!std::filesystem::exists(ADZE_SMOLLM2))
    GTEST_SKIP() << "no " << ADZE_SMOLLM2 << "; scripts/fetch-model gets it";
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Expected<ImportedModel> model = importModel(ADZE_SMOLLM2, context);
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(model->licence, "apache-2.0");
  EXPECT_EQ(model->generation.endTokens, (std::vector<int32_t>{2}));
  EXPECT_EQ(model->tokenizer.preSplit, (std::vector<std::string>{"digits", "gpt-2"}));

  registerReferenceEvaluator(context);
  Expected<WeightEvaluator> weights = WeightEvaluator::open(*model->module, model->folder);
  ASSERT_TRUE(weights.ok()) << weights.status().message();
  std::string path = std::string(ADZE_IMPORT_GOLDENS) + "/../../EndToEnd/goldens/smollm2.json";
  Expected<Json> goldens = parseJson(test::readFile(path), path);
  ASSERT_TRUE(goldens.ok()) << goldens.status().message();
  const Json &prompt = (*goldens)["prompts"][0];
  std::vector<float> expected = floatsOfBase64(prompt["prompt"]["log_sum_exp"].get<std::string>());

  const int64_t count = 4;
  std::vector<int64_t> tokens;
  for (int64_t i = 0; i < count; ++i) {
    ASSERT_EQ(prompt["prompt_rows"][size_t(i)].get<int64_t>(), i);
    tokens.push_back(prompt["tokens"][size_t(i)].get<int64_t>());
  }
  auto step = model->module->lookupSymbol<mlir::func::FuncOp>("step");
  auto kv = mlir::cast<llm::KvType>(step.getArgumentTypes()[2]);
  Values inputs{Tensor::ofInts(Element::I32, {count}, tokens),
                makeBatch({RequestStep{count, count, count, {0}, true}}, kv.getPage()), Cache::empty(kv, 1)};
  Expected<Values> results = evaluate(step, std::move(inputs), weights->provider());
  ASSERT_TRUE(results.ok()) << results.status().message();
  const Tensor &logits = (*results)[0].tensor();
  for (int64_t row = 0; row < count; ++row) {
    const float *values = logits.row(row);
    double best = *std::max_element(values, values + logits.columns()), sum = 0;
    for (int64_t i = 0; i < logits.columns(); ++i)
      sum += std::exp(values[i] - best);
    EXPECT_NEAR(best + std::log(sum), expected[size_t(row)], 2e-5 * std::abs(expected[size_t(row)])) << "row " << row;
  }
}

} // namespace
} // namespace adze::import
