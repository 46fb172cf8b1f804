// GpuCode.h: from an LLVM module to PTX text for a GPU of NVIDIA.
//
// The one place that knows LLVM's NVPTX back end. PTX is what an artifact carries where no assembler is at hand: the
// driver of the machine that runs it assembles it. Nothing here needs a CUDA toolkit or a GPU.
#ifndef ADZE_TARGET_GPUCODE_H
#define ADZE_TARGET_GPUCODE_H

#include "adze/Support/Status.h"
#include "adze/Target/TargetInfo.h"

#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace adze {

/// How one kernel is launched; the numbers of an artifact's manifest.
struct GpuKernel {
  std::string name;          ///< of the function, in the module and in the PTX
  int64_t threads = 0;       ///< of one block, one-dimensional
  int64_t sharedBytes = 0;   ///< dynamic shared memory of one block
  int64_t argumentBytes = 0; ///< of the argument block, the function's one parameter, by value
};

/// Optimises the module for the GPU and returns PTX text with one entry for each of `kernels`. All other functions are
/// dropped: they are the host's. Thread-safe for modules of different LLVM contexts. The same module and target give
/// the same text. Fails where the target is no GPU, a kernel is not in the module, or the module is not valid.
Expected<std::string> compileToPtx(llvm::Module &module, const TargetInfo &target,
                                   const std::vector<GpuKernel> &kernels);

} // namespace adze

#endif // ADZE_TARGET_GPUCODE_H
