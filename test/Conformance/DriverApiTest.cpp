// Our declarations of the driver against NVIDIA's cuda.h, where that is installed: same symbols, same parameter sizes,
// same numbers. A difference does not compile.
#include "DriverApi.h"

#include <gtest/gtest.h>

#ifdef ADZE_HAS_CUDA_H
#include <cuda.h>

using namespace adze::cuda;

namespace {
template <class A, class B>
constexpr bool sameKind = sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B>;
template <class Ours, class Theirs> struct SameShape : std::false_type {};
template <class... A, class... B>
struct SameShape<Result(A...), CUresult(B...)> : std::bool_constant<sizeof...(A) == sizeof...(B)> {
  static constexpr bool compare() {
    if constexpr (sizeof...(A) == sizeof...(B))
      return (sameKind<A, B> && ...);
    return false;
  }
};

// cuda.h maps each name to the version of its toolkit; the symbols with suffixes are declared for the same signatures.
#define ADZE_CUDA_COMPARE(name, symbol, parameters)                                                                    \
  static_assert(SameShape<Result parameters, decltype(::symbol)>::compare(), #symbol);
ADZE_CUDA_FUNCTIONS(ADZE_CUDA_COMPARE)

static_assert(sizeof(DevicePointer) == sizeof(CUdeviceptr) && sizeof(DeviceNumber) == sizeof(CUdevice));
static_assert(kSuccess == CUDA_SUCCESS && kInvalidValue == CUDA_ERROR_INVALID_VALUE &&
              kOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY && kDeinitialized == CUDA_ERROR_DEINITIALIZED &&
              kStubLibrary == CUDA_ERROR_STUB_LIBRARY && kDeviceUnavailable == CUDA_ERROR_DEVICE_UNAVAILABLE &&
              kNoDevice == CUDA_ERROR_NO_DEVICE && kNoBinaryForGpu == CUDA_ERROR_NO_BINARY_FOR_GPU &&
              kEccUncorrectable == CUDA_ERROR_ECC_UNCORRECTABLE && kInvalidPtx == CUDA_ERROR_INVALID_PTX &&
              kNvlinkUncorrectable == CUDA_ERROR_NVLINK_UNCORRECTABLE &&
              kUnsupportedPtxVersion == CUDA_ERROR_UNSUPPORTED_PTX_VERSION && kNotFound == CUDA_ERROR_NOT_FOUND &&
              kNotReady == CUDA_ERROR_NOT_READY && kIllegalAddress == CUDA_ERROR_ILLEGAL_ADDRESS &&
              kLaunchTimeout == CUDA_ERROR_LAUNCH_TIMEOUT && kContextIsDestroyed == CUDA_ERROR_CONTEXT_IS_DESTROYED &&
              kAssert == CUDA_ERROR_ASSERT && kHardwareStackError == CUDA_ERROR_HARDWARE_STACK_ERROR &&
              kIllegalInstruction == CUDA_ERROR_ILLEGAL_INSTRUCTION &&
              kMisalignedAddress == CUDA_ERROR_MISALIGNED_ADDRESS &&
              kInvalidAddressSpace == CUDA_ERROR_INVALID_ADDRESS_SPACE && kInvalidPc == CUDA_ERROR_INVALID_PC &&
              kLaunchFailed == CUDA_ERROR_LAUNCH_FAILED && kSystemNotReady == CUDA_ERROR_SYSTEM_NOT_READY &&
              kSystemDriverMismatch == CUDA_ERROR_SYSTEM_DRIVER_MISMATCH && kUnknown == CUDA_ERROR_UNKNOWN);
#if CUDA_VERSION >= 12080
static_assert(kContained == CUDA_ERROR_CONTAINED);
#endif
static_assert(kComputeCapabilityMajor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR &&
              kComputeCapabilityMinor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR &&
              kMaxSharedMemoryPerBlockOptin == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN &&
              kFunctionMaxThreads == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK &&
              kFunctionMaxDynamicShared == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES &&
              kJitErrorLogBuffer == CU_JIT_ERROR_LOG_BUFFER &&
              kJitErrorLogBufferBytes == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES &&
              kCaptureThreadLocal == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL &&
              kStreamNonBlocking == CU_STREAM_NON_BLOCKING && kEventDefault == CU_EVENT_DEFAULT &&
              kEventDisableTiming == CU_EVENT_DISABLE_TIMING);
} // namespace

TEST(DriverApi, IsDeclaredAsInCudaH) {
  EXPECT_EQ(kLaunchParamEnd, CU_LAUNCH_PARAM_END);
  EXPECT_EQ(kLaunchParamBufferPointer, CU_LAUNCH_PARAM_BUFFER_POINTER);
  EXPECT_EQ(kLaunchParamBufferSize, CU_LAUNCH_PARAM_BUFFER_SIZE);
}
#else
TEST(DriverApi, IsDeclaredAsInCudaH) { GTEST_SKIP() << "no cuda.h is installed to compare with (ADZE_CUDA_INCLUDE)"; }
#endif
