// CudaTimer.h: how long work of a stream takes, by the GPU's clock.
//
// Between two events lie the work and what the GPU does to begin it. Launches that are given one by one from the host
// cost some microseconds each, more than short kernels take; as a graph they cost what they cost in a step that
// repeats. So the launches of a kernel become one graph, repeated in it until its time is far above the events' grain.
#ifndef ADZE_LIB_RUNTIME_DEVICE_CUDA_CUDATIMER_H
#define ADZE_LIB_RUNTIME_DEVICE_CUDA_CUDATIMER_H

#include "CudaModule.h"

#include <functional>

namespace adze::cuda {

/// Nanoseconds of what `give` gives to the stream; waits for its end. `what` names it where it fails.
Expected<double> timeStream(CudaContext &gpu, std::string_view what, const std::function<Status()> &give);

/// Device::timeKernels for a list of launches.
Expected<std::vector<KernelTiming>> timeLaunches(CudaContext &gpu, const CudaModule &module, const LaunchList &list,
                                                 const TimingOptions &options);

} // namespace adze::cuda
#endif
