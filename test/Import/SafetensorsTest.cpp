// Hostile and broken safetensors files (faults B01): each is refused by the tensor's name and the broken rule.
#include "ImportTestFiles.h"

#include "adze/Import/Safetensors.h"

#include <gmock/gmock.h>

namespace adze::import {
namespace {

using test::safetensorsBytes;
using testing::HasSubstr;

std::string refusal(const std::string &bytes) {
  test::CheapScope cheap;
  auto entries = readSafetensors(test::span(bytes), "m.safetensors");
  return entries ? "ok" : entries.status().message();
}

std::string entry(const std::string &shape, const std::string &offsets, const std::string &type = "F32") {
  return R"({"dtype": ")" + type + R"(", "shape": )" + shape + R"(, "data_offsets": )" + offsets + "}";
}

TEST(Safetensors, ReadsTensorsInTheOrderOfTheHeader) {
  std::string bytes = safetensorsBytes(R"({"__metadata__": {"format": "pt"}, "b": )" + entry("[2, 3]", "[0, 24]") +
                                           R"(, "a": )" + entry("[]", "[24, 26]", "BF16") + "}",
                                       26);
  auto entries = readSafetensors(test::span(bytes), "m.safetensors");
  ASSERT_TRUE(entries.ok()) << entries.status().message();
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ((*entries)[0].name, "b");
  EXPECT_EQ((*entries)[0].shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ((*entries)[0].offset, bytes.size() - 26);
  EXPECT_EQ((*entries)[1].type, "BF16");
  EXPECT_EQ((*entries)[1].bytes, 2u);
}

struct Broken {
  std::string header;
  size_t data;
  std::vector<std::string> said;
};

TEST(Safetensors, RefusesEachBrokenHeaderByTensorAndRule) {
  const Broken cases[] = {
      {R"({"w": )" + entry("[1000, 1000]", "[0, 4]") + "}", 4, {"'w'", "needs 4000000 bytes", "[0, 4] hold 4"}},
      {R"({"w": )" + entry("[1]", "[8, 4]") + "}", 8, {"'w'", "the end lies before the begin"}},
      {R"({"w": )" + entry("[4]", "[0, 16]") + "}", 8, {"'w'", "past the end of the file's 8 data bytes"}},
      {R"({"a": )" + entry("[16]", "[0, 64]") + R"(, "b": )" + entry("[16]", "[0, 64]") + "}",
       64,
       {"'a' and 'b' share bytes"}},
      {R"({"a": )" + entry("[16]", "[0, 64]") + R"(, "b": )" + entry("[16]", "[32, 96]") + "}",
       96,
       {"'a' and 'b' share bytes"}},
      {R"({"a": )" + entry("[1]", "[0, 4]") + R"(, "a": )" + entry("[1]", "[4, 8]") + "}", 8, {"'a' is given twice"}},
      {R"({"w": )" + entry("[9223372036854775807, 9223372036854775807]", "[0, 4]") + "}",
       4,
       {"'w'", "more than 2^64 bytes"}},
      {R"({"w": )" + entry("[-1]", "[0, 4]") + "}", 4, {"'w'", "shape holds something other than integers"}},
      {R"({"w": )" + entry("[1]", "[0, 4, 8]") + "}", 8, {"'w'", "3 data_offsets"}},
      {R"({"w": )" + entry("[1]", "[4, 8]") + "}", 8, {"4 bytes before tensor 'w' belong to no tensor"}},
      {R"({"w": )" + entry("[1]", "[0, 4]") + "}", 12, {"the last 8 bytes belong to no tensor"}},
      {R"({"w": )" + entry("[1]", "[0, 4]", "Q4") + "}", 4, {"'w'", "dtype 'Q4'"}},
      {R"({"w": {"dtype": "F32", "shape": [1]}})", 4, {"'w'", "lacks one of"}},
      {R"({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4], "x": 1}})", 4, {"'w'", "unknown member 'x'"}},
      {R"({"w": 3})", 4, {"'w'", "not described by an object"}},
      {R"([1])", 0, {"not a JSON object"}},
      {R"({"w)", 0, {"not JSON"}},
  };
  for (const Broken &broken : cases) {
    std::string message = refusal(safetensorsBytes(broken.header, broken.data));
    for (const std::string &part : broken.said)
      EXPECT_THAT(message, HasSubstr(part)) << broken.header;
    EXPECT_THAT(message, HasSubstr("m.safetensors"));
  }
}

TEST(Safetensors, RefusesAHeaderLengthBeyondTheFileBeforeReadingIt) {
  std::string bytes = safetensorsBytes("{}", 0);
  bytes[7] = char(0x80); // 2^63
  EXPECT_THAT(refusal(bytes), HasSubstr("the header length is 9223372036854775810"));
  EXPECT_THAT(refusal("abc"), HasSubstr("the header length"));
  EXPECT_THAT(refusal(""), HasSubstr("the header length"));
}

} // namespace
} // namespace adze::import
