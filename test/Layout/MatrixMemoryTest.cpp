// Orders in shared memory that the copy engine makes and wgmma reads, against the manual's address formulas.
#include "ManualOrders.h"

#include "adze/Layout/SharedSwizzle.h"

using namespace adze;

TEST(TmaTile, ReadsBoxAndSwizzleFromTheOrder) {
  for (unsigned swizzle : kSwizzles)
    for (unsigned elementBits : {8u, 16u, 32u})
      for (int64_t panels : {1, 4}) {
        int64_t width = (swizzle ? swizzle : 64) * 8 / elementBits;
        LinearMap storage = *sharedStorage(64, width * (swizzle ? panels : 1), elementBits, swizzle);
        std::string reason;
        std::optional<TmaTile> tile = tmaTileOf(storage, elementBits, &reason);
        ASSERT_TRUE(tile) << reason;
        EXPECT_EQ(tile->swizzle, swizzle);
        EXPECT_EQ(tile->box, (std::vector<TmaDimension>{{1, uint32_t(width)}, {0, 64}}));
        EXPECT_EQ(tile->boxBytes, 64 * width * elementBits / 8);
        uint64_t strides[] = {4096};
        EXPECT_TRUE(tmaBoxIsLegal(*tile, elementBits, strides, &reason)) << reason;
        // Boxes follow each other, each at the columns that it says.
        for (int64_t box = 0; swizzle && box < panels; ++box)
          EXPECT_EQ(tile->origins.apply(box), (Coord{0, box * width, 0, 0}));
      }
}

TEST(TmaTile, NumbersTheBoxesOfLongTiles) {
  TmaTile rows = *tmaTileOf(*sharedStorage(1024, 64, 16, 128), 16);
  EXPECT_EQ(rows.box, (std::vector<TmaDimension>{{1, 64}, {0, 256}}));
  EXPECT_EQ(rows.origins.str(), "r256 r512");
  TmaTile pages = *tmaTileOf(parsed("d1 d2 d4 d8 d16 d32 c1+d8 c2+d16 c4+d32 r1 r2"), 16);
  EXPECT_EQ(pages.box, (std::vector<TmaDimension>{{2, 64}, {1, 8}, {0, 4}}));
}

TEST(TmaTile, RefusesOrdersThatNoCopyMakes) {
  std::string reason;
  EXPECT_FALSE(tmaTileOf(parsed("c1 c2 c4 c8 c16 c32 r1+c4 r2 r4"), 16, &reason));
  EXPECT_NE(reason.find("no swizzle of 0, 32, 64 or 128 bytes leaves"), std::string::npos);
  EXPECT_FALSE(tmaTileOf(parsed("c2 c1 c4 r1"), 16, &reason));
  EXPECT_NE(reason.find("does not run along a dimension from its start"), std::string::npos);
  EXPECT_FALSE(tmaTileOf(parsed("c1 c2 | r1"), 16, &reason));
  EXPECT_FALSE(tmaTileOf(parsed("c1 c2 r1"), 4, &reason));
  // 128-byte exchange in rows of 64 bytes.
  EXPECT_FALSE(tmaTileOf(parsed("c1 c2 c4 c8 c16 r1 r2+c8 r4+c16 r8+r1"), 16, &reason));
  EXPECT_NE(reason.find("needs rows of as many bytes, found 64"), std::string::npos);
}

TEST(TmaTile, NamesTheLimitThatABoxBreaks) {
  uint64_t good[] = {4096}, crooked[] = {4100}, far[] = {uint64_t(1) << 40};
  std::string reason;
  auto illegal = [&](TmaTile tile, unsigned elementBits, std::span<const uint64_t> strides) {
    EXPECT_FALSE(tmaBoxIsLegal(tile, elementBits, strides, &reason));
    return reason;
  };
  TmaTile tile;
  tile.box = {{1, 64}, {0, 64}};
  EXPECT_TRUE(tmaBoxIsLegal(tile, 16, good));
  EXPECT_EQ(illegal(tile, 16, crooked),
            "stride 1 of the tensor is 4100 bytes; multiples of 16 below 2^40 are accepted");
  EXPECT_NE(illegal(tile, 16, far).find("below 2^40"), std::string::npos);
  EXPECT_EQ(illegal(tile, 16, {}), "a box of 2 dimensions has 1 strides, found 0");
  tile.swizzle = 64;
  EXPECT_EQ(illegal(tile, 16, good), "a row of the box has 128 bytes; a swizzle of 64 takes at most as many");
  tile.swizzle = 0;
  tile.box[1].extent = 512;
  EXPECT_EQ(illegal(tile, 16, good), "box dimension 1 has 512 elements; 1 to 256 are accepted");
  tile.box[0].extent = 4;
  tile.box[1].extent = 64;
  EXPECT_EQ(illegal(tile, 16, good), "a row of the box has 8 bytes; multiples of 16 are accepted");
  tile.box.clear();
  EXPECT_EQ(illegal(tile, 16, {}), "a box has 1 to 5 dimensions, found 0");
}

TEST(WgmmaDescriptor, ReadsDistancesOfEveryOrderOfTheManual) {
  for (unsigned elementBits : {8u, 16u, 32u})
    for (unsigned swizzle : {32u, 64u, 128u})
      for (int64_t panels : {1, 2})
        for (bool mnMajor : {false, true})
          for (int64_t rows : {8, 64}) {
            int64_t width = swizzle * 8 / elementBits * panels;
            LinearMap storage = *sharedStorage(128, width, elementBits, swizzle);
            if (mnMajor)
              storage = storage.transposed();
            if (mnMajor && (elementBits != 16 || width < rows))
              continue;
            std::string reason;
            std::optional<WgmmaDescriptor> found = wgmmaDescriptor(storage, rows, elementBits, &reason);
            ASSERT_TRUE(found) << reason;
            EXPECT_EQ(found->swizzle, swizzle);
            EXPECT_EQ(found->mnMajor, mnMajor);
            EXPECT_EQ(wrongReads(storage, *found, rows, elementBits), 0u) << storage.str();
          }
}

TEST(WgmmaDescriptor, ReadsCoreMatricesWithoutSwizzle) {
  // 8 rows of 16 bytes together; then k, then rows; or rows, then k; or with rows contiguous.
  for (const char *order : {"c1 c2 c4 r1 r2 r4 c8 c16 r8 r16 r32", "c1 c2 c4 r1 r2 r4 r8 r16 r32 c8 c16",
                            "r1 r2 r4 c1 c2 c4 r8 r16 r32 c8 c16", "r1 r2 r4 c1 c2 c4 c8 c16 r8 r16 r32"}) {
    std::string reason;
    std::optional<WgmmaDescriptor> found = wgmmaDescriptor(parsed(order), 64, 16, &reason);
    ASSERT_TRUE(found) << reason;
    EXPECT_EQ(found->swizzle, 0u);
    EXPECT_EQ(found->mnMajor, order[0] == 'r');
    EXPECT_EQ(wrongReads(parsed(order), *found, 64, 16), 0u) << order;
  }
}

TEST(WgmmaDescriptor, EncodesTheFieldsOfItsHeader) {
  WgmmaDescriptor d = *wgmmaDescriptor(parsed("c1 c2 c4 c8 c16 c32 r1+c8 r2+c16 r4+c32 r8 r16 r32"), 64, 16);
  EXPECT_EQ(d.strideBytes, 1024u);
  EXPECT_EQ(d.kAdvance, (std::vector<uint32_t>{32, 64}));
  // 128-byte swizzle is mode 1; distances and address in units of 16 bytes.
  EXPECT_EQ(d.encode(0x8400), uint64_t(1) << 62 | uint64_t(64) << 32 | uint64_t(1) << 16 | 0x840);
  EXPECT_EQ(wgmmaDescriptor(*sharedStorage(64, 32, 16, 64), 64, 16)->encode(0) >> 62, 2u);
  EXPECT_EQ(wgmmaDescriptor(*sharedStorage(64, 16, 16, 32), 64, 16)->encode(0) >> 62, 3u);
}

TEST(WgmmaDescriptor, NamesTheFirstBitThatDiffers) {
  std::string reason;
  EXPECT_FALSE(wgmmaDescriptor(*sharedStorage(64, 64, 16, 0), 64, 16, &reason)); // rows of 128 bytes, not exchanged
  EXPECT_NE(reason.find("row 1 lies"), std::string::npos) << reason;
  EXPECT_FALSE(wgmmaDescriptor(sharedStorage(64, 128, 8, 128)->transposed(), 64, 8, &reason)); // bytes are K-major only
  EXPECT_NE(reason.find("K-major"), std::string::npos) << reason;
  EXPECT_FALSE(wgmmaDescriptor(*sharedStorage(32, 64, 16, 128), 64, 16, &reason));
  EXPECT_NE(reason.find("the tile has 32 x 64"), std::string::npos);
  EXPECT_FALSE(wgmmaDescriptor(parsed("c1 c2 | r1"), 64, 16, &reason));
  EXPECT_FALSE(wgmmaDescriptor(*sharedStorage(64, 64, 64, 128), 64, 64, &reason));
  EXPECT_NE(reason.find("found 64"), std::string::npos);
}
