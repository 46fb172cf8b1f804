// Utf8.h: the few things about UTF-8 that tokenizing and detokenizing need. Pure functions.
#ifndef ADZE_TEXT_UTF8_H
#define ADZE_TEXT_UTF8_H

#include <cstdint>
#include <string>
#include <string_view>

namespace adze::utf8 {

bool valid(std::string_view text);

// Bytes of the character whose first byte this is; 1 for bytes that start none. For text known to be valid.
inline unsigned length(char first) {
  uint8_t byte = static_cast<uint8_t>(first);
  return byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}
// The character at `offset` of valid text.
uint32_t codePoint(std::string_view text, size_t offset);
void append(std::string &out, uint32_t codePoint);
// Where the character before `offset` starts.
inline size_t previous(std::string_view text, size_t offset) {
  do
    --offset;
  while (offset > 0 && (static_cast<uint8_t>(text[offset]) & 0xC0) == 0x80);
  return offset;
}

// Length of the tail that may still become a character when more bytes follow: 0 to 3.
size_t incompleteTail(std::string_view bytes);
// Appends bytes as text: each maximal broken piece (Unicode's "maximal subpart") becomes one U+FFFD.
void appendLossy(std::string &out, std::string_view bytes);

// Unicode's White_Space property, and word characters as regular expressions understand them.
bool isWhiteSpace(uint32_t codePoint);
bool isWord(uint32_t codePoint);

} // namespace adze::utf8

#endif // ADZE_TEXT_UTF8_H
