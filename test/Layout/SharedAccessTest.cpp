#include "LayoutData.h"

#include "adze/Layout/GlobalAccess.h"
#include "adze/Layout/MmaLayouts.h"
#include "adze/Layout/SharedSwizzle.h"

using namespace adze;

static LinearMap shared(int64_t rows, int64_t columns, unsigned elementBits, unsigned swizzle) {
  std::string reason;
  std::optional<LinearMap> storage = sharedStorage(rows, columns, elementBits, swizzle, &reason);
  EXPECT_TRUE(storage) << reason;
  return storage.value_or(LinearMap());
}

static const LinearMap kA64 = mmaLayouts(*findMma("mma", "f16"), 64, 64, 64, 4, 1)->a;
static const LinearMap kB64 = *mmaLayouts(*findMma("mma", "f16"), 64, 64, 64, 4, 1)->b;
static const LinearMap kD64 = mmaLayouts(*findMma("mma", "f16"), 64, 64, 64, 4, 1)->d;

TEST(SharedSwizzle, GivesTheExamplesOfItsHeader) {
  EXPECT_EQ(shared(16, 64, 16, 128).str(), "c1 c2 c4 c8 c16 c32 r1+c8 r2+c16 r4+c32 r8");
  EXPECT_EQ(shared(16, 32, 16, 64).str(), "c1 c2 c4 c8 c16 r1 r2+c8 r4+c16 r8");
  EXPECT_EQ(shared(8, 128, 16, 128).str(), "c1 c2 c4 c8 c16 c32 r1+c8 r2+c16 r4+c32 c64");
  EXPECT_EQ(shared(8, 32, 8, 0).str(), "c1 c2 c4 c8 c16 r1 r2 r4");
}

TEST(SharedSwizzle, RefusesWhatNoTileCanBe) {
  std::string reason;
  EXPECT_FALSE(sharedStorage(12, 64, 16, 128, &reason));
  EXPECT_NE(reason.find("powers of two as extents"), std::string::npos);
  EXPECT_FALSE(sharedStorage(16, 64, 16, 48, &reason));
  EXPECT_EQ(reason, "a swizzle is 0, 32, 64 or 128 bytes, found 48");
  EXPECT_FALSE(sharedStorage(16, 32, 16, 128, &reason));
  EXPECT_EQ(reason, "rows of 16 x 32 elements of 16 bits are shorter than the swizzle of 128 bytes");
}

TEST(SharedAccess, LoadsOperandsByFourMatricesWithoutConflicts) {
  for (const LinearMap &operand : {kA64, kB64}) {
    SharedTransfer load = *planSharedTransfer(shared(64, 64, 16, 128), operand, 16, false);
    EXPECT_EQ(load.access.kind, SharedAccess::Kind::Matrix);
    EXPECT_EQ(load.access.bytes, 16u);
    EXPECT_EQ(load.access.wavefronts, load.access.minimum);
    EXPECT_TRUE(load.permute.isIdentity());
  }
  LinearMap bytes = mmaLayouts(*findMma("mma", "s8"), 64, 8, 128, 4, 1)->a;
  EXPECT_EQ(planSharedTransfer(shared(64, 128, 8, 128), bytes, 8, false)->access.kind, SharedAccess::Kind::Matrix);
}

TEST(SharedAccess, LoadsTheOtherOrderByTransposedMatrices) {
  LinearMap byColumns = shared(64, 64, 16, 128).transposed(); // [n, k] with n contiguous
  SharedTransfer load = *planSharedTransfer(byColumns, kB64, 16, false);
  EXPECT_EQ(load.access.kind, SharedAccess::Kind::TransposedMatrix);
  EXPECT_EQ(load.access.wavefronts, load.access.minimum);
}

TEST(SharedAccess, StoresResultsByMatricesWhereThereAreSome) {
  SharedTransfer store = *planSharedTransfer(shared(64, 64, 16, 128), kD64, 16, true);
  EXPECT_EQ(store.access.kind, SharedAccess::Kind::Matrix);
  EXPECT_EQ(store.access.wavefronts, store.access.minimum);
  SharedFacts older;
  older.storeMatrix = false;
  store = *planSharedTransfer(shared(64, 64, 16, 128), kD64, 16, true, older);
  EXPECT_EQ(store.access.kind, SharedAccess::Kind::Vector);
  EXPECT_EQ(store.access.bytes, 4u);
}

TEST(SharedAccess, CountsEightfoldConflictsOfRowsWithoutSwizzle) {
  SharedTransfer load = *planMatrixTransfer(shared(64, 64, 16, 0), kA64, 16, false, false);
  EXPECT_EQ(load.access.wavefronts, 8 * load.access.minimum);
  EXPECT_EQ(wavefrontsOf(BitVectors{4, 8, 128, 256, 512}), 8u);
  EXPECT_EQ(wavefrontsOf(BitVectors{4, 8, 144, 288, 576}), 1u);
}

TEST(SharedAccess, SaysWhichBitIsNoMatrix) {
  std::string reason;
  EXPECT_FALSE(planMatrixTransfer(shared(64, 64, 16, 128).transposed(), kB64, 16, false, false, &reason));
  EXPECT_EQ(reason, "a matrix of 8 rows of 16 bytes needs lane bit 0 to add 4 to the address; it adds 288");
  EXPECT_FALSE(planMatrixTransfer(shared(64, 64, 16, 128), kA64, 16, false, true, &reason));
  EXPECT_EQ(reason,
            "a matrix of 8 rows of 16 bytes, transposed, needs lane bit 0 to add a multiple of 16 to the address; it "
            "adds 4");
  LinearMap words = mmaLayouts(*findMma("mma", "tf32"), 64, 8, 32, 4, 1)->a;
  EXPECT_TRUE(planMatrixTransfer(shared(64, 32, 32, 128), words, 32, false, false, &reason)) << reason;
  EXPECT_FALSE(planMatrixTransfer(shared(32, 64, 32, 128).transposed(), words, 32, false, true, &reason));
  EXPECT_FALSE(planMatrixTransfer(shared(8, 64, 16, 128), parsed("c2 c1 | c4 c8 r1 r2 r4"), 16, false, false, &reason));
}

TEST(SharedAccess, NamesWhatDoesNotFit) {
  std::string reason;
  EXPECT_FALSE(planSharedTransfer(shared(16, 64, 16, 128), kA64, 16, false, {}, &reason));
  EXPECT_NE(reason.find("reach coordinates that storage"), std::string::npos);
  EXPECT_FALSE(planSharedTransfer(shared(8, 8, 16, 0), parsed("c1 c2 | c4 r1 r2 r4"), 16, false, {}, &reason));
  EXPECT_EQ(reason, "a warp has 5 lane bits; \"c1 c2 | c4 r1 r2 r4\" has 4");
  EXPECT_FALSE(planSharedTransfer(shared(8, 8, 16, 0), parsed("c1 | c2 c4 r1 r2 r4"), 12, false, {}, &reason));
  EXPECT_FALSE(planSharedTransfer(shared(8, 8, 4, 0), parsed("c2 c1 | c4 r1 r2 r4 0"), 4, false, {}, &reason));
  EXPECT_NE(reason.find("same register bit 0"), std::string::npos);
}

TEST(SharedSwizzle, IsChosenForFewestWavefronts) {
  LinearMap rows = parsed("c1 c2 c4 r16 r32 | c8 c16 c32 r1 r2 | r4 r8"); // 16 bytes a lane, 128-byte rows
  SwizzleChoice choice = *chooseSwizzle(64, 64, 16, std::vector{rows}, std::vector{kA64});
  EXPECT_EQ(choice.swizzle, 128u);
  EXPECT_EQ(choice.wavefronts, 16u + 16u); // four matrices of four instructions; 4 x 4 phases of vectors
  // Rows that are written and read whole need none.
  EXPECT_EQ(chooseSwizzle(64, 64, 16, std::vector{rows}, std::vector{rows})->swizzle, 0u);
  std::string reason;
  EXPECT_FALSE(chooseSwizzle(16, 64, 16, std::vector{rows}, {}, {}, &reason));
  EXPECT_NE(reason.find("reach coordinates"), std::string::npos);
}

TEST(GlobalAccess, GivesTheExamplesOfItsHeader) {
  GlobalAccess wide = globalAccess(parsed("c1 c2 c4 | c8 c16 r1 r2 r4"), 1, 16);
  EXPECT_EQ((std::array{wide.elements, wide.bytes, wide.lanes, wide.sectors}), (std::array{8u, 16u, 4u, 16u}));
  GlobalAccess fragment = globalAccess(parsed("c1 r8 c8 | c2 c4 r1 r2 r4"), 1, 16);
  EXPECT_EQ((std::array{fragment.elements, fragment.bytes, fragment.lanes, fragment.sectors}),
            (std::array{2u, 4u, 4u, 8u}));
  EXPECT_EQ(globalAccess(parsed("r1 r2 r4 | c1 c2 r8 r16 r32"), 0, 8).bytes, 8u);
  EXPECT_EQ(globalAccess(parsed("c1 c2 c4 | c8 c16 c32 c64 c128"), 1, 4).bytes, 4u);
}
