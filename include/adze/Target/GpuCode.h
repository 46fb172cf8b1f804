// GpuCode.h: from an LLVM module to PTX text for a GPU of NVIDIA, and from that to machine code.
//
// The one place that knows LLVM's NVPTX back end and NVIDIA's assembler. PTX needs no CUDA toolkit and no GPU: the
// driver of the machine that runs it assembles it, which takes seconds. Machine code (a cubin) is loaded at once, and
// is made where ptxas is found.
#ifndef ADZE_TARGET_GPUCODE_H
#define ADZE_TARGET_GPUCODE_H

#include "adze/Support/Status.h"
#include "adze/Target/TargetInfo.h"

#include <optional>
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

/// NVIDIA's assembler.
struct GpuAssembler {
  std::string path;
  std::string version; ///< "13.0.88"
  int64_t driver = 0;  ///< the oldest driver that loads its cubins, as 1000 * major + 10 * minor of CUDA
};

/// The assembler at `path`; where that is empty the one on the PATH, else that of /usr/local/cuda, else nothing. Fails
/// where `path` is given and is no ptxas, or what was found does not tell its version.
Expected<std::optional<GpuAssembler>> findGpuAssembler(const std::string &path);

/// Machine code for exactly that GPU (and later ones of its major number). `scratch` is a folder for files that are
/// removed again. Fails with the assembler's messages.
Expected<std::string> assemblePtx(const std::string &ptx, const TargetInfo &target, const GpuAssembler &assembler,
                                  const std::string &scratch);

} // namespace adze

#endif // ADZE_TARGET_GPUCODE_H
