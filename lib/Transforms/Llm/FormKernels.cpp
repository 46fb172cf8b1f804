//===- FormKernels.cpp - groups the ops that become one kernel ----------------------------------------------------===//
//
// The pass runs the grouping rules of GroupPlan.h in a fixed order; each of them has a file of its own (Group*.cpp).
// The order matters: slices go to their readers before the rules that look at readers, and casts come after the rules
// that decide which kernel makes the value to be rounded.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "GroupPlan.h"
#include "adze/Target/TargetInfo.h"
#include "adze/Transforms/Llm/GroupingRules.h"
#include "adze/Transforms/Llm/Passes.h"
#include "llvm/ADT/StringExtras.h"

namespace adze::llm {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "adze/Transforms/Llm/Passes.h.inc"
} // namespace adze::llm

#define DEBUG_TYPE "llm-form-kernels"

using namespace mlir;
using namespace adze::llm;

namespace {
constexpr GroupingRule kRules[] = {
    {"slice", groupSlices}, {"residual", groupResiduals}, {"gate", groupGates}, {"rope", groupRopes},
    {"rows", groupGathers}, {"norm", groupNorms},         {"cast", groupCasts},
};

struct FormKernels : adze::llm::impl::FormKernelsPassBase<FormKernels> {
  using FormKernelsPassBase::FormKernelsPassBase;

  void runOnOperation() override {
    const adze::TargetInfo *info = adze::findTarget(target.getValue());
    if (!info) {
      getOperation().emitError() << "there is no target named '" << target << "'";
      return signalPassFailure();
    }
    llvm::SmallVector<GroupingRule> chosen;
    llvm::SmallVector<llvm::StringRef> names;
    llvm::StringRef(rules.getValue()).split(names, '+');
    for (llvm::StringRef name : names) {
      if (name == "all")
        chosen.append(std::begin(kRules), std::end(kRules));
      else if (const auto *rule = llvm::find_if(kRules, [&](const GroupingRule &r) { return r.name == name; });
               rule != std::end(kRules))
        chosen.push_back(*rule);
      else if (name != "none") {
        getOperation().emitError() << "there is no grouping rule named '" << name << "'; there are "
                                   << llvm::join(adze::groupingRuleNames(), ", ");
        return signalPassFailure();
      }
    }
    for (auto step : getOperation().getOps<func::FuncOp>()) {
      if (step.isExternal())
        continue;
      if (!step.getBody().hasOneBlock()) {
        step.emitError() << "a step has one block";
        return signalPassFailure();
      }
      // What a region reads from outside would be lost with the op.
      for (Operation &op : step.getBody().front())
        if (op.getNumRegions() && !op.hasTrait<OpTrait::IsIsolatedFromAbove>()) {
          op.emitOpError("has a region; a step is a straight line of ops");
          return signalPassFailure();
        }
      GroupPlan plan(step, *info);
      auto isChosen = [&](const GroupingRule &rule) {
        return llvm::any_of(chosen, [&](const GroupingRule &r) { return r.name == rule.name; });
      };
      for (const GroupingRule &rule : kRules)
        if (isChosen(rule))
          rule.apply(plan);
      // The others say what they would have done, so that nobody looks for a reason in the model.
      plan.switchOff();
      for (const GroupingRule &rule : kRules)
        if (!isChosen(rule))
          rule.apply(plan);
      for (auto [rule, count] : plan.counts())
        statisticOf(rule) += count;
      kernels += plan.materialize();
    }
  }

  Pass::Statistic &statisticOf(llvm::StringRef rule) {
    if (rule == "slice")
      return slices;
    if (rule == "residual")
      return residuals;
    if (rule == "gate")
      return gates;
    if (rule == "norm")
      return norms;
    if (rule == "rows")
      return gathers;
    if (rule == "rope")
      return ropes;
    return casts;
  }
};
} // namespace

std::vector<std::string_view> adze::groupingRuleNames() {
  std::vector<std::string_view> names;
  for (const GroupingRule &rule : kRules)
    names.push_back(rule.name);
  return names;
}
