// DriverApi.h: the part of NVIDIA's driver interface that the CUDA device uses, declared by ourselves.
//
// The driver (libcuda.so.1) is a C library with a stable binary interface; its manual documents each function, each
// constant's number and which suffix (_v2) goes with which signature. Forty declarations are all we need, so the
// CUDA device is part of every build: a machine without the toolkit makes the same `adze` as one with it, and a binary
// made on the one answers on the other. test/Conformance/DriverApiTest.cpp compares every line below with cuda.h
// wherever a toolkit is installed.
#ifndef ADZE_LIB_RUNTIME_DEVICE_CUDA_DRIVERAPI_H
#define ADZE_LIB_RUNTIME_DEVICE_CUDA_DRIVERAPI_H

#include <cstddef>
#include <cstdint>

namespace adze::cuda {

using Result = int; // CUresult
using DeviceNumber = int;
using DevicePointer = unsigned long long;
using Context = struct ContextHandle *;
using Module = struct ModuleHandle *;
using Function = struct FunctionHandle *;
using Stream = struct StreamHandle *;
using Event = struct EventHandle *;
using Graph = struct GraphHandle *;
using GraphExec = struct GraphExecHandle *;

inline constexpr Result kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2, kDeinitialized = 4, kStubLibrary = 34,
                        kDeviceUnavailable = 46, kNoDevice = 100, kNoBinaryForGpu = 209, kEccUncorrectable = 214,
                        kInvalidPtx = 218, kNvlinkUncorrectable = 220, kUnsupportedPtxVersion = 222, kContained = 226,
                        kNotFound = 500, kNotReady = 600, kIllegalAddress = 700, kLaunchTimeout = 702,
                        kContextIsDestroyed = 709, kAssert = 710, kHardwareStackError = 714, kIllegalInstruction = 715,
                        kMisalignedAddress = 716, kInvalidAddressSpace = 717, kInvalidPc = 718, kLaunchFailed = 719,
                        kSystemNotReady = 802, kSystemDriverMismatch = 803, kUnknown = 999;

// Constants of enumerations that functions take as int.
inline constexpr int kComputeCapabilityMajor = 75, kComputeCapabilityMinor = 76, kMultiprocessorCount = 16,
                     kMaxSharedMemoryPerBlockOptin = 97;
inline constexpr int kFunctionMaxThreads = 0, kFunctionMaxDynamicShared = 8;
inline constexpr int kJitErrorLogBuffer = 5, kJitErrorLogBufferBytes = 6;
inline constexpr int kCaptureThreadLocal = 1;
inline constexpr unsigned kStreamNonBlocking = 1, kEventDefault = 0, kEventDisableTiming = 2;

/// Words of the `extra` array of a launch whose arguments are one packed buffer.
inline void *const kLaunchParamEnd = nullptr;
inline void *const kLaunchParamBufferPointer = reinterpret_cast<void *>(1);
inline void *const kLaunchParamBufferSize = reinterpret_cast<void *>(2);

} // namespace adze::cuda

/// Every function: our name, the exported symbol, the parameters. All return Result. The symbols are those of CUDA 12.0
/// and are exported by every later driver.
#define ADZE_CUDA_FUNCTIONS(X)                                                                                         \
  X(init, cuInit, (unsigned flags))                                                                                    \
  X(getErrorName, cuGetErrorName, (Result, const char **))                                                             \
  X(getErrorString, cuGetErrorString, (Result, const char **))                                                         \
  X(deviceGetCount, cuDeviceGetCount, (int *))                                                                         \
  X(deviceGet, cuDeviceGet, (DeviceNumber *, int ordinal))                                                             \
  X(deviceGetName, cuDeviceGetName, (char *, int length, DeviceNumber))                                                \
  X(deviceGetAttribute, cuDeviceGetAttribute, (int *, int attribute, DeviceNumber))                                    \
  X(primaryContextRetain, cuDevicePrimaryCtxRetain, (Context *, DeviceNumber))                                         \
  X(primaryContextRelease, cuDevicePrimaryCtxRelease_v2, (DeviceNumber))                                               \
  X(contextSetCurrent, cuCtxSetCurrent, (Context))                                                                     \
  X(memGetInfo, cuMemGetInfo_v2, (size_t *free, size_t *total))                                                        \
  X(memAlloc, cuMemAlloc_v2, (DevicePointer *, size_t))                                                                \
  X(memFree, cuMemFree_v2, (DevicePointer))                                                                            \
  X(memHostAlloc, cuMemHostAlloc, (void **, size_t, unsigned flags))                                                   \
  X(memFreeHost, cuMemFreeHost, (void *))                                                                              \
  X(memcpyHostToDevice, cuMemcpyHtoDAsync_v2, (DevicePointer, const void *, size_t, Stream))                           \
  X(memcpyDeviceToHost, cuMemcpyDtoHAsync_v2, (void *, DevicePointer, size_t, Stream))                                 \
  X(memcpyDeviceToDevice, cuMemcpyDtoDAsync_v2, (DevicePointer, DevicePointer, size_t, Stream))                        \
  X(memsetBytes, cuMemsetD8Async, (DevicePointer, unsigned char, size_t, Stream))                                      \
  X(streamCreate, cuStreamCreate, (Stream *, unsigned flags))                                                          \
  X(streamDestroy, cuStreamDestroy_v2, (Stream))                                                                       \
  X(streamBeginCapture, cuStreamBeginCapture_v2, (Stream, int mode))                                                   \
  X(streamEndCapture, cuStreamEndCapture, (Stream, Graph *))                                                           \
  X(eventCreate, cuEventCreate, (Event *, unsigned flags))                                                             \
  X(eventDestroy, cuEventDestroy_v2, (Event))                                                                          \
  X(eventRecord, cuEventRecord, (Event, Stream))                                                                       \
  X(eventQuery, cuEventQuery, (Event))                                                                                 \
  X(eventElapsedTime, cuEventElapsedTime, (float *milliseconds, Event, Event))                                         \
  X(moduleLoad, cuModuleLoadDataEx, (Module *, const void *, unsigned count, int *options, void **values))             \
  X(moduleUnload, cuModuleUnload, (Module))                                                                            \
  X(moduleGetFunction, cuModuleGetFunction, (Function *, Module, const char *name))                                    \
  X(functionGetAttribute, cuFuncGetAttribute, (int *, int attribute, Function))                                        \
  X(functionSetAttribute, cuFuncSetAttribute, (Function, int attribute, int value))                                    \
  X(launchKernel, cuLaunchKernel,                                                                                      \
    (Function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ,      \
     unsigned sharedBytes, Stream, void **parameters, void **extra))                                                   \
  X(graphInstantiate, cuGraphInstantiateWithFlags, (GraphExec *, Graph, unsigned long long flags))                     \
  X(graphLaunch, cuGraphLaunch, (GraphExec, Stream))                                                                   \
  X(graphExecDestroy, cuGraphExecDestroy, (GraphExec))                                                                 \
  X(graphDestroy, cuGraphDestroy, (Graph))

#endif
