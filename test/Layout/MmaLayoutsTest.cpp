// The table of fragments against the index formulas of the PTX manual (9.7.14.5, 9.7.15.5), written here once more from
// its text: i is the number of an element in a lane's registers, g = lane / 4, t = lane % 4.
#include "LayoutData.h"

#include "adze/Layout/MmaLayouts.h"

using namespace adze;

namespace {
struct Position {
  int64_t row, column;
};

Position manualA(unsigned elementBits, int64_t i, int64_t g, int64_t t) {
  switch (elementBits) {
  case 16:
    return {i < 2 || (i >= 4 && i < 6) ? g : g + 8, i < 4 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8};
  case 8:
    return {i < 4 || (i >= 8 && i < 12) ? g : g + 8, i < 8 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16};
  default:
    return {i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
  }
}
/// Of the manual's B [k, n]: row is k, column is n.
Position manualB(unsigned elementBits, int64_t i, int64_t g, int64_t t) {
  switch (elementBits) {
  case 16:
    return {i < 2 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8, g};
  case 8:
    return {i < 4 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16, g};
  default:
    return {i == 0 ? t : t + 4, g};
  }
}
/// mma has four elements; wgmma goes on, eight columns for each four.
Position manualD(int64_t i, int64_t g, int64_t t) { return {i % 4 < 2 ? g : g + 8, i / 4 * 8 + t * 2 + (i & 1)}; }

struct Tile {
  int64_t repeatM, repeatN, repeatK, groupsM, groupsN;
};
} // namespace

TEST(MmaLayouts, AreTheFragmentsOfTheManualTiledOverGroupsOfWarps) {
  for (const MmaInstruction &row : mmaInstructions())
    for (Tile tile : {Tile{1, 1, 1, 1, 1}, {2, 4, 2, 2, 1}, {1, 2, 4, 1, 2}, {4, 1, 1, 2, 2}}) {
      bool wide = row.groupWarps == 4;
      std::string error;
      std::optional<MmaLayouts> layouts =
          mmaLayouts(row, tile.groupsM * tile.repeatM * row.m, tile.groupsN * tile.repeatN * row.n,
                     tile.repeatK * row.k, tile.groupsM, tile.groupsN, &error);
      ASSERT_TRUE(layouts) << error;
      ASSERT_EQ(layouts->b.has_value(), !wide);
      int64_t elementsA = row.m * row.k / (32 * row.groupWarps);
      auto check = [&](const LinearMap &map, char which) {
        ASSERT_EQ(threadsOf(map), 32 * row.groupWarps * tile.groupsM * tile.groupsN);
        forEachElement(map, [&](unsigned thread, unsigned reg, const Coord &coord) {
          int64_t lane = thread % 32, warp = thread / 32, inGroup = warp % row.groupWarps,
                  group = warp / row.groupWarps;
          int64_t groupM = group % tile.groupsM, groupN = group / tile.groupsM;
          int64_t count = which == 'a' ? elementsA : which == 'b' ? row.n * row.k / 32 : 4;
          int64_t element = reg % count, repeat = reg / count, inner = which == 'd' ? tile.repeatN : tile.repeatK;
          int64_t along = repeat % inner, across = repeat / inner;
          Coord expected{};
          if (which == 'a') {
            Position at = manualA(row.elementBits, element, lane / 4, lane % 4);
            expected = {(groupM * tile.repeatM + across) * row.m + inGroup * 16 + at.row, along * row.k + at.column};
          } else if (which == 'b') {
            Position at = manualB(row.elementBits, element, lane / 4, lane % 4);
            expected = {(groupN * tile.repeatN + across) * row.n + at.column, along * row.k + at.row};
          } else {
            Position at = manualD(element + 4 * along, lane / 4, lane % 4);
            expected = {(groupM * tile.repeatM + across) * row.m + inGroup * 16 + at.row,
                        groupN * tile.repeatN * row.n + at.column};
          }
          ASSERT_EQ(coord, expected) << row.name << " x" << row.elementBits << " " << which << " " << map.str();
        });
      };
      check(layouts->a, 'a');
      check(layouts->d, 'd');
      if (layouts->b)
        check(*layouts->b, 'b');
    }
}

TEST(MmaLayouts, GivesTheExamplesOfItsHeader) {
  std::optional<MmaLayouts> small = mmaLayouts(*findMma("mma", "bf16"), 64, 32, 16, 2, 2);
  ASSERT_TRUE(small);
  EXPECT_EQ(small->a.str(), "c1 r8 c8 r16 | c2 c4 r1 r2 r4 | r32 0");
  EXPECT_EQ(small->b->str(), "c1 c8 r8 | c2 c4 r1 r2 r4 | 0 r16");
  EXPECT_EQ(small->d.str(), "c1 r8 c8 r16 | c2 c4 r1 r2 r4 | r32 c16");
  std::optional<MmaLayouts> wide = mmaLayouts(*findMma("wgmma", "u8"), 128, 16, 128, 2, 1);
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->a.str(), "c1 c2 r8 c16 c32 c64 | c4 c8 r1 r2 r4 | r16 r32 r64");
  EXPECT_EQ(wide->d.str(), "c1 r8 c8 | c2 c4 r1 r2 r4 | r16 r32 r64");
}

TEST(MmaLayouts, FindsRowsByElementAndKnowsTheirWidths) {
  EXPECT_EQ(findMma("mma", "f16")->name, "mma.m16n8k16");
  EXPECT_EQ(findMma("wgmma", "s8")->name, "wgmma.m64k32");
  EXPECT_EQ(findMma("wgmma", "tf32")->k, 8);
  EXPECT_EQ(findMma("mma", "f64"), nullptr);
  EXPECT_EQ(findMma("mma", "s"), nullptr); // not a part of a word
  EXPECT_EQ(mmaWidths(*findMma("mma", "f16")), (std::vector<int64_t>{8}));
  EXPECT_EQ(mmaWidths(*findMma("wgmma", "bf16")).size(), 32u);
  std::vector<int64_t> bytes = mmaWidths(*findMma("wgmma", "s8"));
  EXPECT_TRUE(std::ranges::count(bytes, 24) && std::ranges::count(bytes, 48));
  EXPECT_FALSE(std::ranges::count(bytes, 40));
}

TEST(MmaLayouts, RefusesTilesThatInstructionsDoNotFill) {
  std::string error;
  EXPECT_FALSE(mmaLayouts(*findMma("mma", "f16"), 48, 8, 16, 1, 1, &error));
  EXPECT_EQ(error,
            "mma.m16n8k16 over 1 groups of warps along m needs an extent of 16 x 1 x a power of two, groups a power "
            "of two as well; found 48");
  EXPECT_FALSE(mmaLayouts(*findMma("mma", "f16"), 16, 8, 8, 1, 1, &error));
  EXPECT_FALSE(mmaLayouts(*findMma("wgmma", "f16"), 64, 8, 16, 2, 1, &error));
  EXPECT_FALSE(mmaLayouts(*findMma("mma", "f16"), 48, 8, 16, 3, 1, &error));
}

TEST(MmaLayouts, RecogniseTheirOwnTiles) {
  for (const MmaInstruction &row : mmaInstructions()) {
    MmaLayouts layouts = *mmaLayouts(row, 4 * row.m, 4 * row.n, 2 * row.k, 2, 1);
    EXPECT_EQ(mmaTiling(row, MmaRole::A, layouts.a)->str(), "c1 r1 | | r2") << row.name;
    EXPECT_EQ(mmaTiling(row, MmaRole::D, layouts.d)->str(), "c1 c2 r1 | | r2") << row.name;
    if (layouts.b)
      EXPECT_EQ(mmaTiling(row, MmaRole::B, *layouts.b)->str(), "c1 r1 r2 | | 0") << row.name;
  }
}

TEST(MmaLayouts, SayWhyALayoutIsNoOperand) {
  const MmaInstruction &row = *findMma("mma", "f16");
  std::string reason;
  EXPECT_FALSE(mmaTiling(row, MmaRole::A, parsed("c1 c2 r8 | c4 c8 r1 r2 r4"), &reason));
  EXPECT_EQ(reason,
            "a of mma.m16n8k16 (16-bit elements) begins with \"c1 r8 c8 | c2 c4 r1 r2 r4\"; found \"c1 c2 r8 | c4 "
            "c8 r1 r2 r4\"");
  EXPECT_FALSE(mmaTiling(row, MmaRole::A, parsed("c1 r8 c8 | c2 c4 r1 r2 r4 | c16"), &reason));
  EXPECT_NE(reason.find("splits k over warps"), std::string::npos);
  EXPECT_FALSE(mmaTiling(row, MmaRole::A, parsed("c1 r8 c8 | c2 c4 r1 r2 r4 r16"), &reason));
  EXPECT_NE(reason.find("has 5 lane bits; found 6"), std::string::npos);
  EXPECT_FALSE(mmaTiling(*findMma("wgmma", "f16"), MmaRole::B, parsed("c1"), &reason));
  EXPECT_NE(reason.find("lies in shared memory"), std::string::npos);
}
