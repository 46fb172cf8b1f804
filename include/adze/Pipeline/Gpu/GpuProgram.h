// GpuProgram.h: the kernels of a module as code for a GPU.
#ifndef ADZE_PIPELINE_GPU_GPUPROGRAM_H
#define ADZE_PIPELINE_GPU_GPUPROGRAM_H

#include "adze/Target/GpuCode.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace adze {

struct GpuProgram {
  std::string ptx;                         ///< text with one entry for each kernel
  std::vector<GpuKernel> kernels;          ///< in the order of the module
  mlir::OwningOpRef<mlir::ModuleOp> grids; ///< the host's functions NAME_blocks, in the llvm dialect

  /// The PTX behind one comment for each kernel: "// launch NAME threads 128 shared 256 arguments 40", bytes.
  std::string text() const;
};

/// Brings every tile kernel of the module (which stays as it is) down to PTX. The passes of
/// adze/Transforms/Tile/Passes.h get registered. Fails with the diagnostics' reason where a kernel has no form on the
/// target.
Expected<GpuProgram> buildGpuProgram(mlir::ModuleOp module, const TargetInfo &target);

/// The kernels of a module that convert-tile-to-gpu and the passes behind it made, by their `adze.launch`.
std::vector<GpuKernel> gpuKernelsOf(mlir::ModuleOp module);

} // namespace adze

#endif // ADZE_PIPELINE_GPU_GPUPROGRAM_H
