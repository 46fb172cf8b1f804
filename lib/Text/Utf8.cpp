#include "Utf8.h"

#include <simdjson.h>
#include <utf8proc.h>

using namespace adze;

bool utf8::valid(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

uint32_t utf8::codePoint(std::string_view text, size_t offset) {
  auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<uint8_t>(text[offset + i])); };
  switch (length(text[offset])) {
  case 1:
    return byte(0);
  case 2:
    return (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F);
  case 3:
    return (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
  default:
    return (byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
  }
}

void utf8::append(std::string &out, uint32_t c) {
  auto put = [&](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | c >> 6);
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3F));
    put(0x80 | (c >> 6 & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

namespace {

// How many bytes from the front belong together, and whether they are a character, broken, or cut short.
enum class Piece { Character, Broken, CutShort };

Piece classify(std::string_view bytes, size_t &size) {
  auto byte = [&](size_t i) { return static_cast<uint8_t>(bytes[i]); };
  uint8_t first = byte(0);
  size = 1;
  if (first < 0x80)
    return Piece::Character;
  if (first < 0xC2 || first > 0xF4)
    return Piece::Broken;
  unsigned wanted = utf8::length(bytes[0]);
  // The second byte alone is restricted further: no overlong forms, no surrogates, nothing past U+10FFFF.
  uint8_t low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  uint8_t high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  while (size < wanted) {
    if (size == bytes.size())
      return Piece::CutShort;
    if (byte(size) < low || byte(size) > high)
      return Piece::Broken;
    low = 0x80;
    high = 0xBF;
    ++size;
  }
  return Piece::Character;
}

} // namespace

size_t utf8::incompleteTail(std::string_view bytes) {
  for (size_t tail = 1; tail <= 3 && tail <= bytes.size(); ++tail) {
    uint8_t byte = static_cast<uint8_t>(bytes[bytes.size() - tail]);
    if ((byte & 0xC0) == 0x80)
      continue;
    size_t size;
    return classify(bytes.substr(bytes.size() - tail), size) == Piece::CutShort ? tail : 0;
  }
  return 0;
}

void utf8::appendLossy(std::string &out, std::string_view bytes) {
  if (valid(bytes)) {
    out += bytes;
    return;
  }
  while (!bytes.empty()) {
    size_t size;
    if (classify(bytes, size) == Piece::Character)
      out += bytes.substr(0, size);
    else
      out += "\xEF\xBF\xBD";
    bytes.remove_prefix(size);
  }
}

bool utf8::isWhiteSpace(uint32_t c) {
  return (c >= 0x9 && c <= 0xD) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
         c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool utf8::isWord(uint32_t c) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
  case UTF8PROC_CATEGORY_LU:
  case UTF8PROC_CATEGORY_LL:
  case UTF8PROC_CATEGORY_LT:
  case UTF8PROC_CATEGORY_LM:
  case UTF8PROC_CATEGORY_LO:
  case UTF8PROC_CATEGORY_MN:
  case UTF8PROC_CATEGORY_MC:
  case UTF8PROC_CATEGORY_ME:
  case UTF8PROC_CATEGORY_ND:
  case UTF8PROC_CATEGORY_NL:
  case UTF8PROC_CATEGORY_PC:
    return true;
  default:
    return false;
  }
}
