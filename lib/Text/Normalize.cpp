// Normalisation of text between added tokens.
#include "TokenizerModel.h"

#include "Utf8.h"

#include <algorithm>
#include <cstdlib>
#include <utf8proc.h>

using namespace adze;

namespace {

TextOrigin originOf(const OriginSpans &origins, size_t begin, size_t end) {
  auto span = std::upper_bound(origins.begin(), origins.end(), begin,
                               [](size_t at, const OriginSpan &s) { return at < s.end; });
  for (; span != origins.end(); ++span) {
    if (span->origin == TextOrigin::User)
      return TextOrigin::User;
    if (span->end >= end)
      break;
  }
  return TextOrigin::Template;
}

std::string compose(std::string_view text) {
  utf8proc_uint8_t *result = nullptr;
  utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t *>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                   &result, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  std::string out = size < 0 ? std::string(text) : std::string(reinterpret_cast<char *>(result), size);
  std::free(result);
  return out;
}

// Characters below U+0300 neither combine with what is before them nor decompose into something else.
bool inert(char byte) { return static_cast<uint8_t>(byte) < 0xCC; }

} // namespace

std::string adze::composeText(std::string_view text, const OriginSpans &origins, OriginSpans &composedOrigins) {
  composedOrigins.clear();
  if (std::all_of(text.begin(), text.end(), inert)) {
    composedOrigins = origins;
    return std::string(text);
  }
  std::string out;
  size_t begin = 0;
  // Cut in front of every ASCII character that is followed by another one or ends the text: nothing composes over it.
  auto isAscii = [&](size_t i) { return static_cast<uint8_t>(text[i]) < 0x80; };
  while (begin < text.size()) {
    size_t end = begin;
    bool plain = isAscii(begin) && (begin + 1 == text.size() || isAscii(begin + 1));
    if (plain) {
      while (end < text.size() && isAscii(end) && (end + 1 == text.size() || isAscii(end + 1)))
        ++end;
      size_t at = begin;
      while (at < end) { // origins of plain text stay exact
        auto span = std::upper_bound(origins.begin(), origins.end(), at,
                                     [](size_t place, const OriginSpan &s) { return place < s.end; });
        size_t stop = span == origins.end() ? end : std::min<size_t>(span->end, end);
        appendOrigin(composedOrigins, static_cast<uint32_t>(stop - at),
                     span == origins.end() ? TextOrigin::User : span->origin);
        at = stop;
      }
      out += text.substr(begin, end - begin);
    } else {
      ++end;
      while (end < text.size() && !(isAscii(end) && (end + 1 == text.size() || isAscii(end + 1))))
        ++end;
      std::string composed = compose(text.substr(begin, end - begin));
      appendOrigin(composedOrigins, static_cast<uint32_t>(composed.size()), originOf(origins, begin, end));
      out += composed;
    }
    begin = end;
  }
  return out;
}

std::string TokenizerModel::normalize(std::string_view text, const OriginSpans &origins,
                                      OriginSpans &normalizedOrigins) const {
  std::string composed;
  if (table.normalizer == TextNormalizer::Nfc) {
    composed = composeText(text, origins, normalizedOrigins);
  } else {
    composed = text;
    normalizedOrigins = origins;
  }
  bool atNormalizing = table.spacePrefix == SpacePrefix::None || table.spacePrefix == SpacePrefix::EachSegment;
  if (table.kind != VocabularyKind::SentencePieceBpe || !atNormalizing || composed.empty())
    return composed;

  OriginSpans before = std::move(normalizedOrigins);
  normalizedOrigins.clear();
  std::string out;
  out.reserve(composed.size() + composed.size() / 4 + spaceMark.size());
  if (table.spacePrefix == SpacePrefix::EachSegment) {
    out += spaceMark;
    // The prefix is nobody's text; it belongs to no marker unless what follows does.
    appendOrigin(normalizedOrigins, spaceMark.size(), before.empty() ? TextOrigin::User : before.front().origin);
  }
  size_t at = 0;
  for (const OriginSpan &span : before) {
    size_t from = out.size();
    for (; at < span.end; ++at) {
      if (composed[at] == ' ')
        out += spaceMark;
      else
        out += composed[at];
    }
    appendOrigin(normalizedOrigins, static_cast<uint32_t>(out.size() - from), span.origin);
  }
  return out;
}
