// Encodings.h: the one table of how a stored tensor's numbers are encoded, and the decoders.
//
// A stored tensor is rows of blocks; a block is `blockElements` neighbours of a row in `blockBytes` bytes. A quantized
// encoding splits without loss into parts, each an ordinary tensor that a kernel or a pass can handle by itself:
//
//   | encoding      | scheme     | group | codes           | scales         | offsets        | outer           |
//   | f32 f16 bf16  | none       |       | (data)          |                |                |                 |
//   | q8_0          | symmetric  | 32    | i8 -128..127    | f16 [N, K/32]  |                |                 |
//   | q4_0          | zero_point | 32    | u4 0..15, z = 8 | f16 [N, K/32]  |                |                 |
//   | q4_1          | affine     | 32    | u4 0..15        | f16 [N, K/32]  | f16 [N, K/32]  |                 |
//   | q6_k          | symmetric  | 16    | i8 -32..31      | i8 [N, K/16]   |                | f16 [N, K/256]  |
//
// so a value is s q, s (q - z), s q + m, or (outer * s) q, each operation rounded to f32 in that order, which is the
// arithmetic of the `gguf` package to the bit. Codes are in the order of the columns, whatever the block's own order
// is.
//
// Decoders are pure and never read past the given bytes: callers pass whole blocks (see `wholeBlocks`).
#ifndef ADZE_FORMAT_ENCODINGS_H
#define ADZE_FORMAT_ENCODINGS_H

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace adze {

enum class TensorEncoding : uint8_t { F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q6_K };
enum class QuantScheme : uint8_t { None, Symmetric, ZeroPoint, Affine };
enum class TensorPart : uint8_t { Data, Codes, Scales, Offsets, Outer };

// What one element of a decoded part is. U4 comes out of the decoders as one byte each, 0..15.
enum class PartElement : uint8_t { F32, F16, BF16, I8, U4 };
// Bytes of one decoded element in memory: 4, 2 or 1.
constexpr int64_t partElementBytes(PartElement element) {
  return element == PartElement::F32 ? 4 : element == PartElement::F16 || element == PartElement::BF16 ? 2 : 1;
}

struct PartInfo {
  TensorPart part;
  PartElement element;
  int64_t span; // columns of the tensor that one element of the part serves: 1 for data and codes, else a group
};

struct EncodingInfo {
  TensorEncoding encoding;
  std::string_view name; // the spelling in IR and messages
  uint32_t ggufType;     // type number in a GGUF file
  int64_t blockElements, blockBytes;
  QuantScheme scheme;
  int64_t group;     // columns of one scale; 0 without a scheme
  int64_t zeroPoint; // z of ZeroPoint
  std::span<const PartInfo> parts;

  bool quantized() const { return scheme != QuantScheme::None; }
  // The part's row, or null where the encoding has no such part.
  const PartInfo *part(TensorPart part) const;
};

std::span<const EncodingInfo> allEncodings();
const EncodingInfo &encodingInfo(TensorEncoding encoding);
const EncodingInfo *encodingByName(std::string_view name);
const EncodingInfo *encodingByGgufType(uint32_t type);
// "f32, f16, ...": for messages that say what is accepted.
std::string_view encodingNames();

std::string_view partName(TensorPart part); // data, codes, scales, offsets, outer
std::optional<TensorPart> partByName(std::string_view name);
std::string_view schemeName(QuantScheme scheme); // none, symmetric, zero_point, affine

// Bytes of `elements` neighbours; nothing where they are not whole blocks or the size does not fit.
std::optional<uint64_t> encodedBytes(const EncodingInfo &info, uint64_t elements);

// Decodes one part of `elements` neighbours (whole blocks) into `output`: elements / span numbers of partElementBytes
// each. `bytes` holds exactly encodedBytes(elements); the part exists.
void decodePart(const EncodingInfo &info, TensorPart part, std::span<const uint8_t> bytes, uint64_t elements,
                uint8_t *output);

// Decodes `elements` neighbours (whole blocks) to f32.
void decodeToFloat(const EncodingInfo &info, std::span<const uint8_t> bytes, uint64_t elements, float *output);

} // namespace adze
#endif
