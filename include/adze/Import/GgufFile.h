// GgufFile.h: the checked reader of GGUF, versions 2 and 3.
//
// Every count, length, dimension and offset of the file is checked against the bytes that are there before anything is
// allocated for it, so a reader never uses more than a few times the file's header. Broken files are InvalidInput,
// other versions, byte orders and tensor types Unsupported; messages name the file, the key or tensor and the rule.
//
// Views point into the given bytes.
#ifndef ADZE_IMPORT_GGUFFILE_H
#define ADZE_IMPORT_GGUFFILE_H

#include "adze/Format/Encodings.h"
#include "adze/Support/Status.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adze::import {

enum class GgufType : uint32_t { U8, I8, U16, I16, U32, I32, F32, Bool, String, Array, U64, I64, F64 };
std::string_view ggufTypeName(GgufType type);

// A metadata value. Numbers and bools keep their bytes; an array of them keeps the bytes of all elements.
struct GgufValue {
  GgufType type = GgufType::U8; // of the elements, for an array
  bool array = false;
  uint64_t count = 1;
  std::span<const uint8_t> raw;          // not for strings
  std::vector<std::string_view> strings; // for String: one, or one per element

  // The value where it is a single one of a fitting kind: any integer type that fits, f32 or f64, bool, string.
  std::optional<int64_t> integer() const;
  std::optional<double> number() const;
  std::optional<bool> boolean() const;
  std::optional<std::string_view> string() const;
  std::optional<std::vector<int64_t>> integers() const; // an array of integers that fit
  std::optional<std::vector<float>> floats() const;     // an array of f32
  std::string describe() const;                         // "u32", "array of string": for messages
};

struct GgufTensor {
  std::string name;
  const EncodingInfo *encoding = nullptr;
  std::vector<int64_t> shape;     // rows first (the reverse of the file's order)
  uint64_t offset = 0, bytes = 0; // in the file
};

struct GgufFile {
  uint32_t version = 0;
  std::map<std::string, GgufValue, std::less<>> metadata;
  std::vector<GgufTensor> tensors;
};

// The longest header (metadata and list of tensors) that is read, in bytes: about ten times that of the largest
// vocabularies. A reader takes up to three times the header it reads, so never more than 768 MiB.
constexpr uint64_t ggufHeaderLimit = 256u << 20;

Expected<GgufFile> readGguf(std::span<const uint8_t> bytes, const std::string &file);

} // namespace adze::import
#endif
