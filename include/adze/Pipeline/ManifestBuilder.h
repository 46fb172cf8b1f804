// ManifestBuilder.h: the manifest of a module that has passed the exec phase.
#ifndef ADZE_PIPELINE_MANIFESTBUILDER_H
#define ADZE_PIPELINE_MANIFESTBUILDER_H

#include "adze/Format/Manifest.h"
#include "adze/Format/StepValues.h"
#include "adze/Pipeline/Phase.h"
#include "adze/Target/GpuCode.h"
#include "adze/Target/TargetInfo.h"

#include "mlir/IR/BuiltinOps.h"

namespace adze {

/// Everything but the licence, the generation defaults, the legal tokens where the module does not state them, and the
/// sections: those come with the files, and but for the key `gpu`. `target` is the host's. Failure names the attribute
/// or op that the module lacks.
Expected<Manifest> buildManifest(mlir::ModuleOp module, const PhaseSettings &settings, const TargetInfo &target);

/// Fills in the key `gpu`: the kernels in the order of the manifest's.
Status describeGpu(Manifest &manifest, const TargetInfo &gpu, const std::vector<GpuKernel> &kernels);

/// What each launch of the module's program writes.
StepValues buildStepValues(mlir::ModuleOp module);

} // namespace adze

#endif
