#include "LayoutData.h"

#include "adze/Layout/MmaLayouts.h"

using namespace adze;
using Kind = ConversionPlan::Kind;

/// The plan, after it was executed and gave the right elements.
static ConversionPlan planned(const LinearMap &from, const LinearMap &to, unsigned elementBits,
                              const ConversionTarget &target = {}) {
  std::string reason;
  std::optional<ConversionPlan> plan = planConversion(from, to, elementBits, target, &reason);
  EXPECT_TRUE(plan) << reason;
  if (!plan)
    return {};
  ExecutionCounts counts;
  RegisterFile out = applyPlan(*plan, filled(from, elementBits), counts);
  EXPECT_EQ(counts.fault, "");
  EXPECT_EQ(wrongElements(to, elementBits, out), 0u) << describe(*plan);
  return *plan;
}

static std::string refusal(std::string_view from, std::string_view to, unsigned elementBits,
                           const ConversionTarget &target = {}) {
  std::string reason;
  EXPECT_FALSE(planConversion(parsed(from), parsed(to), elementBits, target, &reason));
  return reason;
}

TEST(Conversion, OfAnAccumulatorToTheNextProductsOperandIsNothing) {
  LinearMap d = mmaLayouts(*findMma("mma", "bf16"), 64, 16, 16, 4, 1)->d;
  LinearMap a = mmaLayouts(*findMma("mma", "bf16"), 64, 8, 16, 4, 1)->a;
  EXPECT_EQ(planned(d, a, 16).kind, Kind::Nothing);
}

TEST(Conversion, RenamesWholeWordsForFree) {
  ConversionPlan plan = planned(parsed("c1 r8 | c2 c4 r1 r2 r4"), parsed("r8 c1 | c2 c4 r1 r2 r4"), 32);
  EXPECT_EQ(plan.kind, Kind::RenameRegisters);
  EXPECT_EQ(plan.cost, 0);
  // Pairs of 16-bit elements that stay together, and copies that were not there.
  EXPECT_EQ(planned(parsed("c1 r8 c8 | c2 c4 r1 r2 r4"), parsed("c1 c8 r8 0 | c2 c4 r1 r2 r4"), 16).kind,
            Kind::RenameRegisters);
}

TEST(Conversion, PermutesBytesInsideALane) {
  ConversionPlan plan = planned(parsed("c1 r8 | c2 c4 r1 r2 r4"), parsed("r8 c1 | c2 c4 r1 r2 r4"), 16);
  EXPECT_EQ(plan.kind, Kind::PermuteBytes);
  EXPECT_EQ(describe(plan), "2 + 0 byte permutes");
}

TEST(Conversion, MovesInt8ProbabilitiesToTheirOperandByShuffles) {
  LinearMap d = mmaLayouts(*findMma("mma", "s8"), 16, 32, 32, 1, 1)->d;
  LinearMap a = mmaLayouts(*findMma("mma", "s8"), 16, 8, 32, 1, 1)->a;
  ConversionPlan plan = planned(d, a, 8);
  EXPECT_EQ(plan.kind, Kind::Shuffle);
  EXPECT_LE(plan.shuffle->shuffles(), plan.shuffle->rounds.size());
  EXPECT_LE(plan.cost, 40) << describe(plan);
}

TEST(Conversion, SelectsWithoutShufflesWhatALaneHas) {
  // Every lane has both columns; afterwards lane bit 0 says which one it keeps.
  ConversionPlan plan = planned(parsed("c1 | 0 r1 r2 r4 r8"), parsed("| c1 r1 r2 r4 r8"), 32);
  EXPECT_EQ(plan.kind, Kind::Shuffle);
  EXPECT_EQ(plan.shuffle->shuffles(), 0u) << describe(plan);
}

TEST(Conversion, TransposesThroughMatricesOrShuffles) {
  LinearMap from = parsed("c1 c2 c4 | c8 c16 r1 r2 r4 | r8 r16"), to = parsed("r1 r2 r4 | r8 r16 c1 c2 c4 | c8 c16");
  ConversionPlan plan = planned(from, to, 16);
  ASSERT_EQ(plan.kind, Kind::Shared);
  EXPECT_FALSE(plan.shared->perWarp);
  EXPECT_EQ(plan.shared->bytes, 2048u);
  EXPECT_EQ(plan.shared->store.wavefronts, plan.shared->store.minimum) << describe(plan);
  EXPECT_EQ(plan.shared->load.wavefronts, plan.shared->load.minimum) << describe(plan);
  ConversionTarget noScratch;
  noScratch.scratchBytes = 0;
  EXPECT_EQ(refusal(from.str(), to.str(), 16, noScratch),
            "no conversion from \"" + from.str() + "\" to \"" + to.str() +
                "\": a conversion through shared memory needs 2048 bytes of it, allowed are 0");
}

TEST(Conversion, TransposesInsideAWarpAsItsHeaderSays) {
  LinearMap from = parsed("c1 c2 c4 | r1 r2 r4 r8 r16"), to = parsed("r1 r2 r4 | c1 c2 c4 r8 r16");
  ConversionTarget noScratch, noShuffles;
  noScratch.scratchBytes = 0;
  noShuffles.shuffles = false;
  EXPECT_EQ(planned(from, to, 16, noScratch).shuffle->rounds.size(), 8u); // one element a word
  ConversionPlan shared = planned(from, to, 16, noShuffles);
  EXPECT_TRUE(shared.shared->perWarp);
  EXPECT_EQ(shared.shared->bytes, 512u);
  EXPECT_EQ(shared.shared->store.wavefronts + shared.shared->load.wavefronts, 8u) << describe(shared);
}

TEST(Conversion, StoresAccumulatorsByMatricesAndLoadsRowsByVectors) {
  LinearMap d = mmaLayouts(*findMma("wgmma", "bf16"), 64, 64, 16, 1, 1)->d;
  LinearMap rows = parsed("c1 c2 c4 r16 r32 | c8 c16 c32 r1 r2 | r4 r8");
  ConversionPlan plan = planned(d, rows, 16);
  ASSERT_EQ(plan.kind, Kind::Shared);
  EXPECT_EQ(plan.shared->store.kind, SharedAccess::Kind::Matrix) << describe(plan);
  EXPECT_EQ(plan.shared->load.bytes, 16u) << describe(plan);
  EXPECT_EQ(plan.shared->store.wavefronts + plan.shared->load.wavefronts, 32u) << describe(plan);
  ConversionTarget older;
  older.shared = {false, false};
  EXPECT_EQ(planned(d, rows, 16, older).shared->store.kind, SharedAccess::Kind::Vector);
}

TEST(Conversion, GoesInSlicesWhereSharedMemoryIsShort) {
  LinearMap d = mmaLayouts(*findMma("wgmma", "bf16"), 128, 128, 16, 2, 1)->d;
  LinearMap rows = parsed("c1 c2 c64 r16 r32 r64 | c4 c8 c16 c32 r1 | r2 r4 r8");
  ConversionTarget target;
  target.scratchBytes = 16384;
  ConversionPlan plan = planned(d, rows, 32, target);
  ASSERT_EQ(plan.kind, Kind::Shared);
  EXPECT_EQ(plan.shared->bytes, 16384u);
  EXPECT_EQ(plan.shared->slices, 4u);
}

TEST(Conversion, UsesMemoryOfAWarpWhereWarpsKeepTheirData) {
  ConversionTarget target;
  target.shuffles = false;
  ConversionPlan plan =
      planned(parsed("c1 | r1 r2 r4 r8 r16 | r32 r64 | c2"), parsed("r1 | c1 r2 r4 r8 r16 | r32 r64 | c2"), 32, target);
  ASSERT_EQ(plan.kind, Kind::Shared);
  EXPECT_TRUE(plan.shared->perWarp);
  EXPECT_EQ(plan.shared->bytes, 256u);
}

TEST(Conversion, NamesWhatItCannotDo) {
  EXPECT_NE(refusal("| c1 c2 c4 c8 c16 | | r1", "| c1 c2 c4 c8 r1 | | c16", 32).find("no warp of the same block holds"),
            std::string::npos);
  EXPECT_NE(refusal("| c1 c2 c4 c8", "| c1 c2 c4 c8", 32).find("5 lane bits; write 0"), std::string::npos);
  EXPECT_NE(refusal("| c1 c2 c4 c8 c16 | r1", "r1 | c1 c2 c4 c8 c16", 32).find("equally many warp and block bits"),
            std::string::npos);
  EXPECT_NE(refusal("| c1 c2 c4 c8 c16", "| c1 c2 c4 c8 c16", 6).find("found 6"), std::string::npos);
  EXPECT_NE(refusal("c1 c2 | c4 c8 c16 r1 r2", "c2 c1 | c4 c8 c16 r1 r2", 4).find("unpack to bytes first"),
            std::string::npos);
  EXPECT_NE(refusal("| c1 c2 c4 c8 c16", "c32 | c1 c2 c4 c8 c16", 32).find("holds"), std::string::npos);
}

TEST(PlanExecutor, ReportsWhatHardwareWouldRefuse) {
  ConversionTarget target;
  target.shuffles = false;
  ConversionPlan plan = *planConversion(parsed("c1 | r1 r2 r4 r8 r16"), parsed("r1 | c1 r2 r4 r8 r16"), 32, target);
  RegisterFile in = filled(parsed("c1 | r1 r2 r4 r8 r16"), 32);
  ConversionPlan outside = plan, crooked = plan;
  outside.shared->load.ofInstruction[0] ^= 4096;
  crooked.shared->store.ofLane[0] ^= 1;
  for (const ConversionPlan *wrong : {&outside, &crooked}) {
    ExecutionCounts counts;
    applyPlan(*wrong, in, counts);
    EXPECT_NE(counts.fault.find("address "), std::string::npos);
  }
  target = {};
  target.scratchBytes = 0;
  plan = *planConversion(parsed("c1 | r1 r2 r4 r8 r16"), parsed("r1 | c1 r2 r4 r8 r16"), 32, target);
  plan.shuffle->rounds[0].lane ^= 32;
  ExecutionCounts counts;
  applyPlan(plan, in, counts);
  EXPECT_NE(counts.fault.find("a lane reads lane"), std::string::npos);
}
