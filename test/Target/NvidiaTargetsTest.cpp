// GPUs are rows of a table: what they say must agree with the tables of layouts, and with each other.
#include "adze/Layout/MmaLayouts.h"
#include "adze/Layout/PackedOrder.h"
#include "adze/Target/TargetInfo.h"

#include <algorithm>
#include <bit>
#include <gtest/gtest.h>

using namespace adze;

namespace {
std::vector<const TargetInfo *> gpus() {
  std::vector<const TargetInfo *> all;
  for (std::string_view name : gpuTargetNames())
    all.push_back(findTarget(name));
  return all;
}
} // namespace

TEST(NvidiaTargets, AreFoundByNameAndAreNoCpuLevels) {
  EXPECT_EQ(gpuTargetNames(), (std::vector<std::string_view>{"sm_80", "sm_89", "sm_90a"}));
  for (const TargetInfo *gpu : gpus()) {
    ASSERT_NE(gpu, nullptr);
    EXPECT_NE(gpu->gpu(), nullptr);
    auto levels = targetNames();
    EXPECT_EQ(std::count(levels.begin(), levels.end(), gpu->name()), 0);
  }
  for (std::string_view level : targetNames())
    EXPECT_EQ(findTarget(level)->gpu(), nullptr);
}

TEST(NvidiaTargets, NameInstructionsThatLayoutsAreKnownFor) {
  for (const TargetInfo *gpu : gpus())
    for (const MatrixInstruction &has : gpu->gpu()->matrices) {
      std::string_view family = has.name.substr(0, has.name.find('.'));
      const MmaInstruction *row = findMma(family, has.element);
      ASSERT_NE(row, nullptr) << gpu->name() << " " << has.name << " " << has.element;
      EXPECT_EQ(row->name, has.name);
    }
}

TEST(NvidiaTargets, HaveBlocksThatFitAMultiprocessor) {
  for (const TargetInfo *gpu : gpus()) {
    const GpuFacts &facts = *gpu->gpu();
    EXPECT_LE(facts.sharedBytes + facts.reservedShared, facts.multiprocessorShared);
    EXPECT_LE(facts.threads, facts.multiprocessorThreads);
    for (std::string_view family : {"linear", "quantized_linear", "paged_attention", "rms_norm", "quantize",
                                    "embedding", "rope_append", "best_token"}) {
      ScheduleRow row = gpu->scheduleRow({family});
      EXPECT_TRUE(std::has_single_bit(uint64_t(row.warps)));
      EXPECT_LE(row.warps * facts.warpLanes, facts.threads);
      EXPECT_TRUE(std::has_single_bit(uint64_t(row.tokens)) && std::has_single_bit(uint64_t(row.columns)));
    }
    // Attention by matrix instructions: 16 rows a warp, fewer where registers do not last; runs of whole tiles of 64
    // positions.
    auto attention = [&](int64_t heads, int64_t dim) {
      return gpu->scheduleRow(
          {.family = "paged_attention", .numerics = Numerics::Bf16, .outputs = heads, .inputs = dim});
    };
    EXPECT_EQ(attention(4, 128).rows, 16 * attention(4, 128).warps);
    EXPECT_EQ(attention(7, 128).rows, 8 * attention(7, 128).warps);
    EXPECT_EQ(attention(4, 80).rows, 8 * attention(4, 80).warps);
    EXPECT_EQ(attention(4, 128).split % 64, 0);
    EXPECT_EQ(gpu->scheduleRow({"paged_attention"}).rows, 0);
    // Slots for keys and values of 64 positions, two blocks of them where that is possible.
    for (int64_t dim : {16, 64, 100, 128, 256}) {
      int64_t stages = attention(1, dim).stages;
      EXPECT_LE(stages > 1 ? stages * 64 * 2 * ((dim + 15) / 16 * 16) * 2 : 0, facts.sharedBytes);
      EXPECT_GE(stages, dim <= 128 ? 2 : 1);
    }
  }
}

TEST(NvidiaTargets, PackWeightsAsTheOperandOfTheirInstruction) {
  // Register bits of the second operand, then its lanes, are the order of a block, up to the instruction's repetitions.
  for (auto [encoding, part, numerics, element] : {std::tuple{"bf16", "data", Numerics::Bf16, "bf16"},
                                                   {"q4_1", "codes", Numerics::A8, "s8"},
                                                   {"q8_0", "codes", Numerics::A8, "s8"},
                                                   {"q4_1", "codes", Numerics::Bf16, "bf16"}})
    for (const TargetInfo *gpu : gpus()) {
      auto pack = gpu->weightPack(encoding, part, numerics);
      ASSERT_TRUE(pack) << encoding;
      const MmaInstruction *row = findMma("mma", element);
      auto order = PackedOrder::make(pack->block, pack->order);
      ASSERT_TRUE(order);
      LinearMap layout;
      std::vector<Coord> bits = order->map().reg;
      layout.lane.assign(bits.end() - 5, bits.end());
      layout.reg.assign(bits.begin(), bits.end() - 5);
      std::string reason;
      EXPECT_TRUE(mmaTiling(*row, MmaRole::B, layout, &reason)) << reason;
    }
}

TEST(NvidiaTargets, HaveRowsForSmallStepsThatCutTheSameProduct) {
  for (const TargetInfo *gpu : gpus())
    for (auto [family, encoding, numerics] : {std::tuple{"linear", "bf16", Numerics::Bf16},
                                              {"quantized_linear", "q4_1", Numerics::A8},
                                              {"quantized_linear", "q8_0", Numerics::Bf16}})
      for (int64_t outputs : {64, 256, 4096}) {
        ScheduleKey key{family, encoding, numerics, outputs, 4096};
        ScheduleRow row = gpu->scheduleRow(key);
        int64_t before = 0;
        auto small = gpu->smallSteps(key);
        ASSERT_FALSE(small.empty());
        for (const ScheduleRow &one : small) {
          EXPECT_GT(one.tokens, before);
          EXPECT_LT(one.tokens, row.tokens);
          EXPECT_EQ(one.warps, row.warps);
          EXPECT_EQ(one.stages, row.stages);
          EXPECT_EQ(row.columns % one.columns, 0) << "what fits whole tiles of the one must fit the other's";
          before = one.tokens;
          // All slots of both operands, in bytes of bf16.
          int64_t ring = (one.tokens + one.columns) * one.depth * 2 * one.stages;
          EXPECT_LE(ring, gpu->gpu()->sharedBytes) << gpu->name();
        }
        int64_t ring = (row.tokens + row.columns) * row.depth * 2 * row.stages + gpu->gpu()->reservedShared;
        int64_t blocks = family == std::string_view("linear") ? 2 : 1; // codes take less than bf16 does
        EXPECT_LE(blocks * ring, gpu->gpu()->multiprocessorShared) << gpu->name();
      }
}
