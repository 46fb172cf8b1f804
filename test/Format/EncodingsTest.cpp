// The decoders against the gguf package, bit for bit, and the parts against the whole.
#include "adze/Format/Encodings.h"

#include "adze/Format/FloatFormats.h"
#include "adze/Support/Json.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#pragma STDC FP_CONTRACT OFF

namespace adze {
namespace {

struct Golden {
  const EncodingInfo *info;
  std::vector<uint8_t> bytes;
  std::vector<uint32_t> values; // bits of f32
};

std::vector<Golden> readGoldens() {
  std::ifstream stream(ADZE_ENCODING_GOLDENS);
  std::stringstream text;
  text << stream.rdbuf();
  Expected<Json> json = parseJson(text.str(), ADZE_ENCODING_GOLDENS);
  EXPECT_TRUE(json.ok()) << json.status().message();
  std::vector<Golden> goldens;
  for (const Json &row : (*json)["cases"]) {
    Golden golden;
    golden.info = encodingByName(row["encoding"].get<std::string>());
    std::string hex = row["bytes"].get<std::string>(), word;
    for (size_t i = 0; i < hex.size(); i += 2)
      golden.bytes.push_back(uint8_t(std::stoul(hex.substr(i, 2), nullptr, 16)));
    std::stringstream words(row["values"].get<std::string>());
    while (words >> word)
      golden.values.push_back(uint32_t(std::stoul(word, nullptr, 16)));
    goldens.push_back(std::move(golden));
  }
  return goldens;
}

TEST(Encodings, DecodeToTheBitsOfTheGgufPackage) {
  std::vector<Golden> goldens = readGoldens();
  ASSERT_EQ(goldens.size(), allEncodings().size());
  for (const Golden &golden : goldens) {
    ASSERT_NE(golden.info, nullptr);
    uint64_t count = golden.values.size();
    ASSERT_EQ(encodedBytes(*golden.info, count), golden.bytes.size());
    std::vector<float> values(count);
    decodeToFloat(*golden.info, golden.bytes, count, values.data());
    for (uint64_t i = 0; i < count; ++i)
      EXPECT_EQ(std::bit_cast<uint32_t>(values[i]), golden.values[i]) << golden.info->name << " element " << i;
  }
}

TEST(Encodings, PartsPutTogetherGiveTheWhole) {
  for (const Golden &golden : readGoldens()) {
    const EncodingInfo &info = *golden.info;
    if (!info.quantized())
      continue;
    uint64_t count = golden.values.size();
    std::vector<std::vector<uint8_t>> parts(5);
    for (const PartInfo &part : info.parts) {
      parts[size_t(part.part)].resize(count / uint64_t(part.span) * uint64_t(partElementBytes(part.element)));
      decodePart(info, part.part, golden.bytes, count, parts[size_t(part.part)].data());
    }
    auto half = [&](TensorPart part, uint64_t column) {
      uint16_t bits;
      std::memcpy(&bits, parts[size_t(part)].data() + 2 * (column / uint64_t(info.part(part)->span)), 2);
      return halfToFloat(bits);
    };
    for (uint64_t i = 0; i < count; ++i) {
      uint8_t raw = parts[size_t(TensorPart::Codes)][i];
      bool nibble = info.part(TensorPart::Codes)->element == PartElement::U4;
      ASSERT_TRUE(!nibble || raw < 16);
      float code = float((nibble ? int(raw) : int(int8_t(raw))) - int(info.zeroPoint));
      float scale;
      if (const PartInfo *outer = info.part(TensorPart::Outer)) {
        ASSERT_EQ(outer->span, info.blockElements);
        scale = half(TensorPart::Outer, i) * float(int8_t(parts[size_t(TensorPart::Scales)][i / uint64_t(info.group)]));
      } else {
        scale = half(TensorPart::Scales, i);
      }
      float value = scale * code;
      if (info.scheme == QuantScheme::Affine)
        value = value + half(TensorPart::Offsets, i);
      EXPECT_EQ(std::bit_cast<uint32_t>(value), golden.values[i]) << info.name << " element " << i;
    }
  }
}

TEST(Encodings, AreFoundByNameAndGgufType) {
  for (const EncodingInfo &info : allEncodings()) {
    EXPECT_EQ(encodingByName(info.name), &info);
    EXPECT_EQ(encodingByGgufType(info.ggufType), &info);
    EXPECT_EQ(&encodingInfo(info.encoding), &info);
  }
  EXPECT_EQ(encodingByName("q4_k"), nullptr);
  EXPECT_EQ(encodingByGgufType(12), nullptr);
  EXPECT_EQ(partByName("codes"), TensorPart::Codes);
  EXPECT_EQ(partByName("bytes"), std::nullopt);
}

TEST(Encodings, SizesAreWholeBlocksThatFit) {
  const EncodingInfo &q6 = encodingInfo(TensorEncoding::Q6_K);
  EXPECT_EQ(encodedBytes(q6, 512), 420u);
  EXPECT_EQ(encodedBytes(q6, 300), std::nullopt);
  EXPECT_EQ(encodedBytes(encodingInfo(TensorEncoding::F32), uint64_t(1) << 62), std::nullopt);
}

TEST(FloatFormats, WideningAndNarrowingGiveEveryHalfBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    bool nan = (bits & 0x7c00) == 0x7c00 && (bits & 0x3ff);
    EXPECT_EQ(floatToHalf(halfToFloat(uint16_t(bits))), nan ? (bits | 0x200) : bits);
    bool bfloatNan = (bits & 0x7f80) == 0x7f80 && (bits & 0x7f);
    EXPECT_EQ(floatToBfloat(bfloatToFloat(uint16_t(bits))), bfloatNan ? (bits | 0x40) : bits);
  }
}

TEST(FloatFormats, NarrowingRoundsToNearestEven) {
  EXPECT_EQ(floatToHalf(1.0f + 0x1p-11f), 0x3c00); // a tie goes to even
  EXPECT_EQ(floatToHalf(1.0f + 3 * 0x1p-11f), 0x3c02);
  EXPECT_EQ(floatToHalf(std::nextafter(1.0f + 0x1p-11f, 2.0f)), 0x3c01);
  EXPECT_EQ(floatToHalf(65519.0f), 0x7bff);
  EXPECT_EQ(floatToHalf(65520.0f), 0x7c00);  // infinity
  EXPECT_EQ(floatToHalf(-0x1p-24f), 0x8001); // the smallest subnormal
  EXPECT_EQ(floatToHalf(0x1p-25f), 0x0000);  // a tie with zero
  EXPECT_EQ(floatToHalf(std::nextafter(0x1p-25f, 1.0f)), 0x0001);
  EXPECT_EQ(floatToHalf(0x1.ffcp-15f), 0x0400); // a subnormal that rounds up to a normal
  EXPECT_EQ(floatToBfloat(1.0f + 0x1p-8f), 0x3f80);
  EXPECT_EQ(floatToBfloat(1.0f + 3 * 0x1p-8f), 0x3f82);
  EXPECT_EQ(floatToBfloat(0x1.ffp127f), 0x7f80);
}

} // namespace
} // namespace adze
