//===- GroupingRules.h - names of the rules of llm-form-kernels ---------------------------------------------------===//
//
// What --fuse and the pass's option `rules` accept besides `all` and `none`, in the order in which the rules run. The
// views live as long as the program; any thread.
//
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_TRANSFORMS_LLM_GROUPINGRULES_H
#define ADZE_TRANSFORMS_LLM_GROUPINGRULES_H

#include <string_view>
#include <vector>

namespace adze {

std::vector<std::string_view> groupingRuleNames();

} // namespace adze

#endif // ADZE_TRANSFORMS_LLM_GROUPINGRULES_H
