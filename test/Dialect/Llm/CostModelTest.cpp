// What ops and groups say they move and do, against sizes worked out by hand.
#include "adze/Dialect/Llm/IR/CostForms.h"
#include "adze/Dialect/Llm/IR/Llm.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace adze::llm;

namespace {

class CostModelTest : public testing::Test {
protected:
  CostModelTest() { context.loadDialect<arith::ArithDialect, func::FuncDialect, LlmDialect>(); }

  /// The first op of the kind in a function with the given body.
  template <class Op> Op first(const char *text) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    Op found;
    module->walk([&](Op op) { found = found ? found : op; });
    return found;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(CostModelTest, LinearReadsItsWeightOnceAndItsRowsForEachToken) {
  auto op = first<LinearOp>(R"(
    func.func @f(%x: tensor<?x64xbf16>, %w: tensor<32x64xbf16>, %b: tensor<32xf32>) -> tensor<?x32xf32> {
      %y = llm.linear %x, %w bias %b : (tensor<?x64xbf16>, tensor<32x64xbf16>, tensor<32xf32>) -> tensor<?x32xf32>
      return %y : tensor<?x32xf32>
    })");
  Cost cost = op.getCost();
  EXPECT_EQ(cost.bytes, (SizeForm{.constant = 32 * 64 * 2 + 32 * 4, .tokens = 64 * 2 + 32 * 4}));
  EXPECT_EQ(cost.operations, (SizeForm{.tokens = 2 * 32 * 64 + 32}));
}

TEST_F(CostModelTest, CodesOfFourBitsCountHalfAByte) {
  auto op = first<QuantizedLinearOp>(R"(
    func.func @f(%x: tensor<?x64xf32>, %q: tensor<32x64xi4>, %s: tensor<32x2xf16>) -> tensor<?x32xf32> {
      %y = llm.quantized_linear %x, %q, %s scheme zero_point group 32
          : (tensor<?x64xf32>, tensor<32x64xi4>, tensor<32x2xf16>) -> tensor<?x32xf32>
      return %y : tensor<?x32xf32>
    })");
  EXPECT_EQ(op.getCost().bytes, (SizeForm{.constant = 32 * 32 + 32 * 2 * 2, .tokens = 64 * 4 + 32 * 4}));
}

TEST_F(CostModelTest, EmbeddingReadsOneRowForEachToken) {
  auto op = first<EmbeddingOp>(R"(
    func.func @f(%t: tensor<?xi32>, %w: tensor<1000x64xbf16>) -> tensor<?x64xf32> {
      %y = llm.embedding %t, %w : tensor<?xi32>, tensor<1000x64xbf16> -> tensor<?x64xf32>
      return %y : tensor<?x64xf32>
    })");
  EXPECT_EQ(op.getCost().bytes, (SizeForm{.tokens = 4 + 64 * 2 + 64 * 4}));
}

TEST_F(CostModelTest, AttentionReadsKeysOnceForEachRequestAndWorksOnVisiblePairs) {
  auto op = first<PagedAttentionOp>(R"(
    !kv = !llm.kv<layers = 2, heads = 2, dim = 16, element = bf16, page = 64, keys = token_dim>
    func.func @f(%q: tensor<?x64xf32>, %kv: !kv, %l: index, %batch: !llm.batch) -> tensor<?x64xf32> {
      %y = llm.paged_attention %q, %kv, %l, %batch heads 4 scale 0.25 window 0 : tensor<?x64xf32>, !kv
      return %y : tensor<?x64xf32>
    })");
  EXPECT_EQ(op.getCost().bytes, (SizeForm{.tokens = 2 * 64 * 4, .keys = 2 * 2 * 16 * 2}));
  EXPECT_EQ(op.getCost().operations, (SizeForm{.pairs = 4 * (4 * 16 + 1)}));
}

TEST_F(CostModelTest, AppendWritesWhatItReads) {
  auto op = first<KvAppendOp>(R"(
    !kv = !llm.kv<layers = 2, heads = 2, dim = 16, element = bf16, page = 64, keys = token_dim>
    func.func @f(%k: tensor<?x32xbf16>, %kv: !kv, %l: index, %batch: !llm.batch) -> !kv {
      %y = llm.kv_append %k, %k, %kv, %l, %batch : tensor<?x32xbf16>, tensor<?x32xbf16>, !kv
      return %y : !kv
    })");
  EXPECT_EQ(op.getCost().bytes, (SizeForm{.tokens = 4 * 32 * 2}));
}

TEST_F(CostModelTest, RowsAfterAGatherCountOutputRows) {
  auto op = first<LinearOp>(R"(
    func.func @f(%x: tensor<?x64xf32>, %batch: !llm.batch, %w: tensor<100x64xf32>) -> tensor<?x100xf32> {
      %g = llm.gather_rows %x, %batch : tensor<?x64xf32> -> tensor<?x64xf32>
      %s = llm.silu %g : tensor<?x64xf32>
      %y = llm.linear %s, %w : (tensor<?x64xf32>, tensor<100x64xf32>) -> tensor<?x100xf32>
      return %y : tensor<?x100xf32>
    })");
  EXPECT_EQ(op.getCost().bytes, (SizeForm{.constant = 100 * 64 * 4, .rows = (64 + 100) * 4}));
  EXPECT_EQ(op.getCost().operations, (SizeForm{.rows = 2 * 100 * 64}));
}

TEST_F(CostModelTest, RowsAreFollowedIntoAndOutOfGroups) {
  auto op = first<SiluOp>(R"(
    func.func @f(%x: tensor<?x64xf32>, %batch: !llm.batch) -> tensor<?x64xf32> {
      %g = llm.kernel (%x as %a, %batch as %b : tensor<?x64xf32>, !llm.batch) -> tensor<?x64xf32> {
        %r = llm.gather_rows %a, %b : tensor<?x64xf32> -> tensor<?x64xf32>
        llm.yield %r : tensor<?x64xf32>
      }
      %h = llm.kernel (%g as %a : tensor<?x64xf32>) -> tensor<?x64xf32> {
        %s = llm.silu %a : tensor<?x64xf32>
        llm.yield %s : tensor<?x64xf32>
      }
      return %h : tensor<?x64xf32>
    })");
  EXPECT_EQ(op.getCost().bytes, (SizeForm{.rows = 2 * 64 * 4}));
}

TEST_F(CostModelTest, AGroupMovesItsOperandsAndResultsAlone) {
  auto op = first<KernelOp>(R"(
    func.func @f(%x: tensor<?x64xf32>, %w: tensor<64xf32>) -> tensor<?x64xf32> {
      %y = llm.kernel (%x as %a, %w as %b : tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32> {
        %n = llm.rms_norm %a, %b epsilon 1.0e-5 : tensor<?x64xf32>, tensor<64xf32>
        %s = llm.add %a, %n : tensor<?x64xf32>
        llm.yield %s : tensor<?x64xf32>
      }
      return %y : tensor<?x64xf32>
    })");
  EXPECT_EQ(op.getCost().bytes, (SizeForm{.constant = 64 * 4, .tokens = 2 * 64 * 4}));
  EXPECT_EQ(op.getCost().operations, (SizeForm{.tokens = 4 * 64 + 64}));
}

TEST_F(CostModelTest, AGroupThatAppendsWritesTheCacheAndReadsItsInputs) {
  auto op = first<KernelOp>(R"(
    !kv = !llm.kv<layers = 2, heads = 2, dim = 16, element = f32, page = 64, keys = token_dim>
    func.func @f(%k: tensor<?x32xf32>, %f: tensor<8xf32>, %batch: !llm.batch, %kv: !kv, %l: index) -> !kv {
      %y = llm.kernel (%k as %a, %f as %i, %batch as %b, %kv as %c, %l as %m
          : tensor<?x32xf32>, tensor<8xf32>, !llm.batch, !kv, index) -> !kv {
        %r = llm.rope %a, %i, %b head_dim 16 attention_factor 1.0 : tensor<?x32xf32>, tensor<8xf32>
        %n = llm.kv_append %r, %a, %c, %m, %b : tensor<?x32xf32>, tensor<?x32xf32>, !kv
        llm.yield %n : !kv
      }
      return %y : !kv
    })");
  // The input and the table are read once, two rows of 32 are written.
  EXPECT_EQ(op.getCost().bytes, (SizeForm{.constant = 8 * 4, .tokens = 32 * 4 + 2 * 32 * 4}));
}

} // namespace
