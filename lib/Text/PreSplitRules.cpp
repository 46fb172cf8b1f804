#include "PreSplitRules.h"

#include "adze/Text/PreSplit.h"

using namespace adze;

namespace {

constexpr PreSplitRule rules[] = {
    {"digits", R"(\p{N})"},
    {"digits-3", R"(\p{N}{1,3})"},
    {"digit-runs", R"(\p{N}+)"},
    {"gpt-2", R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)"},
    {"llama-bpe", R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|)"
                  R"(\s*[\r\n]+|\s+(?!\S)|\s+)"},
    {"qwen2", R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|)"
              R"(\s*[\r\n]+|\s+(?!\S)|\s+)"},
    {"qwen35", R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|)"
               R"(\s*[\r\n]+|\s+(?!\S)|\s+)"},
    {"tekken", R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|)"
               R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|)"
               R"(\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"},
    {"gpt-4o",
     R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
     R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
     R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"},
};

const std::vector<GgufPreSplit> &ggufRows() {
  static const std::vector<GgufPreSplit> rows = {
      {"gpt-2", {"gpt-2"}},
      {"smollm", {"digits", "gpt-2"}},
      {"starcoder", {"digits", "gpt-2"}},
      {"refact", {"digits", "gpt-2"}},
      {"command-r", {"digits", "gpt-2"}},
      {"llama-bpe", {"llama-bpe"}, true, true},
      {"llama3", {"llama-bpe"}, true, true},
      {"llama-v3", {"llama-bpe"}, true, true},
      {"qwen2", {"qwen2"}, false, false, true},
      {"deepseek-r1-qwen", {"qwen2"}},
      {"tekken", {"tekken"}, true, true},
      {"gpt-4o", {"gpt-4o"}},
  };
  return rows;
}

} // namespace

std::span<const PreSplitRule> adze::preSplitRules() { return rules; }

std::optional<std::string_view> adze::preSplitRuleOfPattern(std::string_view pattern) {
  // Files write line ends in the expression either as escapes or as the characters themselves.
  std::string spelled;
  for (char c : pattern) {
    if (c == '\r')
      spelled += "\\r";
    else if (c == '\n')
      spelled += "\\n";
    else
      spelled += c;
  }
  for (const PreSplitRule &rule : rules)
    if (rule.pattern == spelled)
      return rule.name;
  return std::nullopt;
}

const GgufPreSplit *adze::ggufPreSplit(std::string_view name) {
  for (const GgufPreSplit &row : ggufRows())
    if (row.name == name)
      return &row;
  return nullptr;
}

std::string adze::ggufPreSplitNames() {
  std::string names;
  for (const GgufPreSplit &row : ggufRows()) {
    names += names.empty() ? "" : ", ";
    names += row.name;
  }
  return names;
}
