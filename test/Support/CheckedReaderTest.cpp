#include "adze/Support/CheckedReader.h"

#include <gtest/gtest.h>
#include <vector>

using namespace adze;

static const std::vector<uint8_t> sample = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
                                            0x08, 0x00, 0x00, 0x80, 0x3f, 'h',  'i'};

TEST(CheckedReader, ReadsLittleEndianNumbersInOrder) {
  CheckedReader reader(sample, "x.bin");
  EXPECT_EQ(*reader.u16(), 0x0201);
  EXPECT_EQ(*reader.u8(), 0x03);
  EXPECT_EQ(*reader.i8(), 0x04);
  EXPECT_EQ(*reader.u32(), 0x08070605u);
  EXPECT_EQ(*reader.f32(), 1.0f);
  EXPECT_EQ(*reader.string(2), "hi");
  EXPECT_TRUE(reader.atEnd());
}

TEST(CheckedReader, NamesFileOffsetAndWhatWasReadAtTheEnd) {
  CheckedReader reader(sample, "x.bin");
  ASSERT_TRUE(reader.seek(10).ok());
  Expected<uint64_t> value = reader.u64("the tensor count");
  ASSERT_FALSE(value);
  EXPECT_EQ(value.status().code(), ErrorCode::InvalidInput);
  EXPECT_EQ(value.status().message(),
            "'x.bin': the tensor count at offset 10 needs 8 bytes, but only 4 are left of 14; the "
            "file is damaged or cut off");
  EXPECT_EQ(reader.offset(), 10u);
}

TEST(CheckedReader, LeavesTheCursorInPlaceWhenAReadFails) {
  CheckedReader reader(sample, "x.bin");
  ASSERT_TRUE(reader.skip(13).ok());
  EXPECT_FALSE(reader.u32());
  EXPECT_FALSE(reader.bytes(2));
  EXPECT_FALSE(reader.skip(2).ok());
  EXPECT_EQ(*reader.u8(), 'i');
}

TEST(CheckedReader, RefusesSizesThatWouldWrap) {
  CheckedReader reader(sample, "x.bin");
  ASSERT_TRUE(reader.skip(4).ok());
  for (uint64_t hostile : {UINT64_MAX, UINT64_MAX - 3, uint64_t(1) << 63, uint64_t(1) << 60, uint64_t(11)}) {
    EXPECT_FALSE(reader.bytes(hostile)) << hostile;
    EXPECT_FALSE(reader.string(hostile)) << hostile;
    EXPECT_FALSE(reader.skip(hostile).ok()) << hostile;
    EXPECT_FALSE(reader.array(hostile, 1)) << hostile;
    EXPECT_FALSE(reader.array(1, hostile)) << hostile;
    EXPECT_FALSE(reader.range(4, hostile)) << hostile;
  }
  for (uint64_t hostile : {UINT64_MAX, uint64_t(1) << 63, uint64_t(15)}) {
    EXPECT_FALSE(reader.seek(hostile).ok()) << hostile;
    EXPECT_FALSE(reader.range(hostile, 1)) << hostile;
    EXPECT_FALSE(reader.range(hostile, UINT64_MAX)) << hostile;
  }
  EXPECT_EQ(reader.offset(), 4u);
}

TEST(CheckedReader, RefusesAnArrayWhoseProductWraps) {
  CheckedReader reader(sample, "x.bin");
  // 2^62 elements of 4 bytes are 2^64 bytes: 0 after wrapping.
  Expected<std::span<const uint8_t>> data = reader.array(uint64_t(1) << 62, 4, "the array");
  ASSERT_FALSE(data);
  EXPECT_NE(data.status().message().find("does not fit 64 bits"), std::string::npos);
}

TEST(CheckedReader, TakesEmptyReadsAtTheVeryEnd) {
  CheckedReader reader(sample, "x.bin");
  ASSERT_TRUE(reader.seek(sample.size()).ok());
  EXPECT_TRUE(reader.bytes(0));
  EXPECT_TRUE(reader.array(0, UINT64_MAX));
  EXPECT_TRUE(reader.range(sample.size(), 0));
  EXPECT_FALSE(reader.u8());
}

TEST(CheckedReader, AlignsToUnitsAndRefusesZero) {
  CheckedReader reader(sample, "x.bin");
  ASSERT_TRUE(reader.skip(3).ok());
  ASSERT_TRUE(reader.align(4).ok());
  EXPECT_EQ(reader.offset(), 4u);
  ASSERT_TRUE(reader.align(4).ok());
  EXPECT_EQ(reader.offset(), 4u);
  EXPECT_FALSE(reader.align(0).ok());
  EXPECT_FALSE(reader.align(uint64_t(1) << 63).ok());
  EXPECT_EQ(reader.offset(), 4u);
}

TEST(CheckedReader, AnEmptyFileHasNothing) {
  CheckedReader reader({}, "empty.bin");
  EXPECT_TRUE(reader.atEnd());
  EXPECT_FALSE(reader.u8());
  EXPECT_TRUE(reader.bytes(0));
}

TEST(CheckedArithmetic, ReportsWhatDoesNotFit) {
  EXPECT_EQ(checkedMul<uint64_t>(uint64_t(1) << 32, (uint64_t(1) << 32) - 1), ((uint64_t(1) << 32) - 1) << 32);
  EXPECT_EQ(checkedMul<uint64_t>(uint64_t(1) << 32, uint64_t(1) << 32), std::nullopt);
  EXPECT_EQ(checkedAdd<uint64_t>(UINT64_MAX, 1), std::nullopt);
  EXPECT_EQ(checkedAlignUp(UINT64_MAX, 32), std::nullopt);
  EXPECT_EQ(checkedAlignUp(33, 32), 64u);
  EXPECT_EQ(checkedAlignUp(64, 32), 64u);
  EXPECT_TRUE(rangeFits(8, 0, 8));
  EXPECT_FALSE(rangeFits(9, 0, 8));
  EXPECT_FALSE(rangeFits(4, UINT64_MAX, 8));
}
