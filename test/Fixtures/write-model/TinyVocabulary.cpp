// A byte-level vocabulary that is small but real: every byte, some merges, three control tokens, unused rows.
#include "TinyModel.h"

namespace fixture {

const char *const chatTemplate =
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + "
    "'\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

namespace {

std::string utf8(unsigned codePoint) {
  if (codePoint < 0x80)
    return std::string(1, char(codePoint));
  return {char(0xc0 | codePoint >> 6), char(0x80 | (codePoint & 63))};
}

// Byte-level vocabularies write a byte as one visible character: itself where it is printable Latin-1, else the next
// free code point from 256 on.
bool visible(unsigned byte) {
  return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
}

} // namespace

Vocabulary makeVocabulary(int64_t size) {
  Vocabulary v;
  for (unsigned byte = 0; byte < 256; ++byte)
    if (visible(byte))
      v.tokens.push_back(utf8(byte));
  unsigned next = 256;
  for (unsigned byte = 0; byte < 256; ++byte)
    if (!visible(byte))
      v.tokens.push_back(utf8(next++));
  const std::string space = utf8(256 + 32); // the 33rd invisible byte
  const char *pairs[][2] = {{"_", "t"},   {"h", "e"},    {"_t", "he"}, {"i", "n"},  {"_", "a"},  {"e", "r"},
                            {"_", "s"},   {"o", "n"},    {"r", "e"},   {"_", "w"},  {"a", "n"},  {"_", "c"},
                            {"o", "u"},   {"e", "n"},    {"in", "g"},  {"_", "b"},  {"_", "o"},  {"a", "t"},
                            {"_", "f"},   {"o", "r"},    {"_", "m"},   {"e", "s"},  {"i", "s"},  {"_a", "n"},
                            {"_an", "d"}, {"_", "p"},    {"i", "t"},   {"a", "l"},  {"l", "l"},  {"e", "d"},
                            {"_", "i"},   {"_o", "f"},   {"_", "d"},   {"_t", "o"}, {"_", "in"}, {"w", "or"},
                            {"wor", "l"}, {"worl", "d"}, {"_", "_"},   {"1", "2"},  {"_w", "or"}};
  for (auto &pair : pairs) {
    std::string sides[2];
    for (int side = 0; side < 2; ++side)
      for (char c : std::string(pair[side]))
        sides[side] += c == '_' ? space : std::string(1, c);
    v.merges.push_back(sides[0] + " " + sides[1]);
    v.tokens.push_back(sides[0] + sides[1]);
  }
  v.types.assign(v.tokens.size(), 1);
  v.endOfText = int64_t(v.tokens.size());
  v.start = v.endOfText + 1;
  v.end = v.endOfText + 2;
  for (const char *control : {"<|endoftext|>", "<|im_start|>", "<|im_end|>"}) {
    v.tokens.push_back(control);
    v.types.push_back(3);
  }
  v.used = int64_t(v.tokens.size());
  if (v.used > size)
    fail("--vocab must be at least " + std::to_string(v.used));
  for (int64_t id = v.used; id < size; ++id) {
    v.tokens.push_back("[PAD" + std::to_string(id) + "]");
    v.types.push_back(5);
  }
  return v;
}

std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + '"';
}

} // namespace fixture
