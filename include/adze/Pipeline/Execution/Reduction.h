// Reduction.h: the smallest module and inputs with which a pass still gives a wrong result.
#ifndef ADZE_PIPELINE_EXECUTION_REDUCTION_H
#define ADZE_PIPELINE_EXECUTION_REDUCTION_H

#include "adze/Pipeline/Execution/ExecutionCheck.h"
#include "adze/Support/Status.h"

namespace adze::execution {

struct Reduction {
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< with the inputs in `adze.scenario`
  std::string pass;                         ///< the pass that is wrong, the same as before
  std::string finding;                      ///< what the check says of the reduced module
  int64_t opsBefore = 0, opsAfter = 0;      ///< inside functions, terminators not counted
  int64_t trials = 0;
};

/// Runs `pipeline` (MLIR's text, anchored on the module) under the execution check, and where a pass is found wrong,
/// makes the module smaller while the same pass stays wrong: results that nobody needs to return, ops that become
/// arguments, functions, weights, arguments, then requests, tokens and the numbers themselves. Fails where the pipeline
/// cannot be built or finds nothing wrong. The module stays as it is.
Expected<Reduction> reduceWrongResult(mlir::ModuleOp module, const std::string &pipeline, const CheckOptions &options);

} // namespace adze::execution

#endif // ADZE_PIPELINE_EXECUTION_REDUCTION_H
