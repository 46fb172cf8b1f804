// Pre-split rules on PCRE2 with its JIT compiler.
#include "PreSplitRules.h"

#include "adze/Text/PreSplit.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

using namespace adze;

struct PreSplitter::Rule {
  explicit Rule(pcre2_code *code) : code(code) {}
  ~Rule() { pcre2_code_free(code); }
  Rule(const Rule &) = delete;
  Rule &operator=(const Rule &) = delete;
  pcre2_code *code;
};

PreSplitter::Scratch::Scratch() : matchData(pcre2_match_data_create(1, nullptr)) {}
PreSplitter::Scratch::~Scratch() { pcre2_match_data_free(static_cast<pcre2_match_data *>(matchData)); }

namespace {

constexpr std::string_view whiteSpace =
    R"(\x09-\x0d\x20\x85\xa0\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";

// Writes out \s and \S, inside and outside of [ ].
std::string withWhiteSpaceSpelledOut(std::string_view pattern) {
  std::string out;
  bool inClass = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) {
      char letter = pattern[++i];
      if (letter == 's')
        out += inClass ? std::string(whiteSpace) : fmt::format("[{}]", whiteSpace);
      else if (letter == 'S' && !inClass)
        out += fmt::format("[^{}]", whiteSpace);
      else
        (out += '\\') += letter;
      continue;
    }
    inClass = pattern[i] == '[' ? true : pattern[i] == ']' ? false : inClass;
    out += pattern[i];
  }
  return out;
}

std::string messageOf(int error) {
  PCRE2_UCHAR buffer[160] = {};
  pcre2_get_error_message(error, buffer, sizeof(buffer));
  return reinterpret_cast<const char *>(buffer);
}

} // namespace

Expected<PreSplitter> PreSplitter::create(std::span<const std::string> names) {
  PreSplitter splitter;
  for (const std::string &name : names) {
    const PreSplitRule *found = nullptr;
    for (const PreSplitRule &row : preSplitRules())
      found = row.name == name ? &row : found;
    if (!found)
      return unsupported(fmt::format("pre-split rule \"{}\" is not known to this build", name));
    std::string pattern = withWhiteSpaceSpelledOut(found->pattern);
    int error = 0;
    PCRE2_SIZE where = 0;
    pcre2_code *code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                                     PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &error, &where, nullptr);
    if (!code)
      return internalError(fmt::format("pre-split rule \"{}\": {} at {}", name, messageOf(error), where));
    // Without a JIT the same code is interpreted, slower and equal.
    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
    splitter.rules.push_back(std::make_shared<const Rule>(code));
  }
  return splitter;
}

Status PreSplitter::split(std::string_view text, std::vector<uint32_t> &ends, Scratch &scratch) const {
  if (text.empty())
    return Status::success();
  size_t first = ends.size();
  ends.push_back(static_cast<uint32_t>(text.size()));
  pcre2_match_data *data = static_cast<pcre2_match_data *>(scratch.matchData);
  const PCRE2_SIZE *match = pcre2_get_ovector_pointer(data);
  for (const std::shared_ptr<const Rule> &rule : rules) {
    scratch.coarse.assign(ends.begin() + static_cast<ptrdiff_t>(first), ends.end());
    ends.resize(first);
    uint32_t start = 0;
    for (uint32_t end : scratch.coarse) {
      std::string_view piece = text.substr(start, end - start);
      size_t done = 0, from = 0;
      while (from < piece.size()) {
        int result = pcre2_match(rule->code, reinterpret_cast<PCRE2_SPTR>(piece.data()), piece.size(), from,
                                 PCRE2_NO_UTF_CHECK, data, nullptr);
        if (result == PCRE2_ERROR_NOMATCH)
          break;
        if (result < 0)
          return resourceExhausted(
              fmt::format("cutting text into words failed near byte {}: {}", start + from, messageOf(result)));
        if (match[0] > done)
          ends.push_back(start + static_cast<uint32_t>(match[0]));
        ends.push_back(start + static_cast<uint32_t>(match[1]));
        done = from = match[1]; // no rule matches the empty string
      }
      if (done < piece.size())
        ends.push_back(end);
      start = end;
    }
  }
  return Status::success();
}
