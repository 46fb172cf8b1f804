#include "AddedTokenMatcher.h"

#include "TokenMap.h"
#include "Utf8.h"

#include "adze/Support/Mutant.h"

#include <algorithm>

using namespace adze;

void adze::appendOrigin(OriginSpans &spans, uint32_t bytes, TextOrigin origin) {
  if (bytes == 0)
    return;
  uint32_t end = (spans.empty() ? 0 : spans.back().end) + bytes;
  if (!spans.empty() && spans.back().origin == origin)
    spans.back().end = end;
  else
    spans.push_back({end, origin});
}

AddedTokenMatcher::AddedTokenMatcher(std::vector<Token> list) : tokens(std::move(list)) {
  auto first = [](const Token &token) { return static_cast<uint8_t>(token.content[0]); };
  std::sort(tokens.begin(), tokens.end(), [&](const Token &a, const Token &b) {
    if (first(a) != first(b))
      return first(a) < first(b);
    return a.content.size() != b.content.size() ? a.content.size() > b.content.size() : a.id < b.id;
  });
  for (const Token &token : tokens)
    ++firstByte[first(token) + 1];
  for (size_t i = 1; i < firstByte.size(); ++i)
    firstByte[i] += firstByte[i - 1];
}

const AddedTokenMatcher::Token *AddedTokenMatcher::longestAt(std::string_view text, size_t position,
                                                             size_t templateEnd) const {
  uint8_t byte = static_cast<uint8_t>(text[position]);
  std::string_view rest = text.substr(position);
  for (uint32_t i = firstByte[byte]; i < firstByte[byte + 1]; ++i) {
    const Token &token = tokens[i];
    bool allowed = !token.marker || position + token.content.size() <= templateEnd;
    if (rest.starts_with(token.content) && (allowed || ADZE_MUTANT("find-markers-in-user-text")))
      return &token;
  }
  return nullptr;
}

namespace {

bool wordAt(std::string_view text, size_t position) {
  return position < text.size() && utf8::isWord(utf8::codePoint(text, position));
}
bool wordBefore(std::string_view text, size_t position) {
  return position > 0 && utf8::isWord(utf8::codePoint(text, utf8::previous(text, position)));
}

} // namespace

void AddedTokenMatcher::split(std::string_view text, const OriginSpans &origins, std::vector<Part> &parts) const {
  size_t done = 0, position = 0, span = 0;
  auto plain = [&](size_t begin, size_t end) {
    if (begin < end)
      parts.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end), noToken});
  };
  while (!tokens.empty() && position < text.size()) {
    uint8_t byte = static_cast<uint8_t>(text[position]);
    if (firstByte[byte] == firstByte[byte + 1]) {
      ++position;
      continue;
    }
    while (span < origins.size() && origins[span].end <= position)
      ++span;
    bool fromTemplate = span < origins.size() && origins[span].origin == TextOrigin::Template;
    const Token *token = longestAt(text, position, fromTemplate ? origins[span].end : 0);
    if (!token) {
      ++position;
      continue;
    }
    size_t begin = position, end = position + token->content.size();
    position = end; // the reference searches on behind the match, used or not
    if (token->singleWord && (wordBefore(text, begin) || wordAt(text, end)))
      continue;
    if (token->stripLeft)
      while (begin > done && utf8::isWhiteSpace(utf8::codePoint(text, utf8::previous(text, begin))))
        begin = utf8::previous(text, begin);
    if (token->stripRight)
      while (end < text.size() && utf8::isWhiteSpace(utf8::codePoint(text, end)))
        end += utf8::length(text[end]);
    plain(done, begin);
    parts.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end), token->id});
    done = end;
    position = std::max(position, end);
  }
  plain(done, text.size());
}
