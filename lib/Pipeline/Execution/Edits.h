// Edits.h: ways to make a module smaller. Each edit has a number of places; what it leaves may be wrong or illegal, the
// caller finds out.
#ifndef ADZE_LIB_PIPELINE_EXECUTION_EDITS_H
#define ADZE_LIB_PIPELINE_EXECUTION_EDITS_H

#include "adze/Pipeline/Execution/Scenario.h"

#include <functional>

namespace adze::execution {

/// Applies itself at place `number`; false where there are not so many places.
using Edit = std::function<bool(mlir::ModuleOp, unsigned number)>;

/// In the order in which they help most.
std::vector<Edit> moduleEdits();

/// Smaller scenarios than this one, the smallest first.
std::vector<Scenario> smallerScenarios(const Scenario &scenario);

/// Ops inside functions without terminators.
int64_t countOps(mlir::ModuleOp module);

} // namespace adze::execution

#endif // ADZE_LIB_PIPELINE_EXECUTION_EDITS_H
