#include "ByteAlphabet.h"

#include "Utf8.h"

#include <array>

using namespace adze;

namespace {

constexpr bool standsForItself(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || (byte >= 0xAE && byte <= 0xFF);
}

constexpr unsigned letterCount = 256 + 68;

// Code point to byte, or -1.
constexpr std::array<int, letterCount> makeTable() {
  std::array<int, letterCount> table{};
  for (int &entry : table)
    entry = -1;
  unsigned next = 256;
  for (unsigned byte = 0; byte < 256; ++byte)
    table[standsForItself(byte) ? byte : next++] = static_cast<int>(byte);
  return table;
}

constexpr std::array<int, letterCount> byteOf = makeTable();

} // namespace

std::optional<std::string> adze::bytesFromAlphabet(std::string_view spelling) {
  std::string bytes;
  for (size_t i = 0; i < spelling.size(); i += utf8::length(spelling[i])) {
    uint32_t letter = utf8::codePoint(spelling, i);
    if (letter >= letterCount || byteOf[letter] < 0)
      return std::nullopt;
    bytes.push_back(static_cast<char>(byteOf[letter]));
  }
  return bytes;
}
