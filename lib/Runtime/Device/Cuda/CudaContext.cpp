// Opening a GPU, judging results, and bounded waits.
#include "CudaContext.h"

#include <chrono>
#include <fmt/format.h>
#include <thread>

using namespace adze;
using namespace adze::cuda;

namespace {
// Results after which the driver refuses all further work of the process (its manual says so of each).
bool isFault(Result result) {
  switch (result) {
  case kDeinitialized:
  case kDeviceUnavailable:
  case kEccUncorrectable:
  case kNvlinkUncorrectable:
  case kContained:
  case kIllegalAddress:
  case kLaunchTimeout:
  case kContextIsDestroyed:
  case kAssert:
  case kHardwareStackError:
  case kIllegalInstruction:
  case kMisalignedAddress:
  case kInvalidAddressSpace:
  case kInvalidPc:
  case kLaunchFailed:
  case kUnknown:
    return true;
  default:
    return false;
  }
}

// What to do about a driver that does not start, where more can be said than its own words.
const char *adviceFor(Result result) {
  switch (result) {
  case kNoDevice:
    return "no GPU is visible to this process: look at nvidia-smi, at CUDA_VISIBLE_DEVICES and at the container's "
           "settings";
  case kSystemDriverMismatch:
    return "the driver's library and its kernel module are of different versions: restart the machine";
  case kSystemNotReady:
    return "the system's GPUs are not ready: start the fabric manager (nvidia-fabricmanager)";
  case kStubLibrary:
    return "this is the toolkit's stub and not the driver: remove its folder from LD_LIBRARY_PATH";
  default:
    return "look at nvidia-smi and at the kernel's log (dmesg)";
  }
}
} // namespace

Expected<std::unique_ptr<CudaContext>> CudaContext::open(const CudaDeviceOptions &options) {
  Expected<std::shared_ptr<const DriverTable>> table = DriverTable::open(options.driver);
  if (!table)
    return table.status();
  auto gpu = std::make_unique<CudaContext>();
  gpu->driver = *table;
  gpu->options = options;
  const DriverTable &driver = **table;
  auto start = [&](Result result, const char *what) {
    return unsupported(fmt::format("the NVIDIA driver ({}, for CUDA {}) could not {}: {}; {}, or run on the CPU "
                                   "(--device cpu)",
                                   options.driver, versionText(driver.version), what, driver.describe(result),
                                   adviceFor(result)));
  };
  if (Result result = driver.init(0); result != kSuccess)
    return start(result, "start");
  int count = 0;
  if (Result result = driver.deviceGetCount(&count); result != kSuccess)
    return start(result, "count its GPUs");
  if (options.ordinal < 0 || options.ordinal >= count)
    return invalidInput(count == 0 ? fmt::format("the NVIDIA driver sees no GPU; {}, or run on the CPU (--device cpu)",
                                                 adviceFor(kNoDevice))
                                   : fmt::format("there is no GPU {}: this machine has {}, numbered from 0; accepted: "
                                                 "--device cuda:0 to cuda:{}",
                                                 options.ordinal, count, count - 1));
  if (Result result = driver.deviceGet(&gpu->device, options.ordinal); result != kSuccess)
    return start(result, "open the GPU");
  char name[256] = {};
  if (Result result = driver.deviceGetName(name, sizeof(name) - 1, gpu->device); result != kSuccess)
    return start(result, "name the GPU");
  gpu->name = name;
  for (auto [where, attribute] :
       {std::pair{&gpu->major, kComputeCapabilityMajor}, std::pair{&gpu->minor, kComputeCapabilityMinor}})
    if (Result result = driver.deviceGetAttribute(where, attribute, gpu->device); result != kSuccess)
      return start(result, "describe the GPU");
  if (Result result = driver.primaryContextRetain(&gpu->context, gpu->device); result != kSuccess)
    return start(result, "make a context on the GPU");
  if (Status status = gpu->enter(); !status.ok())
    return status;
  size_t free = 0, total = 0;
  if (Status status = gpu->check(driver.memGetInfo(&free, &total), "ask for its memory"); !status.ok())
    return status;
  gpu->totalBytes = int64_t(total);
  if (Status status = gpu->check(driver.streamCreate(&gpu->stream, kStreamNonBlocking), "make a stream"); !status.ok())
    return status;
  if (Status status = gpu->check(driver.eventCreate(&gpu->done, kEventDisableTiming), "make an event"); !status.ok())
    return status;
  return gpu;
}

CudaContext::~CudaContext() {
  // Freeing waits for the work in flight; where that never ends, the process's end frees everything.
  if (!context || hung)
    return;
  driver->contextSetCurrent(context);
  if (done)
    driver->eventDestroy(done);
  if (stream)
    driver->streamDestroy(stream);
  driver->primaryContextRelease(device);
}

std::string CudaContext::text() const {
  return fmt::format("GPU {} ({}, sm_{}{})", options.ordinal, name, major, minor);
}

Status CudaContext::enter() {
  if (!lost.ok())
    return lost;
  return check(driver->contextSetCurrent(context), "make its context current");
}

Status CudaContext::check(Result result, std::string_view what) {
  if (result == kSuccess)
    return Status();
  bool fault = isFault(result);
  std::string message =
      fmt::format("{}: could not {}: {}", text(), fault && !duty.empty() ? duty : what, driver->describe(result));
  if (result == kOutOfMemory)
    return resourceExhausted(message + "; lower --kv-memory, --step-tokens or --requests, or end other programs that "
                                       "hold memory of this GPU");
  if (!fault)
    return internalError(message);
  if (lost.ok())
    lost = internalError(message + "; the GPU takes no more work from this process: start it again, and if it happens "
                                   "again look at nvidia-smi and at the kernel's log (dmesg) for Xid lines");
  return lost;
}

Status CudaContext::wait(Event event, std::string_view what) {
  using Clock = std::chrono::steady_clock;
  // Asking again at once keeps the latency of a decode step; a step that takes longer can spare the core.
  constexpr auto kBusy = std::chrono::milliseconds(20);
  constexpr auto kNap = std::chrono::microseconds(50);
  Clock::time_point start = Clock::now();
  for (;;) {
    Result result = driver->eventQuery(event);
    if (result != kNotReady)
      return check(result, what);
    Clock::duration passed = Clock::now() - start;
    if (passed > std::chrono::milliseconds(options.timeoutMilliseconds)) {
      hung = true;
      lost =
          internalError(fmt::format("{}: did not {} within {} ms (the limit; --device-timeout sets it); what it runs "
                                    "cannot be stopped, so it takes no more work from this process: start it again",
                                    text(), what, options.timeoutMilliseconds));
      return lost;
    }
    if (passed > kBusy)
      std::this_thread::sleep_for(kNap);
    else
      std::this_thread::yield();
  }
}

Status CudaContext::drain(std::string_view what) {
  if (Status status = check(driver->eventRecord(done, stream), what); !status.ok())
    return status;
  return wait(done, what);
}
