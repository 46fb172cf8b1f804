// The kernel of llm.best_token against the runtime's greedy choice (docs/Numerics.md, "Token choice"): the same token,
// and none where the runtime ends the request with an error. Rows of random numbers, ties, zeros of both signs, numbers
// that are not finite at every kind of place, padding that would win; each row alone and among the others.
#include "adze/Pipeline/Execution/ExecutionCheck.h"
#include "adze/Pipeline/Execution/KernelMemory.h"
#include "adze/Pipeline/Execution/LoadedKernels.h"
#include "adze/Pipeline/Phase.h"
#include "adze/Runtime/Engine/TokenChooser.h"
#include "adze/Target/NativeCode.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <mutex>

using namespace adze;
using namespace adze::execution;

namespace {

/// The kernel for rows of `columns` logits of which `legal` may be chosen.
class ChoiceKernel {
public:
  ChoiceKernel(int64_t columns, int64_t legal, const TargetInfo &target) : columns(columns) {
    static std::once_flag once;
    std::call_once(once, registerPipelinePasses);
    registerExecution(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    std::string n = std::to_string(columns), t = "target=" + std::string(target.name());
    std::string text = "func.func @choose(%x: tensor<?x" + n + "xf32>) -> tensor<?x1xi32> {\n" +
                       "  %y = llm.best_token %x legal " + std::to_string(legal) + " : tensor<?x" + n +
                       "xf32> -> tensor<?x1xi32>\n  return %y : tensor<?x1xi32>\n}";
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    mlir::PassManager manager(&context);
    EXPECT_TRUE(succeeded(mlir::parsePassPipeline("llm-form-kernels{" + t + "},llm-choose-schedules{" + t +
                                                      "},convert-llm-to-tile{" + t + "},tile-verify-kernels{" + t + "}",
                                                  manager)));
    EXPECT_TRUE(succeeded(manager.run(*module)));
    auto loaded = LoadedKernels::compile(*module, target);
    EXPECT_TRUE(loaded.ok()) << loaded.status().message();
    if (loaded)
      kernels = std::move(*loaded);
  }

  /// The tokens of all rows, made by one launch.
  std::vector<int32_t> choose(const std::vector<float> &logits) const {
    int64_t rows = int64_t(logits.size()) / columns;
    Buffer in(logits.size() * 4), out(size_t(rows) * 4);
    std::memcpy(in.data(), logits.data(), in.size());
    uint64_t words[] = {uint64_t(in.data()), uint64_t(out.data()), uint64_t(rows), 1, 0, 0};
    Status status = kernels->run("best_token", words);
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_TRUE(out.guardIntact());
    std::vector<int32_t> tokens(static_cast<size_t>(rows));
    std::memcpy(tokens.data(), out.data(), out.size());
    return tokens;
  }

private:
  int64_t columns;
  mlir::DialectRegistry registry;
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<LoadedKernels> kernels;
};

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();
constexpr float kMax = std::numeric_limits<float>::max();

std::vector<std::vector<float>> rowsFor(int64_t columns, int64_t legal) {
  Random random(uint64_t(columns * 1000003 + legal));
  auto fresh = [&] {
    std::vector<float> row(static_cast<size_t>(columns));
    for (float &logit : row)
      logit = float(20 * random.unit());
    for (int64_t id = legal; id < columns; ++id)
      row[size_t(id)] = id % 3 == 0 ? kNan : id % 3 == 1 ? kInfinity : kMax; // padding of the table
    return row;
  };
  std::vector<std::vector<float>> rows;
  auto add = [&](auto change) { change(rows.emplace_back(fresh())); };
  for (int i = 0; i < 4; ++i)
    add([](auto &) {});
  add([&](auto &row) { std::fill_n(row.begin(), legal, -3.5f); });
  add([&](auto &row) { std::fill_n(row.begin(), legal, -kMax); });
  add([&](auto &row) { // zeros of both signs tie
    for (int64_t id = 0; id < legal; ++id)
      row[size_t(id)] = id % 2 ? 0.0f : -0.0f;
  });
  for (int i = 0; i < 6; ++i) // two and three places hold the largest number
    add([&](auto &row) {
      for (int place = 0; place < 2 + i % 2; ++place)
        row[size_t(random.below(legal))] = 100;
    });
  std::vector<int64_t> places = {0, legal - 1, legal / 2, random.below(legal)};
  for (int64_t place : places) {
    add([&](auto &row) { row[size_t(place)] = 100; });
    for (float odd : {kNan, -kNan, kInfinity, -kInfinity})
      add([&](auto &row) { row[size_t(place)] = odd; });
    add([&](auto &row) { row[size_t(place)] = kMax; });
  }
  add([&](auto &row) { std::fill_n(row.begin(), legal, -kInfinity); });
  add([&](auto &row) { std::fill_n(row.begin(), legal, kNan); });
  return rows;
}

/// What the runtime chooses; -1 where it refuses.
int32_t runtimeChoice(const std::vector<float> &row, int64_t legal) {
  TokenChooser chooser(legal);
  Expected<TokenChoice> choice = chooser.choose(row, TokenHistory(), SamplingParameters(), 0);
  return choice ? choice->token : -1;
}

void check(int64_t columns, int64_t legal, const TargetInfo &target) {
  ChoiceKernel kernel(columns, legal, target);
  std::vector<std::vector<float>> rows = rowsFor(columns, legal);
  std::vector<float> all;
  for (const std::vector<float> &row : rows)
    all.insert(all.end(), row.begin(), row.end());
  std::vector<int32_t> together = kernel.choose(all);
  int64_t refused = 0;
  for (size_t r = 0; r < rows.size(); ++r) {
    int32_t wanted = runtimeChoice(rows[r], legal);
    refused += wanted < 0;
    EXPECT_EQ(together[r], wanted) << target.name() << ", " << legal << " of " << columns << ", row " << r;
    if (r % 5 == 0)
      EXPECT_EQ(kernel.choose(rows[r]), std::vector<int32_t>{wanted}) << target.name() << ", row " << r << " alone";
  }
  EXPECT_EQ(refused, 18);
  EXPECT_TRUE(kernel.choose({}).empty());
}

} // namespace

TEST(BestToken, IsTheRuntimesChoiceOnEachCpuLevelOfThisMachine) {
  for (std::string_view name : targetNames()) {
    for (auto [columns, legal] : {std::pair<int64_t, int64_t>{9, 7}, {64, 64}, {203, 150}, {1000, 999}})
      check(columns, legal, *findTarget(name));
    if (findTarget(name) == hostTarget())
      break;
  }
}

TEST(BestToken, IsTheRuntimesChoiceOnTheModelOfEachGpu) {
  for (std::string_view name : gpuTargetNames())
    for (auto [columns, legal] : {std::pair<int64_t, int64_t>{9, 7}, {203, 150}, {8192, 8192}, {8200, 8193}})
      check(columns, legal, *findTarget(name));
}

TEST(BestToken, IsTheRuntimesChoiceInALargeVocabulary) { check(20000, 16500, *findTarget("sm_90a")); }
