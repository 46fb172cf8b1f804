// The notation of maps: reading and writing.
#include "adze/Layout/LinearMap.h"

#include <bit>
#include <charconv>

using namespace adze;

static constexpr std::string_view kLetters = "rcde";
static constexpr unsigned kMaxBits = 48, kMaxReach = 62;

/// "c4" or "r1+c1" or "0".
static bool parseWord(std::string_view word, Coord &out) {
  if (word == "0")
    return true;
  while (!word.empty()) {
    size_t plus = word.find('+');
    std::string_view term = word.substr(0, plus);
    size_t dim = term.empty() ? std::string_view::npos : kLetters.find(term[0]);
    int64_t step = 0;
    if (dim == std::string_view::npos || term.size() < 2)
      return false;
    auto [end, code] = std::from_chars(term.data() + 1, term.data() + term.size(), step);
    if (code != std::errc() || end != term.data() + term.size() || step <= 0 || step > (int64_t(1) << 40))
      return false;
    out[dim] ^= step;
    if (plus == std::string_view::npos)
      return true;
    word.remove_prefix(plus + 1);
  }
  return false;
}

std::optional<LinearMap> LinearMap::parse(std::string_view text, std::string *error) {
  auto refuse = [&](const std::string &reason) -> std::optional<LinearMap> {
    if (error)
      *error = "layout \"" + std::string(text) + "\" " + reason;
    return std::nullopt;
  };
  LinearMap map;
  unsigned group = 0;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == ' ') {
      ++at;
    } else if (text[at] == '|') {
      if (++group == map.groups().size())
        return refuse("has more than three `|`; its groups are register, lane, warp and block bits");
      ++at;
    } else {
      size_t end = text.find_first_of(" |", at);
      std::string_view word = text.substr(at, end == std::string_view::npos ? end : end - at);
      Coord basis{};
      if (!parseWord(word, basis))
        return refuse("has the word \"" + std::string(word) +
                      "\"; accepted are 0 and r, c, d or e followed by a positive number, joined by +");
      map.groups()[group]->push_back(basis);
      at += word.size();
    }
  }
  if (map.bits() > kMaxBits)
    return refuse("has more than 48 bits");
  unsigned reach = 0;
  for (int64_t extent : map.extents())
    reach += std::countr_zero(uint64_t(extent));
  if (reach > kMaxReach)
    return refuse("reaches more than 2^62 coordinates");
  return map;
}

static std::string wordOf(const Coord &basis) {
  std::string word;
  for (unsigned d = 0; d < kMaxDims; ++d)
    if (basis[d])
      word += (word.empty() ? "" : "+") + std::string(1, kLetters[d]) + std::to_string(basis[d]);
  return word.empty() ? "0" : word;
}

std::string LinearMap::str() const {
  std::string text;
  unsigned bars = 0; // written so far: only those before a group that has bits
  for (unsigned group = 0; group < groups().size(); ++group)
    for (const Coord &basis : *groups()[group]) {
      for (; bars < group; ++bars)
        text += text.empty() ? "|" : " |";
      text += (text.empty() ? "" : " ") + wordOf(basis);
    }
  return text;
}
