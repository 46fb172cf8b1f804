#include "LayoutData.h"

using namespace adze;

/// A random bijection onto a box: unit vectors in random order, then random row operations.
static LinearMap randomBijection(std::mt19937 &random) {
  std::vector<Coord> bases;
  for (unsigned d = 0; d < 3; ++d)
    for (int64_t step = 1, end = int64_t(1) << (random() % 5); step < end; step *= 2) {
      Coord basis{};
      basis[d] = step;
      bases.push_back(basis);
    }
  for (size_t i = bases.size(); i > 1; --i)
    std::swap(bases[i - 1], bases[random() % i]);
  for (unsigned n = 0; bases.size() > 1 && n < 4; ++n) {
    size_t i = random() % bases.size(), j = random() % bases.size();
    if (i != j)
      for (unsigned d = 0; d < kMaxDims; ++d)
        bases[i][d] ^= bases[j][d];
  }
  LinearMap map;
  for (const Coord &basis : bases)
    (random() % 3 == 0 ? map.lane : random() % 3 == 0 ? map.warp : map.reg).push_back(basis);
  return map;
}

TEST(LinearMap, AppliesTheExamplesOfItsHeader) {
  EXPECT_EQ(parsed("c4 c1 c2 r1 r2 r4 c8 c16").apply(5), (Coord{0, 6, 0, 0}));
  EXPECT_EQ(parsed("r4 | c1 c2 r1 r2").apply(1 + 2 * 5), (Coord{5, 1, 0, 0}));
  EXPECT_EQ(parsed("c1 c2 c4 r1+c1 r2+c2").apply(8), (Coord{1, 1, 0, 0}));
  EXPECT_EQ(parsed("c1 r1 c2").invert()->str(), "r2 r1 r4");
}

TEST(LinearMap, PrintsWhatItParses) {
  for (const char *text : {"c4 c1 c2 r1", "| c1 c2 c4", "r4 | c1 c2 | r1 r2", "0 r1+c1 d2 | e1", "", "| | r1",
                           "c1 r8 | c2 c4 r1 r2 r4 | r16 r32 | r64 r128", "| | | r1", "c1 | r1 | | 0"})
    EXPECT_EQ(parsed(text).str(), text);
  EXPECT_EQ(parsed("c1 | | | ").str(), "c1");
}

TEST(LinearMap, RefusesWordsThatAreNoBasis) {
  for (const char *text : {"x1", "r", "r0", "r-1", "r1+", "r1 | | | |", "c1x", "+c1", "r99999999999999999999"}) {
    std::string error;
    EXPECT_FALSE(LinearMap::parse(text, &error)) << text;
    EXPECT_NE(error.find("layout \""), std::string::npos);
  }
  std::string error;
  EXPECT_FALSE(LinearMap::parse("r1099511627776 c1099511627776", &error));
  EXPECT_EQ(error, "layout \"r1099511627776 c1099511627776\" reaches more than 2^62 coordinates");
}

TEST(LinearMap, CountsBlocksOfAClusterAboveWarps) {
  LinearMap map = parsed("c1 | c2 | r1 | r2");
  EXPECT_EQ(map.bits(), 4u);
  EXPECT_EQ(map.apply(8), (Coord{2, 0, 0, 0}));
  EXPECT_EQ(map.find({3, 3, 0, 0}), 15);
}

TEST(LinearMap, FindsEveryCoordinateThatItMakes) {
  std::mt19937 random(1);
  for (unsigned n = 0; n < 200; ++n) {
    LinearMap map = randomBijection(random);
    for (uint64_t index = 0; index < uint64_t(1) << map.bits(); ++index)
      ASSERT_EQ(map.find(map.apply(index)), int64_t(index)) << map.str();
  }
}

TEST(LinearMap, InverseAfterMapIsTheIdentity) {
  std::mt19937 random(2);
  for (unsigned n = 0; n < 200; ++n) {
    LinearMap map = randomBijection(random);
    std::optional<LinearMap> inverse = map.invert();
    ASSERT_TRUE(inverse) << map.str();
    Coord box = map.extents();
    for (uint64_t index = 0; index < uint64_t(1) << map.bits(); ++index) {
      Coord coord = map.apply(index);
      uint64_t flat = coord[0] + box[0] * (coord[1] + box[1] * (coord[2] + box[2] * coord[3]));
      ASSERT_EQ(inverse->apply(flat), (Coord{int64_t(index), 0, 0, 0})) << map.str();
    }
    std::optional<LinearMap> identity = map.compose(*inverse);
    ASSERT_TRUE(identity);
    EXPECT_EQ(identity->extents(), box);
    for (const Coord &basis : identity->reg) // each coordinate bit comes back as itself
      EXPECT_EQ(std::ranges::count(basis, 0), kMaxDims - 1) << map.str();
  }
}

TEST(LinearMap, ComposesAsFunctionsDo) {
  std::mt19937 random(3);
  for (unsigned n = 0; n < 200; ++n) {
    LinearMap outer = randomBijection(random), inner;
    for (unsigned bit = 0; bit < 5; ++bit)
      inner.reg.push_back({int64_t(random() % (uint64_t(1) << outer.bits())), 0, 0, 0});
    std::optional<LinearMap> both = outer.compose(inner);
    ASSERT_TRUE(both);
    for (uint64_t x = 0; x < 32; ++x)
      ASSERT_EQ(both->apply(x), outer.apply(inner.apply(x)[0]));
  }
}

TEST(LinearMap, DoesNotComposeWithWhatLeavesItsBits) {
  EXPECT_FALSE(parsed("r1 r2").compose(parsed("r4")));
  EXPECT_FALSE(parsed("r1 r2").compose(parsed("c1")));
}

TEST(LinearMap, CoversAShapeOnlyWhenEachCoordinateAppears) {
  int64_t shape[] = {8, 32};
  EXPECT_TRUE(parsed("c4 c1 c2 r1 r2 r4 c8 c16").covers(shape));
  EXPECT_FALSE(parsed("c4 c1 c2 r1 r2 r4 c8").covers(shape));
  EXPECT_FALSE(parsed("c4 c1 c1 r1 r2 r4 c8 c16").covers(shape));
  EXPECT_TRUE(parsed("c4 c1 c2+r1 r1 r2 r4 c8 c16").covers(shape));
  EXPECT_FALSE(parsed("c4 c1 c2 r1 r2 r4 c8 c16 c32").covers(shape));
}

TEST(LinearMap, TilesAndTakesTilesOff) {
  LinearMap tile = parsed("c1 r8 c8 | c2 c4 r1 r2 r4"), whole = parsed("c1 r8 c8 c16 c32 | c2 c4 r1 r2 r4 | r16 r32");
  EXPECT_EQ(tile.product(parsed("c1 c2 | | r1 r2")).str(), whole.str());
  EXPECT_EQ(whole.divide(tile)->str(), "c1 c2 | | r1 r2");
  EXPECT_EQ(parsed("c1 | r1").product(parsed("r1 c1 | | c2")).str(), "c1 r2 c2 | r1 | c4");
  EXPECT_EQ(parsed("c1 r2 c2 | r1 | c4").divide(parsed("c1 | r1"))->str(), "r1 c1 | | c2");
}

TEST(LinearMap, DoesNotTakeOffWhatIsNotThere) {
  LinearMap tile = parsed("c1 r8 | c2 c4");
  EXPECT_FALSE(parsed("c1").divide(tile));
  EXPECT_FALSE(parsed("r8 c1 | c2 c4").divide(tile));       // other order
  EXPECT_FALSE(parsed("c1 r8 | c2 c4 r1").divide(tile));    // r1 lies inside the tile's box
  EXPECT_FALSE(parsed("c1 r8 c8+r1 | c2 c4").divide(tile)); // and so does a part of that
  EXPECT_EQ(parsed("c1 r8 0 | c2 c4 c8").divide(tile)->str(), "0 | c1");
}

TEST(LinearMap, ReshapesRowMajor) {
  int64_t matrix[] = {2, 8}, flat[] = {16}, cube[] = {2, 2, 4};
  EXPECT_EQ(parsed("c1 r1 | c4 c2").reshaped(matrix, flat)->str(), "r1 r8 | r4 r2");
  EXPECT_EQ(parsed("c1 r1 | c4 c2").reshaped(matrix, cube)->str(), "d1 r1 | c1 d2");
  int64_t three[] = {3, 4}, small[] = {2, 4}, five[] = {1, 1, 1, 1, 16};
  EXPECT_FALSE(parsed("c1").reshaped(three, flat));
  EXPECT_FALSE(parsed("c1").reshaped(small, flat));
  EXPECT_FALSE(parsed("c1").reshaped(matrix, five));
  EXPECT_FALSE(parsed("c8").reshaped(matrix, flat)); // outside
}

TEST(LinearMap, DropForgetsADimensionAndTransposeSwapsTwo) {
  EXPECT_EQ(parsed("c1 r8 | c2 r1").drop(1).str(), "0 r8 | 0 r1");
  EXPECT_EQ(parsed("c1 d8 | c2 r1").drop(0).str(), "r1 c8 | r2 0");
  EXPECT_EQ(parsed("c1 r8 | c2 r1").transposed().str(), "r1 c8 | r2 c1");
}
