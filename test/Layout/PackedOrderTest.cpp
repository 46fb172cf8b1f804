#include "adze/Layout/PackedOrder.h"

#include <gtest/gtest.h>

#include <random>

using namespace adze;

static PackedOrder made(std::vector<int64_t> block, std::string_view order) {
  std::string error;
  std::optional<PackedOrder> packed = PackedOrder::make(block, order, &error);
  EXPECT_TRUE(packed) << error;
  return *packed;
}

TEST(PackedOrder, FindsTheAddressOfItsHeadersExample) {
  int64_t extents[] = {16, 64};
  EXPECT_EQ(made({8, 32}, "c4 c1 c2 r1 r2 r4 c8 c16").address(extents, {11, 37, 0, 0}), 795);
}

TEST(PackedOrder, PutsEveryElementAtItsAddressAndZerosBeyondTheEdge) {
  std::mt19937 random(7);
  for (const char *order : {"c4 c1 c2 r1 r2 r4 c8 c16", "r1 r2 r4 c1 c2 c4 c8 c16", "c1 c2 r1 r2 r4 c4 c8 c16"})
    for (auto [n, k] : {std::pair<int64_t, int64_t>{8, 32}, {13, 70}, {1, 1}, {24, 96}}) {
      PackedOrder packed = made({8, 32}, order);
      int64_t extents[] = {n, k};
      std::vector<uint16_t> source(n * k), out(packed.elements(extents), 0xFFFF), expected(out.size(), 0);
      for (uint16_t &x : source)
        x = uint16_t(random() | 1);
      int64_t rowOfBlocks = packed.blocks(1, k) * packed.blockElements();
      for (int64_t row = 0; row < n; row += 8)
        packed.packRows(&source[row * k], std::min<int64_t>(8, n - row), k, 16, &out[row / 8 * rowOfBlocks]);
      for (int64_t r = 0; r < n; ++r)
        for (int64_t c = 0; c < k; ++c)
          expected[packed.address(extents, {r, c, 0, 0})] = source[r * k + c];
      EXPECT_EQ(out, expected) << order << " " << n << "x" << k;
    }
}

TEST(PackedOrder, PacksTwoFourBitElementsInAByteEvenAddressLow) {
  PackedOrder packed = made({8, 32}, "c4 c1 c2 r1 r2 r4 c8 c16");
  std::vector<uint8_t> source(8 * 32), out(128);
  for (size_t i = 0; i < source.size(); ++i)
    source[i] = i % 13;
  packed.packRows(source.data(), 8, 32, 4, out.data());
  int64_t extents[] = {8, 32};
  EXPECT_EQ(packed.bytes(extents, 4), 128);
  for (int64_t r = 0; r < 8; ++r)
    for (int64_t c = 0; c < 32; ++c) {
      int64_t address = packed.address(extents, {r, c, 0, 0});
      EXPECT_EQ(out[address / 2] >> (address % 2 * 4) & 15, source[r * 32 + c]);
    }
}

TEST(PackedOrder, RefusesOrdersThatDoNotFillTheirBlock) {
  std::string error;
  EXPECT_FALSE(PackedOrder::make(std::vector<int64_t>{8, 32}, "r1 r2 r4 c1", &error));
  EXPECT_NE(error.find("exactly once"), std::string::npos);
  EXPECT_FALSE(PackedOrder::make(std::vector<int64_t>{8}, "r1 | r2 r4", &error));
  EXPECT_FALSE(PackedOrder::make(std::vector<int64_t>{}, "r1", &error));
  EXPECT_FALSE(PackedOrder::make(std::vector<int64_t>{2}, "r1 0", &error));
}
