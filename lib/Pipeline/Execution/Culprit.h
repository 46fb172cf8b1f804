// Culprit.h: which op made a difference.
#ifndef ADZE_LIB_PIPELINE_EXECUTION_CULPRIT_H
#define ADZE_LIB_PIPELINE_EXECUTION_CULPRIT_H

#include "adze/Pipeline/Execution/Comparison.h"
#include "adze/Pipeline/Execution/ModuleRunner.h"

namespace adze::execution {

struct Culprit {
  mlir::Operation *after = nullptr;  ///< the first op after the pass whose value differs
  mlir::Operation *before = nullptr; ///< the op of the same place before it; null where only the result is known
  unsigned result = 0;
  Difference difference;
};

/// Looks for the first op after the pass, of those that the differing result depends on, that stands where an op before
/// the pass stood (their locations share a part), makes a value of the same extents, and another one. Where no op
/// corresponds, the op that makes the result is named.
Culprit findCulprit(const Entry &entry, const Execution &before, const Execution &after, unsigned result,
                    const Difference &difference, const Tolerance &tolerance);

} // namespace adze::execution

#endif // ADZE_LIB_PIPELINE_EXECUTION_CULPRIT_H
