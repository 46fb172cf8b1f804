// ExecutionCheck.h: runs what a module holds before and after each pass and compares.
//
//   CheckReport report;
//   addExecutionCheck(passManager, {.seed = 1, .cpu = findTarget("x86-64-v3")}, report);
//
// The first pass after which a result differs by more than the pass promises (adze/Transforms/NumericEffect.h) is
// reported as an error that names the pass, the op, the element and how to repeat it; later passes are not checked. A
// pass that changes nothing is not run for. Passes of one manager run one after the other (the check turns threads
// off), and kernels run in this process: one that a pass made write anywhere may end it.
#ifndef ADZE_PIPELINE_EXECUTION_EXECUTIONCHECK_H
#define ADZE_PIPELINE_EXECUTION_EXECUTIONCHECK_H

#include "adze/Pipeline/KernelCache.h"
#include "adze/Target/TargetInfo.h"
#include "mlir/Pass/PassManager.h"

#include <set>
#include <string>

namespace adze::execution {

struct CheckOptions {
  uint64_t seed = 1;
  const TargetInfo *cpu = nullptr; ///< what tile kernels are compiled for; this machine must run it
  std::shared_ptr<const KernelCache> kernels = std::make_shared<const KernelCache>(); ///< compiled before
};

struct CheckReport {
  int64_t passes = 0;         ///< passes that changed a module and were compared
  int64_t entries = 0;        ///< functions, programs and kernels, once for each module that was run
  int64_t runs = 0;           ///< executions
  std::set<std::string> left; ///< "@f: why it was not run"
  std::string wrongPass;      ///< the first pass that broke its promise
  bool numbersDiffer = false; ///< it did so by other numbers, not by making something that cannot run
  bool failed = false;        ///< an error was emitted

  /// "12 functions ran 60 times around 5 passes; not run: @k (why)"
  std::string text() const;
};

/// Dialects and translations that an execution needs, for the registry of a tool.
void registerExecution(mlir::DialectRegistry &registry);

/// The report must live until the manager has run. Options are used by one manager.
void addExecutionCheck(mlir::PassManager &manager, const CheckOptions &options, CheckReport &report);

} // namespace adze::execution

#endif // ADZE_PIPELINE_EXECUTION_EXECUTIONCHECK_H
