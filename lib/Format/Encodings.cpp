// The table of encodings and their decoders. One decoder per (encoding, part); each is a loop over blocks.
#include "adze/Format/Encodings.h"

#include "adze/Format/FloatFormats.h"
#include "adze/Support/CheckedReader.h"

#include <array>
#include <cassert>
#include <cstring>

namespace adze {
// d * q + m must round twice, as the oracle does.
#pragma STDC FP_CONTRACT OFF

namespace {

constexpr PartInfo dataF32[] = {{TensorPart::Data, PartElement::F32, 1}};
constexpr PartInfo dataF16[] = {{TensorPart::Data, PartElement::F16, 1}};
constexpr PartInfo dataBF16[] = {{TensorPart::Data, PartElement::BF16, 1}};
constexpr PartInfo partsQ8_0[] = {{TensorPart::Codes, PartElement::I8, 1}, {TensorPart::Scales, PartElement::F16, 32}};
constexpr PartInfo partsQ4_0[] = {{TensorPart::Codes, PartElement::U4, 1}, {TensorPart::Scales, PartElement::F16, 32}};
constexpr PartInfo partsQ4_1[] = {{TensorPart::Codes, PartElement::U4, 1},
                                  {TensorPart::Scales, PartElement::F16, 32},
                                  {TensorPart::Offsets, PartElement::F16, 32}};
constexpr PartInfo partsQ6_K[] = {{TensorPart::Codes, PartElement::I8, 1},
                                  {TensorPart::Scales, PartElement::I8, 16},
                                  {TensorPart::Outer, PartElement::F16, 256}};

// In the order of TensorEncoding.
constexpr EncodingInfo table[] = {
    {TensorEncoding::F32, "f32", 0, 1, 4, QuantScheme::None, 0, 0, dataF32},
    {TensorEncoding::F16, "f16", 1, 1, 2, QuantScheme::None, 0, 0, dataF16},
    {TensorEncoding::BF16, "bf16", 30, 1, 2, QuantScheme::None, 0, 0, dataBF16},
    {TensorEncoding::Q8_0, "q8_0", 8, 32, 34, QuantScheme::Symmetric, 32, 0, partsQ8_0},
    {TensorEncoding::Q4_0, "q4_0", 2, 32, 18, QuantScheme::ZeroPoint, 32, 8, partsQ4_0},
    {TensorEncoding::Q4_1, "q4_1", 3, 32, 20, QuantScheme::Affine, 32, 0, partsQ4_1},
    {TensorEncoding::Q6_K, "q6_k", 14, 256, 210, QuantScheme::Symmetric, 16, 0, partsQ6_K},
};

constexpr std::string_view partNames[] = {"data", "codes", "scales", "offsets", "outer"};

uint16_t load16(const uint8_t *bytes) {
  uint16_t value;
  std::memcpy(&value, bytes, 2);
  return value;
}

// A block of q4_0 or q4_1 holds column i in the low and column i + 16 in the high half of byte i.
void splitNibbles(const uint8_t *packed, uint8_t *codes) {
  for (int i = 0; i < 16; ++i) {
    codes[i] = packed[i] & 15;
    codes[i + 16] = packed[i] >> 4;
  }
}

// A block of q6_k: 128 bytes of low nibbles, 64 bytes of high bit pairs, 16 scales, one f16. Each half of 128 columns
// is four runs of 32: the runs take the low nibbles of bytes 0..31, of 32..63, then the high nibbles of the same bytes,
// and bit pairs 0 to 3 of the half's 32 high bytes.
constexpr int64_t q6High = 128, q6Scales = 192, q6Outer = 208;
void splitQ6(const uint8_t *block, int8_t *codes) {
  for (int half = 0; half < 2; ++half) {
    const uint8_t *low = block + half * 64, *high = block + q6High + half * 32;
    int8_t *out = codes + half * 128;
    for (int run = 0; run < 4; ++run)
      for (int i = 0; i < 32; ++i) {
        int nibble = (low[(run & 1) * 32 + i] >> (run >> 1) * 4) & 15;
        int pair = (high[i] >> run * 2) & 3;
        out[run * 32 + i] = int8_t((nibble | pair << 4) - 32);
      }
  }
}

// Calls body(block bytes, block number) for each block.
template <class Body>
void forBlocks(const EncodingInfo &info, std::span<const uint8_t> bytes, uint64_t elements, Body body) {
  assert(encodedBytes(info, elements) == bytes.size() && "whole blocks are decoded");
  uint64_t count = elements / uint64_t(info.blockElements);
  for (uint64_t i = 0; i < count; ++i)
    body(bytes.data() + i * uint64_t(info.blockBytes), i);
}

} // namespace

const PartInfo *EncodingInfo::part(TensorPart wanted) const {
  for (const PartInfo &info : parts)
    if (info.part == wanted)
      return &info;
  return nullptr;
}

std::span<const EncodingInfo> allEncodings() { return table; }

const EncodingInfo &encodingInfo(TensorEncoding encoding) { return table[size_t(encoding)]; }

const EncodingInfo *encodingByName(std::string_view name) {
  for (const EncodingInfo &info : table)
    if (info.name == name)
      return &info;
  return nullptr;
}

const EncodingInfo *encodingByGgufType(uint32_t type) {
  for (const EncodingInfo &info : table)
    if (info.ggufType == type)
      return &info;
  return nullptr;
}

std::string_view encodingNames() { return "f32, f16, bf16, q8_0, q4_0, q4_1, q6_k"; }

std::string_view partName(TensorPart part) { return partNames[size_t(part)]; }

std::optional<TensorPart> partByName(std::string_view name) {
  for (size_t i = 0; i < std::size(partNames); ++i)
    if (partNames[i] == name)
      return TensorPart(i);
  return std::nullopt;
}

std::string_view schemeName(QuantScheme scheme) {
  constexpr std::string_view names[] = {"none", "symmetric", "zero_point", "affine"};
  return names[size_t(scheme)];
}

std::optional<uint64_t> encodedBytes(const EncodingInfo &info, uint64_t elements) {
  if (elements % uint64_t(info.blockElements) != 0)
    return std::nullopt;
  return checkedMul<uint64_t>(elements / uint64_t(info.blockElements), uint64_t(info.blockBytes));
}

void decodePart(const EncodingInfo &info, TensorPart part, std::span<const uint8_t> bytes, uint64_t elements,
                uint8_t *output) {
  assert(info.part(part) && "the caller checked that the encoding has this part");
  if (part == TensorPart::Data) {
    std::memcpy(output, bytes.data(), bytes.size());
    return;
  }
  switch (info.encoding) {
  case TensorEncoding::Q8_0:
    forBlocks(info, bytes, elements, [&](const uint8_t *block, uint64_t i) {
      part == TensorPart::Codes ? std::memcpy(output + i * 32, block + 2, 32) : std::memcpy(output + i * 2, block, 2);
    });
    return;
  case TensorEncoding::Q4_0:
  case TensorEncoding::Q4_1:
    forBlocks(info, bytes, elements, [&](const uint8_t *block, uint64_t i) {
      if (part == TensorPart::Codes)
        splitNibbles(block + info.blockBytes - 16, output + i * 32);
      else
        std::memcpy(output + i * 2, block + (part == TensorPart::Offsets ? 2 : 0), 2);
    });
    return;
  case TensorEncoding::Q6_K:
    forBlocks(info, bytes, elements, [&](const uint8_t *block, uint64_t i) {
      if (part == TensorPart::Codes)
        splitQ6(block, reinterpret_cast<int8_t *>(output) + i * 256);
      else if (part == TensorPart::Scales)
        std::memcpy(output + i * 16, block + q6Scales, 16);
      else
        std::memcpy(output + i * 2, block + q6Outer, 2);
    });
    return;
  default:
    assert(false && "float encodings have one part");
  }
}

void decodeToFloat(const EncodingInfo &info, std::span<const uint8_t> bytes, uint64_t elements, float *output) {
  switch (info.encoding) {
  case TensorEncoding::F32:
    std::memcpy(output, bytes.data(), bytes.size());
    return;
  case TensorEncoding::F16:
    for (uint64_t i = 0; i < elements; ++i)
      output[i] = halfToFloat(load16(bytes.data() + 2 * i));
    return;
  case TensorEncoding::BF16:
    for (uint64_t i = 0; i < elements; ++i)
      output[i] = bfloatToFloat(load16(bytes.data() + 2 * i));
    return;
  case TensorEncoding::Q8_0:
    forBlocks(info, bytes, elements, [&](const uint8_t *block, uint64_t i) {
      float scale = halfToFloat(load16(block));
      for (int c = 0; c < 32; ++c)
        output[i * 32 + c] = float(int8_t(block[2 + c])) * scale;
    });
    return;
  case TensorEncoding::Q4_0:
  case TensorEncoding::Q4_1:
    forBlocks(info, bytes, elements, [&](const uint8_t *block, uint64_t i) {
      std::array<uint8_t, 32> codes;
      splitNibbles(block + info.blockBytes - 16, codes.data());
      float scale = halfToFloat(load16(block));
      bool affine = info.encoding == TensorEncoding::Q4_1;
      float offset = affine ? halfToFloat(load16(block + 2)) : 0.0f;
      for (int c = 0; c < 32; ++c) {
        float product = scale * float(int(codes[c]) - int(info.zeroPoint));
        output[i * 32 + c] = affine ? product + offset : product;
      }
    });
    return;
  case TensorEncoding::Q6_K:
    forBlocks(info, bytes, elements, [&](const uint8_t *block, uint64_t i) {
      std::array<int8_t, 256> codes;
      splitQ6(block, codes.data());
      float outer = halfToFloat(load16(block + q6Outer));
      for (int c = 0; c < 256; ++c) {
        float scale = outer * float(int8_t(block[q6Scales + c / 16]));
        output[i * 256 + c] = scale * float(codes[c]);
      }
    });
    return;
  }
}

} // namespace adze
