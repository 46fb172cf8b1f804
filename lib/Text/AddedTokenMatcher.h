// AddedTokenMatcher.h: finds added tokens in text, longest first from the left.
//
// Reproduces the reference's rules for single_word, lstrip and rstrip: a strip flag swallows the white space beside the
// match, never text that an earlier match has taken. A match is given only where `allowed` says so: the rule that only
// template text can become a control token. Immutable after building.
#ifndef ADZE_TEXT_ADDEDTOKENMATCHER_H
#define ADZE_TEXT_ADDEDTOKENMATCHER_H

#include "adze/Text/TextRuns.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adze {

// Origins of a text: run i ends at `end` and starts where run i - 1 ends.
struct OriginSpan {
  uint32_t end;
  TextOrigin origin;
};
using OriginSpans = std::vector<OriginSpan>;
// Appends a run, joining it with the last of the same origin.
void appendOrigin(OriginSpans &spans, uint32_t bytes, TextOrigin origin);

class AddedTokenMatcher {
public:
  struct Token {
    uint32_t id;
    std::string content;
    bool marker; // matched in template text only
    bool stripLeft, stripRight, singleWord;
  };
  // Part of a text: a token (id) or plain text (id is noToken).
  struct Part {
    uint32_t begin, end, id;
  };

  AddedTokenMatcher() = default;
  explicit AddedTokenMatcher(std::vector<Token> tokens);

  bool empty() const { return tokens.empty(); }
  // Appends the parts of text[begin, end) in order; `origins` covers all of text.
  void split(std::string_view text, const OriginSpans &origins, std::vector<Part> &parts) const;

private:
  const Token *longestAt(std::string_view text, size_t position, size_t templateEnd) const;

  std::vector<Token> tokens; // by first byte, then longest first
  std::array<uint32_t, 257> firstByte{};
};

} // namespace adze

#endif // ADZE_TEXT_ADDEDTOKENMATCHER_H
