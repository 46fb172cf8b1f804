// PreSplitRules.h: the table of pre-split rules. Expressions are written as tokenizer.json files write them.
#ifndef ADZE_TEXT_PRESPLITRULES_H
#define ADZE_TEXT_PRESPLITRULES_H

#include <span>
#include <string_view>

namespace adze {

struct PreSplitRule {
  std::string_view name, pattern;
};
std::span<const PreSplitRule> preSplitRules();

} // namespace adze

#endif // ADZE_TEXT_PRESPLITRULES_H
