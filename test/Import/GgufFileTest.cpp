// Hostile and broken GGUF files (faults B25): each is refused by the key or tensor and the rule, before any allocation.
#include "ImportTestFiles.h"

#include "adze/Import/GgufFile.h"

#include <gmock/gmock.h>

namespace adze::import {
namespace {

using test::GgufBytes;
using testing::HasSubstr;

std::string refusal(const std::string &bytes) {
  test::CheapScope cheap;
  auto file = readGguf(test::span(bytes), "m.gguf");
  return file ? "ok" : file.status().message();
}
std::string refusal(const GgufBytes &bytes) { return refusal(bytes.bytes); }

TEST(GgufFile, ReadsMetadataAndTensorsOfVersionsTwoAndThree) {
  for (uint32_t version : {2u, 3u}) {
    GgufBytes bytes(2, 3, version);
    bytes.pairU32("n", 7).text("s").integer(8, 4).text("hello");
    bytes.text("a").integer(9, 4).integer(5, 4).integer(2, 8).integer(uint32_t(-1), 4).integer(9, 4);
    bytes.tensor("w", {32, 3}, 8, 0).tensor("v", {4}, 0, 128).data(128 + 16);
    auto file = readGguf(test::span(bytes.bytes), "m.gguf");
    ASSERT_TRUE(file.ok()) << file.status().message();
    EXPECT_EQ(file->metadata.at("n").integer(), 7);
    EXPECT_EQ(file->metadata.at("s").string(), "hello");
    EXPECT_EQ(file->metadata.at("a").integers(), (std::vector<int64_t>{-1, 9}));
    ASSERT_EQ(file->tensors.size(), 2u);
    EXPECT_EQ(file->tensors[0].shape, (std::vector<int64_t>{3, 32})); // rows first
    EXPECT_EQ(file->tensors[0].encoding->name, "q8_0");
    EXPECT_EQ(file->tensors[0].bytes, 102u);
    EXPECT_EQ(file->tensors[1].offset, bytes.bytes.size() - 16);
  }
}

TEST(GgufFile, RefusesCountsThatTheFileCannotHold) {
  EXPECT_THAT(refusal(GgufBytes(uint64_t(1) << 60, 0)), HasSubstr("1152921504606846976 tensors"));
  EXPECT_THAT(refusal(GgufBytes(0, uint64_t(1) << 60)), HasSubstr("1152921504606846976 metadata pairs"));
  GgufBytes strings(0, 1);
  strings.text("tokens").integer(9, 4).integer(8, 4).integer(uint64_t(1) << 60, 8).raw(std::string(100, 'x'));
  EXPECT_THAT(refusal(strings), HasSubstr("key 'tokens' has 1152921504606846976 strings"));
  GgufBytes numbers(0, 1);
  numbers.text("types").integer(9, 4).integer(10, 4).integer(uint64_t(1) << 61, 8).raw(std::string(100, 'x'));
  EXPECT_THAT(refusal(numbers), HasSubstr("key 'types'"));
}

TEST(GgufFile, RefusesAStringLongerThanTheFile) {
  GgufBytes value(0, 1);
  value.text("name").integer(8, 4).integer(uint64_t(1) << 63, 8).raw("abc");
  EXPECT_THAT(refusal(value), HasSubstr("key 'name'"));
  GgufBytes key(0, 1);
  key.integer(uint64_t(1) << 63, 8).raw("abcdefgh");
  EXPECT_THAT(refusal(key), HasSubstr("the name of metadata key 0"));
}

TEST(GgufFile, RefusesDimensionsByNameAndLimit) {
  auto withDims = [](std::vector<uint64_t> dims, uint32_t type = 0) {
    return refusal(GgufBytes(1, 0).tensor("w", dims, type, 0).data(64));
  };
  EXPECT_THAT(withDims({uint64_t(1) << 40, uint64_t(1) << 40}), HasSubstr("dimension 1 of tensor 'w'"));
  EXPECT_THAT(withDims({2, 2, 2, 2, 2, 2, 2, 2, 2}), HasSubstr("tensor 'w' has 9 dimensions; 1 to 4"));
  EXPECT_THAT(withDims({}), HasSubstr("tensor 'w' has 0 dimensions"));
  EXPECT_THAT(withDims({0}), HasSubstr("dimension 0 of tensor 'w' is 0"));
  EXPECT_THAT(withDims({33}, 8), HasSubstr("not whole blocks of 32 of q8_0"));
  EXPECT_THAT(withDims({uint64_t(1) << 62}), HasSubstr("the size of tensor 'w' in bytes does not fit"));
  EXPECT_THAT(withDims({256}, 12), HasSubstr("tensor 'w' has type 12 (q4_k); accepted are f32"));
  EXPECT_THAT(withDims({256}, 77), HasSubstr("tensor 'w' has type 77"));
}

TEST(GgufFile, RefusesTensorsOutsideTheDataOrOnEachOther) {
  EXPECT_THAT(refusal(GgufBytes(1, 0).tensor("w", {32}, 0, 0).data(100)), HasSubstr("past its end at 100"));
  EXPECT_THAT(refusal(GgufBytes(1, 0).tensor("w", {4}, 0, uint64_t(-32)).data(100)), HasSubstr("past its end"));
  EXPECT_THAT(refusal(GgufBytes(1, 0).tensor("w", {4}, 0, 8).data(100)), HasSubstr("no multiple of the alignment 32"));
  EXPECT_THAT(refusal(GgufBytes(2, 0).tensor("a", {32}, 0, 0).tensor("b", {32}, 0, 64).data(512)),
              HasSubstr("'a' and 'b' overlap"));
  EXPECT_THAT(refusal(GgufBytes(2, 0).tensor("a", {4}, 0, 0).tensor("a", {4}, 0, 32).data(512)),
              HasSubstr("tensor 'a' is given twice"));
}

TEST(GgufFile, RefusesAnAlignmentThatIsNoPowerOfTwo) {
  for (uint32_t alignment : {0u, 3u, 1u << 30})
    EXPECT_THAT(refusal(GgufBytes(0, 1).pairU32("general.alignment", alignment).data(0)),
                HasSubstr("key 'general.alignment' is " + std::to_string(alignment)));
}

TEST(GgufFile, RefusesOtherVersionsByteOrdersAndTypes) {
  EXPECT_THAT(refusal(GgufBytes(0, 0, 1)), HasSubstr("version 1; versions 2 and 3"));
  EXPECT_THAT(refusal(GgufBytes(0, 0, 4)), HasSubstr("version 4"));
  EXPECT_THAT(refusal(GgufBytes(0, 0, 3u << 24)), HasSubstr("big-endian"));
  EXPECT_THAT(refusal("GGML...."), HasSubstr("not a GGUF file"));
  EXPECT_THAT(refusal(""), HasSubstr("the magic bytes"));
  EXPECT_THAT(refusal(GgufBytes(0, 1).text("k").integer(99, 4).integer(0, 4)), HasSubstr("key 'k' has type 99"));
  EXPECT_THAT(refusal(GgufBytes(0, 1).text("k").integer(9, 4).integer(9, 4).integer(1, 8)),
              HasSubstr("an array of arrays"));
  EXPECT_THAT(refusal(GgufBytes(0, 2).pairU32("k", 1).pairU32("k", 2)), HasSubstr("key 'k' is given twice"));
}

TEST(GgufFile, RefusesEveryTruncationOfAFile) {
  GgufBytes bytes(1, 2);
  bytes.pairU32("n", 7).text("s").integer(8, 4).text("hello").tensor("w", {4, 2}, 0, 0).data(32);
  ASSERT_EQ(refusal(bytes), "ok");
  for (size_t size = 0; size < bytes.bytes.size(); ++size)
    EXPECT_NE(refusal(bytes.bytes.substr(0, size)), "ok") << size;
}

} // namespace
} // namespace adze::import
