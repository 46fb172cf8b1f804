// Weight expressions evaluated from files: each step, the stored form, and what is refused.
#include "ImportTestFiles.h"

#include "adze/Format/FloatFormats.h"
#include "adze/Pipeline/WeightEvaluator.h"
#include "adze/Support/Hash.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <cstring>
#include <gmock/gmock.h>

namespace adze {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Weights : public testing::Test {
protected:
  Weights() { context.loadDialect<llm::LlmDialect, mlir::arith::ArithDialect>(); }

  // A module with file @f (those bytes) and weight @w.
  void parse(const std::string &bytes, const std::string &weight) {
    import::test::writeFile(scratch.path("f.bin"), bytes);
    std::string text = "llm.file @f path \"f.bin\" size " + std::to_string(bytes.size()) + " hash \"" +
                       hashBytes(import::test::span(bytes)) + "\"\n" + weight;
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
  }
  llm::WeightOp weight() { return module->lookupSymbol<llm::WeightOp>("w"); }
  // The stored bytes of @w.
  std::vector<uint8_t> stored() {
    std::vector<uint8_t> bytes;
    Expected<WeightEvaluator> evaluator = WeightEvaluator::open(*module, scratch.path(""));
    EXPECT_TRUE(evaluator.ok()) << evaluator.status().message();
    Status status = evaluator->write(weight(), [&](std::span<const uint8_t> piece) {
      bytes.insert(bytes.end(), piece.begin(), piece.end());
      return Status::success();
    });
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(evaluator->storedBytes(weight()).ok() ? *evaluator->storedBytes(weight()) : -1, int64_t(bytes.size()));
    return bytes;
  }
  std::string refusal() {
    Expected<WeightEvaluator> evaluator = WeightEvaluator::open(*module, scratch.path(""));
    if (!evaluator)
      return evaluator.status().message();
    Status status = evaluator->write(weight(), [](std::span<const uint8_t>) { return Status::success(); });
    return status.ok() ? "ok" : status.message();
  }
  static std::string halves(std::vector<float> values) {
    std::string bytes;
    for (float value : values) {
      uint16_t bits = floatToHalf(value);
      bytes += {char(bits & 255), char(bits >> 8)};
    }
    return bytes;
  }

  import::test::ScratchFolder scratch;
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_F(Weights, SplitAQ4BlockIntoCodesTwoInAByteAndScales) {
  // One row of one block: scale 1, byte i holds column i low and column i + 16 high.
  std::string block = halves({1.0f});
  for (int i = 0; i < 16; ++i)
    block += char(i | (15 - i) << 4);
  parse(block,
        "llm.weight @w : tensor<1x32xi4> {\n %0 = llm.source_tensor @f offset 0 encoding \"q4_0\" part \"codes\" "
        ": tensor<1x32xi4>\n llm.yield %0 : tensor<1x32xi4>\n}");
  EXPECT_THAT(stored(), ElementsAre(0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe, 0xef, 0xcd, 0xab, 0x89, 0x67, 0x45,
                                    0x23, 0x01));
  parse(block,
        "llm.weight @w : tensor<1x1xf16> {\n %0 = llm.source_tensor @f offset 0 encoding \"q4_0\" part \"scales\" "
        ": tensor<1x1xf16>\n llm.yield %0 : tensor<1x1xf16>\n}");
  EXPECT_THAT(stored(), ElementsAre(0x00, 0x3c));
}

TEST_F(Weights, UndoInterleavedRowsOfMatricesAndVectors) {
  // Two heads of four rows: stored 0 2 1 3 of each head are rows 0 1 2 3.
  parse(halves({0, 1, 2, 3, 4, 5, 6, 7}),
        "llm.weight @w : tensor<8xf32> {\n %0 = llm.source_tensor @f offset 0 encoding \"f16\" part \"data\" : "
        "tensor<8xf16>\n %1 = llm.permute_rows %0 heads 2 : tensor<8xf16>\n %2 = llm.convert %1 : tensor<8xf16> -> "
        "tensor<8xf32>\n llm.yield %2 : tensor<8xf32>\n}");
  Expected<WeightEvaluator> evaluator = WeightEvaluator::open(*module, scratch.path(""));
  ASSERT_TRUE(evaluator.ok());
  Expected<llm::reference::Tensor> tensor = evaluator->tensor(weight());
  ASSERT_TRUE(tensor.ok()) << tensor.status().message();
  EXPECT_THAT(tensor->floats, ElementsAre(0, 2, 1, 3, 4, 6, 5, 7));
}

TEST_F(Weights, ConcatenateAndSliceRows) {
  parse(halves({0, 1, 2, 3, 4, 5, 6, 7}),
        "llm.weight @w : tensor<3x2xf16> {\n %0 = llm.source_tensor @f offset 0 encoding \"f16\" part \"data\" : "
        "tensor<2x2xf16>\n %1 = llm.source_tensor @f offset 8 encoding \"f16\" part \"data\" : tensor<2x2xf16>\n"
        " %2 = llm.concat_rows %1, %0 : tensor<2x2xf16>, tensor<2x2xf16> -> tensor<4x2xf16>\n"
        " %3 = llm.slice_rows %2 offset 1 size 3 : tensor<4x2xf16> -> tensor<3x2xf16>\n llm.yield %3 : "
        "tensor<3x2xf16>\n}");
  std::string expected = halves({6, 7, 0, 1, 2, 3});
  EXPECT_EQ(stored(), std::vector<uint8_t>(expected.begin(), expected.end()));
}

TEST_F(Weights, RoundToNearestEvenWhenConverted) {
  std::string bytes(8, '\0');
  float values[2] = {1.0f + 0x1p-8f, 1.0f + 3 * 0x1p-8f};
  std::memcpy(bytes.data(), values, 8);
  parse(bytes,
        "llm.weight @w : tensor<2xbf16> {\n %0 = llm.source_tensor @f offset 0 encoding \"f32\" part \"data\" : "
        "tensor<2xf32>\n %1 = llm.convert %0 : tensor<2xf32> -> tensor<2xbf16>\n llm.yield %1 : tensor<2xbf16>\n}");
  EXPECT_THAT(stored(), ElementsAre(0x80, 0x3f, 0x82, 0x3f));
}

TEST_F(Weights, PackBlocksInTheirOrderAndPadWithZeros) {
  // 3 x 3 in blocks of 2 x 2, columns first within a row pair: address bit 0 is the row.
  parse(
      halves({1, 2, 3, 4, 5, 6, 7, 8, 9}),
      "llm.weight @w : tensor<3x3xf16, #llm.packed<[2, 2], \"r1 c1\">> {\n %0 = llm.source_tensor @f offset 0 encoding "
      "\"f16\" part \"data\" : tensor<3x3xf16>\n %1 = llm.repack %0 : tensor<3x3xf16> -> tensor<3x3xf16, "
      "#llm.packed<[2, 2], \"r1 c1\">>\n llm.yield %1 : tensor<3x3xf16, #llm.packed<[2, 2], \"r1 c1\">>\n}");
  std::string expected = halves({1, 4, 2, 5, 3, 6, 0, 0, 7, 0, 8, 0, 9, 0, 0, 0});
  EXPECT_EQ(stored(), std::vector<uint8_t>(expected.begin(), expected.end()));
}

TEST_F(Weights, PackFourBitCodesWithTheEvenAddressLow) {
  std::string block = halves({1.0f});
  for (int i = 0; i < 16; ++i)
    block += char(i | (15 - i) << 4);
  std::string type = "tensor<2x32xi4, #llm.packed<[2, 4], \"r1 c1 c2\">>";
  parse(block + block, "llm.weight @w : " + type +
                           " {\n %0 = llm.source_tensor @f offset 0 encoding \"q4_0\" part \"codes\" "
                           ": tensor<2x32xi4>\n %1 = llm.repack %0 : tensor<2x32xi4> -> " +
                           type + "\n llm.yield %1 : " + type + "\n}");
  std::vector<uint8_t> bytes = stored();
  ASSERT_EQ(bytes.size(), 32u);
  for (int column = 0; column < 32; ++column) // both rows are equal, so a byte repeats one code
    EXPECT_EQ(bytes[size_t(column)], 17 * (column < 16 ? column : 31 - column));
}

TEST_F(Weights, StoreConstants) {
  parse("x", "llm.weight @w : tensor<2xf32> {\n %0 = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>\n llm.yield %0 : "
             "tensor<2xf32>\n}");
  EXPECT_THAT(stored(), ElementsAre(0, 0, 0x80, 0x3f, 0, 0, 0, 0x40));
}

TEST_F(Weights, RefuseOtherFilesAndTensorsPastTheEnd) {
  const std::string weight =
      "llm.weight @w : tensor<8xf16> {\n %0 = llm.source_tensor @f offset 0 encoding \"f16\" part "
      "\"data\" : tensor<8xf16>\n llm.yield %0 : tensor<8xf16>\n}";
  parse(halves({1, 2, 3, 4}), weight);
  EXPECT_THAT(refusal(), HasSubstr("past the file's end at 8"));
  parse(halves({1, 2, 3, 4, 5, 6, 7, 8}), weight);
  EXPECT_EQ(refusal(), "ok");
  import::test::writeFile(scratch.path("f.bin"), halves({1, 2, 3, 4, 5, 6, 7, 9}));
  EXPECT_THAT(refusal(), HasSubstr("the model was imported from"));
  import::test::writeFile(scratch.path("f.bin"), halves({1}));
  EXPECT_THAT(refusal(), HasSubstr("f.bin: has 2 bytes; the model was imported from 16"));
}

// Each line names the one before twice: 13 lines stand for 8192 parts.
TEST_F(Weights, RefusesAnExpressionThatStandsForTooManyParts) {
  std::string body = "  %0 = arith.constant dense<1.0> : tensor<1xf32>\n";
  for (int i = 0; i < 13; ++i) {
    std::string from = std::to_string(1 << i), to = std::to_string(2 << i), name = std::to_string(i);
    body += "  %" + std::to_string(i + 1) + " = llm.concat_rows %" + name + ", %" + name + " : tensor<" + from +
            "xf32>, tensor<" + from + "xf32> -> tensor<" + to + "xf32>\n";
  }
  parse("x", "llm.weight @w : tensor<8192xf32> {\n" + body + "  llm.yield %13 : tensor<8192xf32>\n}\n");
  EXPECT_THAT(refusal(), HasSubstr("its expression has more than 4096 parts"));
}

TEST_F(Weights, RefusesAHugeConstant) {
  parse("x", R"(llm.weight @w : tensor<8193x8192xf32> {
    %0 = arith.constant dense<1.0> : tensor<8193x8192xf32>
    llm.yield %0 : tensor<8193x8192xf32>
  })");
  EXPECT_THAT(refusal(), HasSubstr("a weight's constant has 67117056 elements; up to 67108864 are accepted"));
}

} // namespace
} // namespace adze
