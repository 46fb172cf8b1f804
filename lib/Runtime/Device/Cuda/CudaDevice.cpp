// The GPU as a Device: memory, and the order of one step.
#include "adze/Runtime/Device/Cuda/CudaDevice.h"

#include "CudaGraphCache.h"
#include "CudaTimer.h"
#include "CudaUpload.h"

#include <cstring>
#include <fmt/format.h>
#include <map>

using namespace adze;
using namespace adze::cuda;

namespace {
DevicePointer deviceAddress(const void *start) { return DevicePointer(reinterpret_cast<uintptr_t>(start)); }
} // namespace

// Members end in reverse order: graphs before the modules whose functions they hold, modules before the context.
struct CudaDevice::State {
  explicit State(std::unique_ptr<CudaContext> context) : context(std::move(context)), graphs(*this->context) {}
  ~State() {
    if (context->lost.ok())
      (void)context->enter();
    if (!context->hung)
      for (Event event : profile)
        context->driver->eventDestroy(event);
  }

  std::unique_ptr<CudaContext> context;
  std::map<const AdzeProgram *, std::unique_ptr<CudaModule>> modules;
  CudaGraphCache graphs;
  LaunchList list;            // kept for its capacity
  std::vector<Event> profile; // one more than the launches of the largest profiled step
};

Expected<std::unique_ptr<CudaDevice>> CudaDevice::create(const CudaDeviceOptions &options) {
  Expected<std::unique_ptr<CudaContext>> context = CudaContext::open(options);
  if (!context)
    return context.status();
  return std::unique_ptr<CudaDevice>(new CudaDevice(std::make_unique<State>(std::move(*context))));
}

CudaDevice::CudaDevice(std::unique_ptr<State> state) : state(std::move(state)) {}
CudaDevice::~CudaDevice() = default;

std::string CudaDevice::name() const {
  const CudaContext &gpu = *state->context;
  return fmt::format("{} with {:.1f} GiB, driver for CUDA {}", gpu.text(), double(gpu.totalBytes) / double(1 << 30),
                     versionText(gpu.driver->version));
}

Status CudaDevice::fault() const { return state->context->lost; }
const GraphCounters &CudaDevice::graphCounters() const { return state->graphs.counters; }

Expected<std::optional<int64_t>> CudaDevice::availableBytes() {
  CudaContext &gpu = *state->context;
  if (Status status = gpu.enter(); !status.ok())
    return status;
  size_t free = 0, total = 0;
  if (Status status = gpu.check(gpu.driver->memGetInfo(&free, &total), "ask for its memory"); !status.ok())
    return status;
  return std::optional(std::max<int64_t>(0, int64_t(free) - gpu.options.reserveBytes));
}

uint8_t *CudaDevice::allocateBytes(int64_t size) {
  CudaContext &gpu = *state->context;
  DevicePointer start = 0;
  if (!gpu.enter().ok() || !gpu.check(gpu.driver->memAlloc(&start, size_t(size)), "allocate memory").ok())
    return nullptr;
  if (!gpu.check(gpu.driver->memsetBytes(start, 0, size_t(size), gpu.stream), "clear memory").ok()) {
    gpu.driver->memFree(start);
    return nullptr;
  }
  return reinterpret_cast<uint8_t *>(uintptr_t(start));
}

void CudaDevice::freeBytes(uint8_t *start, int64_t) {
  CudaContext &gpu = *state->context;
  if (gpu.hung)
    return;
  gpu.driver->contextSetCurrent(gpu.context);
  gpu.driver->memFree(deviceAddress(start));
}

uint8_t *CudaDevice::openHostBytes(uint8_t *, int64_t size) {
  CudaContext &gpu = *state->context;
  void *memory = nullptr;
  if (!gpu.enter().ok() ||
      !gpu.check(gpu.driver->memHostAlloc(&memory, size_t(size), 0), "get page-locked host memory").ok())
    return nullptr;
  std::fill_n(static_cast<uint8_t *>(memory), size, uint8_t(0));
  return static_cast<uint8_t *>(memory);
}

void CudaDevice::closeHostBytes(uint8_t *host, int64_t) {
  CudaContext &gpu = *state->context;
  if (gpu.hung)
    return;
  gpu.driver->contextSetCurrent(gpu.context);
  gpu.driver->memFreeHost(host);
}

Status CudaDevice::load(const AdzeProgram &program, const KernelImage &image) {
  if (Status status = state->context->enter(); !status.ok())
    return status;
  Expected<std::unique_ptr<CudaModule>> module = CudaModule::load(*state->context, program, image);
  if (!module)
    return module.status();
  // A program of the same address is another one now (the first was unloaded): its graphs go with it.
  std::unique_ptr<CudaModule> &place = state->modules[&program];
  if (place)
    state->graphs.forget(*place);
  place = std::move(*module);
  return Status();
}

Expected<DeviceBuffer> CudaDevice::upload(std::span<const uint8_t> bytes, std::string_view what,
                                          std::string_view option) {
  Expected<DeviceBuffer> buffer = allocate(int64_t(bytes.size()), what, option);
  if (!buffer || bytes.empty())
    return buffer;
  if (Status status = uploadBytes(*state->context, bytes, deviceAddress(buffer->data()), report); !status.ok())
    return status.withContext(what);
  return buffer;
}

Status CudaDevice::fill(const DeviceBuffer &buffer, uint8_t value) {
  CudaContext &gpu = *state->context;
  if (Status status = gpu.enter(); !status.ok() || !buffer.data())
    return status;
  return gpu.check(gpu.driver->memsetBytes(deviceAddress(buffer.data()), value, size_t(buffer.size()), gpu.stream),
                   "fill memory");
}

Status CudaDevice::read(const void *from, std::span<uint8_t> to) {
  CudaContext &gpu = *state->context;
  if (Status status = gpu.enter(); !status.ok() || to.empty())
    return status;
  void *memory = nullptr;
  if (Status status = gpu.check(gpu.driver->memHostAlloc(&memory, to.size(), 0), "get page-locked host memory");
      !status.ok())
    return status;
  Status status = gpu.check(gpu.driver->memcpyDeviceToHost(memory, deviceAddress(from), to.size(), gpu.stream),
                            fmt::format("read {} bytes", to.size()));
  if (status.ok())
    status = gpu.drain(fmt::format("read {} bytes", to.size()));
  if (status.ok())
    std::memcpy(to.data(), memory, to.size());
  if (!gpu.hung)
    gpu.driver->memFreeHost(memory);
  return status;
}

Status CudaDevice::write(void *to, std::span<const uint8_t> from) {
  CudaContext &gpu = *state->context;
  if (Status status = gpu.enter(); !status.ok() || from.empty())
    return status;
  void *memory = nullptr;
  if (Status status = gpu.check(gpu.driver->memHostAlloc(&memory, from.size(), 0), "get page-locked host memory");
      !status.ok())
    return status;
  std::memcpy(memory, from.data(), from.size());
  std::string what = fmt::format("write {} bytes", from.size());
  Status status = gpu.check(gpu.driver->memcpyHostToDevice(deviceAddress(to), memory, from.size(), gpu.stream), what);
  if (status.ok())
    status = gpu.drain(what);
  if (!gpu.hung)
    gpu.driver->memFreeHost(memory);
  return status;
}

Expected<double> CudaDevice::copy(void *to, const void *from, int64_t bytes) {
  CudaContext &gpu = *state->context;
  if (Status status = gpu.enter(); !status.ok())
    return status;
  if (bytes == 0)
    return 0.0;
  std::string what = fmt::format("copy {} bytes", bytes);
  return timeStream(gpu, what, [&] {
    return gpu.check(
        gpu.driver->memcpyDeviceToDevice(deviceAddress(to), deviceAddress(from), size_t(bytes), gpu.stream), what);
  });
}

Expected<std::vector<KernelTiming>> CudaDevice::timeKernels(const AdzeProgram &program, const AdzeStep &step,
                                                            const StepCopies &copies, const TimingOptions &options) {
  // The step brings its arrays to the GPU and leaves the list of its launches.
  if (Status status = runStep(program, step, copies); !status.ok())
    return status;
  CudaContext &gpu = *state->context;
  return timeLaunches(gpu, *state->modules.at(&program), state->list, options);
}

// Launch by launch: with a time behind each where they are profiled, waited for where they are observed.
Status CudaDevice::runWatched(const AdzeStep &step, const CudaModule &module) {
  CudaContext &gpu = *state->context;
  const DriverTable &driver = *gpu.driver;
  const LaunchList &list = state->list;
  std::vector<Event> &events = state->profile;
  while (profiling && events.size() <= list.launches.size()) {
    Event event = nullptr;
    if (Status status = gpu.check(driver.eventCreate(&event, kEventDefault), "make an event"); !status.ok())
      return status;
    events.push_back(event);
  }
  auto time = [&](size_t number) {
    return profiling ? gpu.check(driver.eventRecord(events[number], gpu.stream), "time a launch") : Status();
  };
  Status status = time(0);
  for (size_t i = 0; status.ok() && i < list.launches.size(); ++i) {
    const CudaLaunch &launch = list.launches[i];
    status = module.launch(list, launch);
    if (status.ok())
      status = time(i + 1);
    if (!status.ok() || !observer)
      continue;
    status = gpu.drain(gpu.duty);
    if (status.ok())
      observer({step, int64_t(i), launch.kernel,
                reinterpret_cast<const uint64_t *>(list.arguments.data() + launch.arguments)});
  }
  return status;
}

// After the step has ended. What lies between two events is the launch and the pause before it.
Status CudaDevice::addProfile(uint32_t kernels) {
  counters.resize(kernels);
  CudaContext &gpu = *state->context;
  for (size_t i = 0; i < state->list.launches.size(); ++i) {
    float milliseconds = 0;
    Status status = gpu.check(gpu.driver->eventElapsedTime(&milliseconds, state->profile[i], state->profile[i + 1]),
                              "tell the time of a launch");
    if (!status.ok())
      return status;
    KernelCounter &counter = counters[state->list.launches[i].kernel];
    ++counter.launches;
    counter.nanoseconds += int64_t(double(milliseconds) * 1e6);
  }
  return Status();
}

Status CudaDevice::runStep(const AdzeProgram &program, const AdzeStep &step, const StepCopies &copies) {
  CudaContext &gpu = *state->context;
  if (Status status = gpu.enter(); !status.ok())
    return status;
  auto found = state->modules.find(&program);
  if (found == state->modules.end())
    return internalError(fmt::format("a step of a program that was not loaded on {}", gpu.text()));
  const CudaModule &module = *found->second;
  // The host's code runs to its end first: a program that stops its step has launched nothing.
  if (Status status = module.record(program, step, state->list); !status.ok())
    return status;

  gpu.duty = fmt::format("finish a step of {} tokens", step.tokens);
  Status status;
  for (const WindowRange &range : copies.in)
    if (status.ok() && range.bytes > 0)
      status = gpu.check(gpu.driver->memcpyHostToDevice(deviceAddress(range.window->device() + range.offset),
                                                        range.window->data() + range.offset, size_t(range.bytes),
                                                        gpu.stream),
                         "fetch the arrays of a step");
  if (status.ok())
    status = watching ? runWatched(step, module) : state->graphs.run(module, state->list);
  for (const WindowRange &range : copies.out)
    if (status.ok() && range.bytes > 0)
      status = gpu.check(gpu.driver->memcpyDeviceToHost(range.window->data() + range.offset,
                                                        deviceAddress(range.window->device() + range.offset),
                                                        size_t(range.bytes), gpu.stream),
                         "return the results of a step");
  // Waited for in any case: what was given to the GPU before a refusal still uses the buffers.
  Status ended = gpu.lost.ok() ? gpu.drain(gpu.duty) : gpu.lost;
  if (!gpu.lost.ok())
    return gpu.lost;
  if (!status.ok() || !ended.ok())
    return status.ok() ? ended : status;
  return profiling ? addProfile(program.kernel_count) : Status();
}
