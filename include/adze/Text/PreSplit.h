// PreSplit.h: the rules that cut text into pieces before byte-level merging; no merge crosses a cut.
//
// A rule is a regular expression: every match is a piece and so is every gap between matches. Rules have names of their
// own, are applied one after the other to the pieces of the one before, and are found from the spelling in a
// tokenizer.json or from the tokenizer.ggml.pre key of a GGUF file. An unknown rule is the caller's error to report: a
// wrong cut would change ids silently.
//
// White space is Unicode's White_Space property (PCRE2's own \s also has U+180E, which the reference does not).
#ifndef ADZE_TEXT_PRESPLIT_H
#define ADZE_TEXT_PRESPLIT_H

#include "adze/Support/Status.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adze {

// The rule whose expression is spelled like this in a tokenizer.json; nothing if there is none.
std::optional<std::string_view> preSplitRuleOfPattern(std::string_view pattern);

// What tokenizer.ggml.pre stands for.
struct GgufPreSplit {
  std::string_view name;
  std::vector<std::string_view> rules;
  bool wholeWordFirst = false, addBos = false, nfc = false;
};
const GgufPreSplit *ggufPreSplit(std::string_view name);
// "gpt-2, llama-bpe, ...", for messages.
std::string ggufPreSplitNames();

// Compiled rules. Immutable; split() is safe from many threads, each with its own Scratch.
class PreSplitter {
public:
  // Unsupported for a rule that is not known.
  static Expected<PreSplitter> create(std::span<const std::string> rules);

  struct Scratch {
    Scratch();
    ~Scratch();
    Scratch(const Scratch &) = delete;
    Scratch &operator=(const Scratch &) = delete;
    void *matchData;
    std::vector<uint32_t> coarse;
  };
  // Appends the end offset of every piece of `text` (valid UTF-8, under 4 GiB) to `ends`; the last is text.size().
  Status split(std::string_view text, std::vector<uint32_t> &ends, Scratch &scratch) const;

private:
  struct Rule;
  std::vector<std::shared_ptr<const Rule>> rules;
};

} // namespace adze

#endif // ADZE_TEXT_PRESPLIT_H
