// Comparison.h: do two executions agree, and where not?
#ifndef ADZE_PIPELINE_EXECUTION_COMPARISON_H
#define ADZE_PIPELINE_EXECUTION_COMPARISON_H

#include "adze/Pipeline/Execution/Scenario.h"

#include <optional>
#include <string>

namespace adze::execution {

/// The first element that differs by more than it may.
struct Difference {
  std::string element; ///< "[1, 3]", or for a cache "request 0, position 4, layer 1, key, head 0, [7]"
  double before = 0, after = 0;
  int64_t count = 0, all = 0; ///< elements that differ so, of how many

  /// "element [1, 3]: before 0.5, after 0.25 (2 of 96 differ)"
  std::string text() const;
};

/// How far a number may be from what it was.
struct Tolerance {
  double bound = 0;  ///< relative; 0: not at all
  bool ofRow = true; ///< to the largest number of its row before, else to that of the whole value: where terms of a row
                     ///< cancel, what rounding leaves has nothing to do with the row's size
};

/// NaN equals NaN and 0 equals -0. Codes of int8 may change by one under a bound, and sums of codes by anything: a code
/// that lies between two numbers falls on either side.
std::optional<Difference> compareTensors(const llm::reference::Tensor &before, const llm::reference::Tensor &after,
                                         const Tolerance &tolerance);

/// By request and position, whatever the page: what each request holds must agree, what belongs to nobody must still be
/// unwritten (NaN) after.
std::optional<Difference> compareCaches(const llm::reference::Cache &before, const llm::reference::Batch &beforeBatch,
                                        const llm::reference::Cache &after, const llm::reference::Batch &afterBatch,
                                        const Tolerance &tolerance);

/// The same for whatever the values are. Values of different kinds or extents differ.
std::optional<Difference> compareValues(const llm::reference::Value &before, const llm::reference::Batch &beforeBatch,
                                        const llm::reference::Value &after, const llm::reference::Batch &afterBatch,
                                        const Tolerance &tolerance);

} // namespace adze::execution

#endif // ADZE_PIPELINE_EXECUTION_COMPARISON_H
