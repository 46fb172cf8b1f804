// NativeProgram.h: the native phase: from a planned program and tile kernels to program.so.
#ifndef ADZE_PIPELINE_NATIVEPROGRAM_H
#define ADZE_PIPELINE_NATIVEPROGRAM_H

#include "adze/Pipeline/KernelCache.h"
#include "adze/Pipeline/Phase.h"
#include "adze/Support/Status.h"
#include "adze/Target/TargetInfo.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <string>

namespace adze {

/// Compiles each kernel as a module of its own, on `threads` threads, and links them with the host code into `output`.
/// A kernel that `cache` knows is taken from there. Object files lie in `scratchFolder`, which exists, and are removed
/// again. The module is consumed. `progress` is called with (done, all) as kernels are ready, from any thread, one call
/// at a time.
Status buildNativeProgram(mlir::ModuleOp module, const PhaseSettings &settings, const TargetInfo &target,
                          unsigned threads, const KernelCache &cache, const std::string &scratchFolder,
                          const std::string &output, const std::function<void(int64_t, int64_t)> &progress);

/// As above for a model whose kernels run on a GPU: host code alone. `grids` holds the function NAME_blocks of every
/// kernel in the llvm dialect. `target` is the host's.
Status buildHostProgram(mlir::ModuleOp module, mlir::ModuleOp grids, const PhaseSettings &settings,
                        const TargetInfo &target, const std::string &scratchFolder, const std::string &output);

} // namespace adze

#endif
