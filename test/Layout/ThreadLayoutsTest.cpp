// Layouts that no instruction prescribes: worked examples, and that every tile is covered whatever its shape.
#include "adze/Layout/ThreadLayouts.h"

#include <gtest/gtest.h>

using namespace adze;

namespace {
std::string spread(std::vector<int64_t> shape, unsigned bits, unsigned warpBits) {
  std::vector<unsigned> dims;
  for (unsigned d = shape.size(); d-- > 0;)
    dims.push_back(d);
  return spreadOver(plainOrder(shape, dims, true), bits, warpBits).str();
}
LinearMap map(std::string_view text) { return *LinearMap::parse(text); }
} // namespace

TEST(ThreadLayouts, GivesALaneSixteenBytesAndNeighboursToNeighbours) {
  EXPECT_EQ(spread({32, 64}, 16, 2), map("c1 c2 c4 r16 | c8 c16 c32 r1 r2 | r4 r8").str());
  EXPECT_EQ(spread({1, 1024}, 32, 2), map("c1 c2 c512 | c4 c8 c16 c32 c64 | c128 c256").str());
}

TEST(ThreadLayouts, CopiesWhatIsSmallerThanTheBlock) {
  EXPECT_EQ(spread({1, 64}, 32, 2), map("| c1 c2 c4 c8 c16 | c32 0").str());
  EXPECT_EQ(spread({1}, 32, 0), map("| 0 0 0 0 0").str());
}

TEST(ThreadLayouts, GivesWholePiecesToFewThreadsWhereThereAreNotEnough) {
  std::vector<int64_t> shape{4, 32};
  std::vector<unsigned> dims{1, 0};
  MemoryOrder order = plainOrder(shape, dims, true);
  // 128 numbers of 16 bits are 16 pieces of 16 bytes: half a warp copies, all other threads have the same.
  EXPECT_EQ(piecesOver(order, 3, 2).str(), map("c1 c2 c4 | c8 c16 r1 r2 0 | 0 0").str());
  EXPECT_EQ(spreadOver(order, 16, 2).str(), map("| c1 c2 c4 c8 c16 | r1 r2").str());
  EXPECT_EQ(piecesOver(order, 0, 0).str(), map("r1 r2 | c1 c2 c4 c8 c16").str());
  for (unsigned together : {0u, 1u, 2u, 3u, 7u})
    for (unsigned warpBits : {0u, 1u, 3u})
      EXPECT_TRUE(piecesOver(order, together, warpBits).covers(shape)) << together << " " << warpBits;
}

TEST(ThreadLayouts, KeepsEachElementApartWhereNothingIsContiguous) {
  std::vector<int64_t> shape{8, 64};
  std::vector<unsigned> dims{1, 0};
  EXPECT_EQ(accessOf(spreadOver(plainOrder(shape, dims, false), 32, 0), plainOrder(shape, dims, false), 32).elements,
            1u);
}

TEST(ThreadLayouts, ReadsAPackInItsOwnOrder) {
  // The weight's pack on GPUs: an operand's eight numbers are sixteen bytes, a warp's 512 bytes one run.
  std::vector<int64_t> block{8, 32}, shape{64, 64};
  std::vector<unsigned> dims{0, 1};
  auto pack = PackedOrder::make(block, "c1 c8 c16 c2 c4 r1 r2 r4");
  ASSERT_TRUE(pack);
  MemoryOrder order = packedOrder(shape, dims, *pack);
  EXPECT_EQ(order.run, 8u);
  LinearMap operand = map("c1 c8 c16 c32 r8 | c2 c4 r1 r2 r4 | r16 r32");
  GlobalAccess access = accessOf(operand, order, 16);
  EXPECT_EQ(access.bytes, 16u);
  EXPECT_EQ(access.lanes, 32u);
  EXPECT_EQ(sectorsOf(operand, order, 16), 64u * 64 * 2 / 32);
}

TEST(ThreadLayouts, ReadsARowOfAPackWithoutTheBlocksOtherRows) {
  std::vector<int64_t> block{8, 32}, shape{1, 64};
  std::vector<unsigned> dims{0, 1};
  MemoryOrder order = packedOrder(shape, dims, *PackedOrder::make(block, "c1 c8 c16 c2 c4 r1 r2 r4"));
  EXPECT_EQ(order.bits.size(), 6u);
  EXPECT_EQ(order.run, 5u); // up to the first row's bit
}

TEST(ThreadLayouts, CountsWhatWarpsReadTwice) {
  std::vector<int64_t> shape{16, 32};
  std::vector<unsigned> dims{1, 0};
  MemoryOrder rows = plainOrder(shape, dims, true);
  LinearMap once = spreadOver(rows, 16, 2);
  EXPECT_EQ(sectorsOf(once, rows, 16), 16u * 32 * 2 / 32);
  // The first operand of an instruction, the same for four warps along the outputs, 16 bytes of a row at a time.
  EXPECT_EQ(sectorsOf(map("c1 r8 c8 c16 | c2 c4 r1 r2 r4 | 0 0"), rows, 16), 4u * 8 * 8);
}

TEST(ThreadLayouts, GivesThreadsSquaresOfOutputs) {
  EXPECT_EQ(squaresOver(32, 32, 2).str(), map("r1 r2 c16 | c1 c2 c4 c8 r4 | r8 r16").str());
  EXPECT_EQ(squaresOver(4, 16, 0).str(), map("r1 | c1 c2 c4 c8 r2").str());
  EXPECT_EQ(squaresOver(1, 16, 1).str(), map("| c1 c2 c4 c8 0 | 0").str());
}

TEST(ThreadLayouts, CoverEveryShape) {
  for (int64_t m = 1; m <= 64; m *= 2)
    for (int64_t n = 1; n <= 256; n *= 4)
      for (unsigned warpBits = 0; warpBits <= 3; ++warpBits) {
        std::vector<int64_t> shape{m, n};
        std::vector<unsigned> dims{1, 0};
        for (const LinearMap &layout :
             {squaresOver(m, n, warpBits), spreadOver(plainOrder(shape, dims, true), 16, warpBits)}) {
          EXPECT_TRUE(layout.covers(shape)) << layout.str() << " of " << m << " x " << n;
          EXPECT_EQ(layout.lane.size(), 5u);
          EXPECT_EQ(layout.warp.size(), warpBits);
        }
      }
}

TEST(ThreadLayouts, DropsRegistersThatWouldBeCopies) {
  EXPECT_EQ(reducedLayout(map("c1 r8 c8 | c2 c4 r1 r2 r4 | c16 0"), 1).str(), map("r8 | 0 0 r1 r2 r4 | 0 0").str());
  EXPECT_EQ(reducedLayout(map("c1 r8 c8 | c2 c4 r1 r2 r4 | c16 0"), 0).str(), map("r1 r8 | r2 r4 0 0 0 | r16 0").str());
}
