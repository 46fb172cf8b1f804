// CudaContext.h: one opened GPU: its context, its stream, and what has gone wrong on it.
//
// Holds the device's primary context (the one that other libraries of the process use as well) and one stream, in which
// everything happens in order. check() turns each result of the driver into a Status. Two kinds are told apart: a
// refusal concerns one call (no memory, a bad size) and the GPU goes on; after a fault (an illegal address, a trap, an
// error of the hardware, a step past its time limit) the driver accepts nothing more from this process, so the first
// one is kept and every later call returns it. Waiting is always bounded: the driver is asked, never waited on, because
// a blocking wait for a kernel that does not end never returns.
//
// One thread at a time; enter() makes the context current on the calling thread.
#ifndef ADZE_LIB_RUNTIME_DEVICE_CUDA_CUDACONTEXT_H
#define ADZE_LIB_RUNTIME_DEVICE_CUDA_CUDACONTEXT_H

#include "DriverTable.h"

#include "adze/Runtime/Device/Cuda/CudaDevice.h"

namespace adze::cuda {

struct CudaContext {
  static Expected<std::unique_ptr<CudaContext>> open(const CudaDeviceOptions &options);
  ~CudaContext();

  /// "GPU 0 (NVIDIA H200, sm_90)".
  std::string text() const;
  int capability() const { return major * 10 + minor; }

  /// Ok, or the fault that ended the use of this GPU.
  Status enter();
  /// Ok, or "GPU 0 (...): could not WHAT: ...". Keeps the Status where it is a fault.
  Status check(Result result, std::string_view what);
  /// Asks until `event` has passed, for at most the time limit of the options; past it the GPU counts as lost.
  Status wait(Event event, std::string_view what);
  /// Records the context's own event and waits for it.
  Status drain(std::string_view what);

  std::shared_ptr<const DriverTable> driver;
  CudaDeviceOptions options;
  DeviceNumber device = 0;
  Context context = nullptr;
  Stream stream = nullptr;
  Event done = nullptr;
  std::string name;
  int major = 0, minor = 0;
  int64_t totalBytes = 0;
  // What the GPU is busy with, "finish a step of 5 tokens". A fault is told of by whatever call comes next, so the call
  // says nothing about it and this is named instead.
  std::string duty;
  Status lost;       // the first fault
  bool hung = false; // work was given up on: the driver must not be asked to free what that work may use
};

} // namespace adze::cuda
#endif
