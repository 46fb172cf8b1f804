// ByteAlphabet.h: the 256 printable letters in which byte-level vocabularies write raw bytes.
//
// Bytes that are printable Latin-1 stand for themselves; the other 68 are written as U+0100, U+0101, ... in ascending
// order. Pure functions.
#ifndef ADZE_TEXT_BYTEALPHABET_H
#define ADZE_TEXT_BYTEALPHABET_H

#include <optional>
#include <string>
#include <string_view>

namespace adze {

// The bytes that a token's spelling stands for; nothing if a character is not in the alphabet. `spelling` is valid
// UTF-8.
std::optional<std::string> bytesFromAlphabet(std::string_view spelling);

} // namespace adze

#endif // ADZE_TEXT_BYTEALPHABET_H
