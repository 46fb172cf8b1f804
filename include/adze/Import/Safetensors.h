// Safetensors.h: the checked reader of one safetensors file.
//
// A file is a 64-bit header length, a JSON header and data. The header is trusted for nothing: the length is compared
// with the file before the header is parsed; each tensor's type is known, its offsets are in order and inside the data,
// and shape times element size is exactly its byte range; no two tensors share a byte, none is unused, no name comes
// twice. Broken files are InvalidInput, unknown types Unsupported, with the file, the tensor and the rule in the
// message.
#ifndef ADZE_IMPORT_SAFETENSORS_H
#define ADZE_IMPORT_SAFETENSORS_H

#include "adze/Support/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace adze::import {

struct SafetensorsEntry {
  std::string name;
  std::string type; // F32, BF16, I64 ...
  std::vector<int64_t> shape;
  uint64_t offset = 0, bytes = 0; // in the file
};

// The format's own limit on the header.
constexpr uint64_t safetensorsHeaderLimit = 100'000'000;

// In the order of the header.
Expected<std::vector<SafetensorsEntry>> readSafetensors(std::span<const uint8_t> bytes, const std::string &file);

} // namespace adze::import
#endif
