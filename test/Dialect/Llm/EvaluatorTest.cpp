// The evaluator as whole-model tests use it: a decoder of two layers with weights from a provider.
#include "adze/Dialect/Llm/Reference/Evaluator.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

using namespace mlir;
using namespace adze;
using namespace adze::llm;
using namespace adze::llm::reference;

namespace {

using Value = reference::Value;

constexpr const char *kv = "!llm.kv<layers = 2, heads = 1, dim = 16, element = f32, page = 16, keys = token_dim>";

/// Hidden 64, four heads of 16 on one KV head, vocabulary 96.
std::string decoder() {
  std::string text = "!kv = " + std::string(kv) + "\n";
  auto weight = [&](const std::string &name, const std::string &type) {
    text += "llm.weight @" + name + " : " + type + " { %0 = arith.constant dense<0.0> : " + type +
            " llm.yield %0 : " + type + " }\n";
  };
  weight("table", "tensor<96x64xf32>");
  weight("norm", "tensor<64xf32>");
  weight("frequency", "tensor<8xf32>");
  for (const char *layer : {"0", "1"}) {
    weight("q" + std::string(layer), "tensor<64x64xf32>");
    weight("k" + std::string(layer), "tensor<16x64xf32>");
    weight("o" + std::string(layer), "tensor<64x64xf32>");
    weight("up" + std::string(layer), "tensor<128x64xf32>");
    weight("down" + std::string(layer), "tensor<64x128xf32>");
  }
  text += R"(
func.func @step(%token: tensor<?xi32>, %batch: !llm.batch, %kv: !kv) -> (tensor<?x96xf32>, !kv) {
  %table = llm.get_weight @table : tensor<96x64xf32>
  %norm = llm.get_weight @norm : tensor<64xf32>
  %f = llm.get_weight @frequency : tensor<8xf32>
  %x0 = llm.embedding %token, %table : tensor<?xi32>, tensor<96x64xf32> -> tensor<?x64xf32>
)";
  std::string x = "%x0", cache = "%kv";
  for (std::string l : {"0", "1"}) {
    std::string next = l == "0" ? "%x1" : "%x2", nextCache = l == "0" ? "%kv1" : "%kv2";
    std::string body = R"(
  %layerL = arith.constant L : index
  %wqL = llm.get_weight @qL : tensor<64x64xf32>
  %wkL = llm.get_weight @kL : tensor<16x64xf32>
  %woL = llm.get_weight @oL : tensor<64x64xf32>
  %wuL = llm.get_weight @upL : tensor<128x64xf32>
  %wdL = llm.get_weight @downL : tensor<64x128xf32>
  %nL = llm.rms_norm X, %norm epsilon 1.0e-5 : tensor<?x64xf32>, tensor<64xf32>
  %qL = llm.linear %nL, %wqL : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %kL = llm.linear %nL, %wkL : (tensor<?x64xf32>, tensor<16x64xf32>) -> tensor<?x16xf32>
  %rqL = llm.rope %qL, %f, %batch head_dim 16 attention_factor 1.0 : tensor<?x64xf32>, tensor<8xf32>
  %rkL = llm.rope %kL, %f, %batch head_dim 16 attention_factor 1.0 : tensor<?x16xf32>, tensor<8xf32>
  NEXTCACHE = llm.kv_append %rkL, %kL, CACHE, %layerL, %batch : tensor<?x16xf32>, tensor<?x16xf32>, !kv
  %aL = llm.paged_attention %rqL, NEXTCACHE, %layerL, %batch heads 4 scale 0.25 window 0 : tensor<?x64xf32>, !kv
  %pL = llm.linear %aL, %woL : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %sL = llm.add X, %pL : tensor<?x64xf32>
  %mL = llm.rms_norm %sL, %norm epsilon 1.0e-5 : tensor<?x64xf32>, tensor<64xf32>
  %uL = llm.linear %mL, %wuL : (tensor<?x64xf32>, tensor<128x64xf32>) -> tensor<?x128xf32>
  %gL = llm.silu %uL : tensor<?x128xf32>
  %dL = llm.linear %gL, %wdL : (tensor<?x128xf32>, tensor<64x128xf32>) -> tensor<?x64xf32>
  NEXT = llm.add %sL, %dL : tensor<?x64xf32>
)";
    auto replace = [&](const std::string &from, const std::string &to) {
      for (size_t at = 0; (at = body.find(from, at)) != std::string::npos; at += to.size())
        body.replace(at, from.size(), to);
    };
    replace("NEXTCACHE", nextCache);
    replace("CACHE", cache);
    replace("NEXT", next);
    replace(" X,", " " + x + ",");
    for (std::string name :
         {"layer", "wq", "wk", "wo", "wu", "wd", "n", "q", "k", "rq", "rk", "a", "p", "s", "m", "u", "g", "d"})
      replace("%" + name + "L", "%" + name + "_" + l);
    for (std::string name : {"q", "k", "o", "up", "down"})
      replace("@" + name + "L", "@" + name + l);
    replace("constant L", "constant " + l);
    text += body;
    x = next, cache = nextCache;
  }
  return text + R"(
  %rows = llm.gather_rows %x2, %batch : tensor<?x64xf32> -> tensor<?x64xf32>
  %logits = llm.linear %rows, %table : (tensor<?x64xf32>, tensor<96x64xf32>) -> tensor<?x96xf32>
  return %logits, %kv2 : tensor<?x96xf32>, !kv
})";
}

/// Numbers between -1 and 1 that depend on the weight's name and the element alone.
Expected<Tensor> weightOf(WeightOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  Tensor tensor = Tensor::zeros(Element::F32, type.getShape().vec());
  uint64_t state = 1469598103934665603u;
  for (char c : op.getSymName())
    state = (state ^ uint64_t(c)) * 1099511628211u;
  for (float &number : tensor.floats) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    number = float(int64_t(state >> 40) - (int64_t(1) << 23)) / float(1 << 23);
  }
  return tensor;
}

class EvaluatorTest : public testing::Test {
protected:
  EvaluatorTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, LlmDialect>();
    module = parseSourceString<ModuleOp>(decoder(), &context);
    type = cast<KvType>(parseType(kv, &context));
  }

  static Value tokens(std::vector<int64_t> ids) {
    int64_t count = int64_t(ids.size());
    return Tensor::ofInts(Element::I32, {count}, std::move(ids));
  }
  static std::vector<int64_t> ids(int64_t first, int64_t count) {
    std::vector<int64_t> result;
    for (int64_t i = first; i < first + count; ++i)
      result.push_back((i * 37 + 11) % 96);
    return result;
  }
  /// Logits of every token of a sequence that is run in chunks of the given size.
  std::vector<float> logitsInChunks(int64_t length, int64_t chunk) {
    Evaluator evaluator(*module, weightOf);
    Value cache = Cache::empty(type, 8);
    std::vector<float> logits;
    for (int64_t done = 0; done < length; done += chunk) {
      int64_t count = std::min(chunk, length - done);
      Batch batch = makeBatch({{count, done + count, length, {5, 0, 7, 2, 1, 6, 3}, true}}, 16);
      auto results = evaluator.run("step", values(tokens(ids(done, count)), batch, std::move(cache)));
      EXPECT_TRUE(results) << results.status().message();
      const Tensor &rows = (*results)[0].tensor();
      logits.insert(logits.end(), rows.floats.begin(), rows.floats.end());
      cache = (*results)[1];
    }
    return logits;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  KvType type;
};

TEST_F(EvaluatorTest, ChunksOfThePromptDoNotChangeABit) {
  ASSERT_TRUE(module);
  std::vector<float> whole = logitsInChunks(100, 100);
  ASSERT_EQ(whole.size(), 100u * 96u);
  EXPECT_FALSE(std::isnan(whole.front()));
  EXPECT_NE(whole[0], whole[96 * 99]);
  EXPECT_EQ(logitsInChunks(100, 16), whole);
  EXPECT_EQ(logitsInChunks(100, 7), whole);
}

TEST_F(EvaluatorTest, RequestsInOneStepComputeWhatTheyComputeAlone) {
  Evaluator evaluator(*module, weightOf);
  auto logits = [&](std::vector<int64_t> token, Batch batch) {
    auto results = evaluator.run("step", {tokens(std::move(token)), std::move(batch), Cache::empty(type, 8)});
    EXPECT_TRUE(results) << results.status().message();
    return (*results)[0].tensor().floats;
  };
  std::vector<float> a = logits(ids(0, 20), makeBatch({{20, 20, 20, {3, 1}}}, 16));
  std::vector<float> b = logits(ids(50, 3), makeBatch({{3, 3, 3, {6}}}, 16));
  std::vector<int64_t> both = ids(0, 20);
  for (int64_t id : ids(50, 3))
    both.push_back(id);
  std::vector<float> together = logits(both, makeBatch({{20, 20, 20, {0, 7}}, {3, 3, 3, {2}}}, 16));
  a.insert(a.end(), b.begin(), b.end());
  EXPECT_EQ(together, a);
}

TEST_F(EvaluatorTest, ACacheThatIsMovedInIsChangedInPlace) {
  Evaluator evaluator(*module, weightOf);
  Value cache = Cache::empty(type, 1);
  const float *data = cache.cache().data.data();
  auto results = evaluator.run("step", values(tokens({1}), makeBatch({{1, 1, 1, {0}}}, 16), std::move(cache)));
  ASSERT_TRUE(results) << results.status().message();
  EXPECT_EQ((*results)[1].cache().data.data(), data);
}

TEST_F(EvaluatorTest, ACacheThatIsHeldStaysAsItWas) {
  Evaluator evaluator(*module, weightOf);
  Value cache = Cache::empty(type, 1);
  auto results = evaluator.run("step", {tokens({1}), makeBatch({{1, 1, 1, {0}}}, 16), cache});
  ASSERT_TRUE(results) << results.status().message();
  EXPECT_TRUE(std::isnan(*cache.cache().at(0, 0, 0, 0)));
  EXPECT_FALSE(std::isnan(*(*results)[1].cache().at(0, 0, 0, 0)));
}

TEST_F(EvaluatorTest, AStepWithoutTokensGivesNoLogits) {
  Evaluator evaluator(*module, weightOf);
  auto results = evaluator.run("step", {tokens({}), makeBatch({}, 16), Cache::empty(type, 1)});
  ASSERT_TRUE(results) << results.status().message();
  EXPECT_EQ((*results)[0].tensor().shape, (std::vector<int64_t>{0, 96}));
}

TEST_F(EvaluatorTest, AProvidersFailureNamesTheWeight) {
  Evaluator evaluator(*module, [](WeightOp op) -> Expected<Tensor> {
    if (op.getSymName() == "up1")
      return invalidInput("the file ends early");
    return weightOf(op);
  });
  auto results = evaluator.run("step", {tokens({1}), makeBatch({{1, 1, 1, {0}}}, 16), Cache::empty(type, 1)});
  ASSERT_FALSE(results);
  EXPECT_NE(results.status().message().find("weight @up1: the file ends early"), std::string::npos)
      << results.status().message();
}

TEST_F(EvaluatorTest, InputsThatDoNotFitAreRefused) {
  Evaluator evaluator(*module, weightOf);
  Batch batch = makeBatch({{1, 1, 1, {0}}}, 16);
  EXPECT_NE(evaluator.run("stop", {}).status().message().find("there is no function @stop"), std::string::npos);
  EXPECT_NE(evaluator.run("step", {tokens({1})}).status().message().find("takes 3 values, found 1"), std::string::npos);
  Value floats = Tensor::ofFloats(Element::F32, {1}, {1.0f});
  std::string message = evaluator.run("step", {floats, batch, Cache::empty(type, 1)}).status().message();
  EXPECT_NE(message.find("argument 0 of @step is tensor<?xi32>, found 1xf32"), std::string::npos) << message;
}

TEST_F(EvaluatorTest, TheObserverSeesEachOpWithItsResults) {
  Evaluator evaluator(*module, weightOf);
  int norms = 0;
  evaluator.observe([&](Operation *op, llvm::ArrayRef<Value> results) {
    if (isa<RmsNormOp>(op) && results[0].tensor().shape == std::vector<int64_t>{2, 64})
      ++norms;
  });
  ASSERT_TRUE(evaluator.run("step", {tokens({1, 2}), makeBatch({{2, 2, 2, {0}}}, 16), Cache::empty(type, 1)}));
  EXPECT_EQ(norms, 4);
}

// Every finite f16 pattern is its own nearest f16; halves between neighbours go to the even one.
TEST(RoundTo, AgreesWithEveryF16Pattern) {
  auto number = [](int pattern) { // positive f16
    int exponent = pattern >> 10, fraction = pattern & 1023;
    return exponent == 0 ? std::ldexp(double(fraction), -24) : std::ldexp(1024.0 + fraction, exponent - 25);
  };
  for (int pattern = 0; pattern < 0x7bff; ++pattern) {
    double low = number(pattern), high = number(pattern + 1), middle = (low + high) / 2;
    ASSERT_EQ(roundTo(Element::F16, low), low);
    ASSERT_EQ(roundTo(Element::F16, -low), -low);
    ASSERT_EQ(roundTo(Element::F16, middle), pattern % 2 == 0 ? low : high) << pattern;
    ASSERT_EQ(roundTo(Element::F16, std::nextafter(middle, 0)), low) << pattern;
    ASSERT_EQ(roundTo(Element::F16, std::nextafter(middle, 1e9)), high) << pattern;
  }
  EXPECT_EQ(roundTo(Element::F16, 65504), 65504);
  EXPECT_EQ(roundTo(Element::F16, 65519.999), 65504);
  EXPECT_TRUE(std::isinf(roundTo(Element::F16, 65520)));
  EXPECT_TRUE(std::isnan(roundTo(Element::F16, std::nan(""))));
}

TEST(RoundTo, AgreesWithEveryBf16Pattern) {
  auto number = [](uint32_t pattern) { return double(std::bit_cast<float>(pattern << 16)); };
  for (uint32_t pattern = 0; pattern < 0x7f7f; ++pattern) {
    double low = number(pattern), high = number(pattern + 1), middle = (low + high) / 2;
    ASSERT_EQ(roundTo(Element::BF16, low), low);
    ASSERT_EQ(roundTo(Element::BF16, -low), -low);
    ASSERT_EQ(roundTo(Element::BF16, middle), pattern % 2 == 0 ? low : high) << pattern;
    ASSERT_EQ(roundTo(Element::BF16, std::nextafter(middle, 0)), low) << pattern;
    ASSERT_EQ(roundTo(Element::BF16, std::nextafter(middle, 1e39)), high) << pattern;
  }
  EXPECT_TRUE(std::isinf(roundTo(Element::BF16, 3.4e38)));
  EXPECT_TRUE(std::isnan(roundTo(Element::BF16, std::nan(""))));
}

} // namespace
