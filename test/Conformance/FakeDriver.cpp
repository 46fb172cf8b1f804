// The fake driver's functions, with the exported names and the documented behaviour of the real ones.
#include "FakeDriver.h"

#include "adze/Abi/Program.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {
enum { kOk = 0, kInvalid = 1, kNoMemory = 2, kNotFound = 500, kNotReady = 600, kBadHandle = 400 };

using Operation = std::function<int()>; // 0, a fault, or FAKE_NEVER_ENDS
struct Event {
  bool recorded = false, passed = false;
  int asked = 0;
  double time = 0;
};
using Kernel = std::function<int(const void *arguments, int64_t blocks)>;
struct Function {
  Kernel run;
  std::vector<size_t> parameters; // bytes of each
};
struct Module {
  std::string text;
  std::map<std::string, Kernel> kernels; // of the program that its first line names
  std::map<std::string, Function> functions;
};
struct Graph {
  std::vector<Operation> operations;
};

struct Fake {
  std::map<uint64_t, uint64_t> memory;  // address to size
  std::map<uintptr_t, uint64_t> locked; // page-locked ranges of the host
  std::set<void *> pinned, modules, graphs, events, streams;
  std::map<std::string, Kernel> kernels; // of the test
  std::vector<Operation> queue;
  std::unique_ptr<Graph> capturing;
  uint64_t used = 0;
  int fault = 0;
  double clock = 0;
  int contexts = 0;
};
Fake fake;
FakeDriverControl control;
std::mutex mutex; // of the functions that the threads of an upload call

int misuse(int result = kInvalid) {
  ++control.counts.misuse;
  return result;
}
int give(Operation operation) {
  if (fake.fault)
    return fake.fault;
  (fake.capturing ? fake.capturing->operations : fake.queue).push_back(std::move(operation));
  return kOk;
}
size_t wholePages(size_t size) { return (size + 4095) / 4096 * 4096; }
// The device's memory is closed but while its work is done: host code that follows a pointer of the device's crashes.
void openMemory(int access) {
  for (const auto &[start, size] : fake.memory)
    mprotect(reinterpret_cast<void *>(uintptr_t(start)), wholePages(size), access);
}
// Does what lies in the stream, until something never ends.
void work() {
  if (fake.queue.empty() || fake.fault || control.settings.neverEnds)
    return;
  openMemory(PROT_READ | PROT_WRITE);
  while (!fake.queue.empty() && !fake.fault && !control.settings.neverEnds) {
    int result = fake.queue.front()();
    if (result == FAKE_NEVER_ENDS) {
      control.settings.neverEnds = 1; // nothing behind it happens, and it is not run again
      break;
    }
    fake.queue.erase(fake.queue.begin());
    fake.fault = result;
  }
  openMemory(PROT_NONE);
}
bool inside(const std::map<uintptr_t, uint64_t> &ranges, const void *start, size_t size) {
  auto found = ranges.upper_bound(uintptr_t(start));
  return found != ranges.begin() && (--found, uintptr_t(start) + size <= found->first + found->second);
}
bool onDevice(uint64_t start, size_t size) {
  auto found = fake.memory.upper_bound(start);
  return found != fake.memory.begin() && (--found, start + size <= found->first + found->second);
}

// The kernels of a program for the CPU, for code that begins with "// program: FILE".
std::map<std::string, Kernel> kernelsOf(const std::string &text) {
  const std::string mark = "// program: ";
  std::map<std::string, Kernel> kernels;
  if (text.compare(0, mark.size(), mark) != 0)
    return kernels;
  std::string file = text.substr(mark.size(), text.find('\n') - mark.size());
  void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  auto get = library ? reinterpret_cast<const AdzeProgram *(*)()>(dlsym(library, ADZE_PROGRAM_SYMBOL)) : nullptr;
  for (uint32_t i = 0; get && i < get()->kernel_count; ++i)
    kernels[get()->kernels[i].name] = [kernel = get()->kernels[i]](const void *arguments, int64_t blocks) {
      return kernel.entry(arguments, 0, blocks), int(kOk);
    };
  return kernels;
}

// The sizes in a list such as ".param .u64 a, .param .align 8 .b8 b[24]".
std::vector<size_t> parametersIn(const std::string &list) {
  std::vector<size_t> sizes;
  for (size_t at = list.find(".param"); at != std::string::npos;) {
    size_t next = list.find(".param", at + 1);
    std::string one = list.substr(at, next - at);
    size_t array = one.find('[');
    sizes.push_back(array != std::string::npos             ? std::stoul(one.substr(array + 1))
                    : one.find("64 ") != std::string::npos ? 8
                                                           : 4);
    at = next;
  }
  return sizes;
}

// Frees what is left as well: a device that has given up on its GPU leaves everything to the process's end.
void reset() {
  for (const auto &[start, size] : fake.memory)
    munmap(reinterpret_cast<void *>(uintptr_t(start)), wholePages(size));
  for (void *memory : fake.pinned)
    std::free(memory);
  for (void *module : fake.modules)
    delete static_cast<Module *>(module);
  for (void *graph : fake.graphs)
    delete static_cast<Graph *>(graph);
  for (void *event : fake.events)
    delete static_cast<Event *>(event);
  for (void *stream : fake.streams)
    delete static_cast<int *>(stream);
  fake = Fake();
  control.settings = {13000, 0, 1, 9, 0, uint64_t(1) << 30, uint64_t(1) << 29, 2, 0, -1, 0, 0, 0, 0, 1024, 0};
  control.counts = {};
  // For a test that runs a program of its own: "FAKE_DRIVER=version=11080 major=8".
  const char *given = std::getenv("FAKE_DRIVER");
  std::istringstream words(given ? given : "");
  for (std::string word; words >> word;) {
    size_t equals = word.find('=');
    uint64_t value = std::stoull(word.substr(equals + 1));
    std::string name = word.substr(0, equals);
    if (name == "version")
      control.settings.version = int(value);
    else if (name == "major")
      control.settings.major = int(value);
    else if (name == "init")
      control.settings.initResult = int(value);
    else if (name == "idle")
      control.settings.idleKernels = int(value);
    else if (name == "free")
      control.settings.freeBytes = value;
    else
      std::abort(); // a misspelt setting would make the test say nothing
  }
}
void addKernel(const char *name, FakeKernel kernel) { fake.kernels[name] = kernel; }
} // namespace

EXPORT FakeDriverControl *fakeDriverControl(void) {
  if (!control.reset) {
    control.reset = reset;
    control.addKernel = addKernel;
    reset();
  }
  return &control;
}

EXPORT int cuDriverGetVersion(int *version) { return *version = fakeDriverControl()->settings.version, kOk; }
EXPORT int cuInit(unsigned) { return control.settings.initResult; }
EXPORT int cuGetErrorName(int result, const char **name) {
  static const std::map<int, const char *> names = {{1, "CUDA_ERROR_INVALID_VALUE"},
                                                    {2, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                    {100, "CUDA_ERROR_NO_DEVICE"},
                                                    {218, "CUDA_ERROR_INVALID_PTX"},
                                                    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
                                                    {214, "CUDA_ERROR_ECC_UNCORRECTABLE"},
                                                    {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                                                    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
                                                    {719, "CUDA_ERROR_LAUNCH_FAILED"},
                                                    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
                                                    {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"}};
  auto found = names.find(result);
  *name = found == names.end() ? nullptr : found->second;
  return *name ? kOk : kInvalid;
}
EXPORT int cuGetErrorString(int, const char **text) { return *text = "as the fake driver was told", kOk; }
EXPORT int cuDeviceGetCount(int *count) { return *count = control.settings.devices, kOk; }
EXPORT int cuDeviceGet(int *device, int ordinal) { return *device = ordinal, kOk; }
EXPORT int cuDeviceGetName(char *name, int length, int) {
  strncpy(name, "Fake GPU", size_t(length));
  return kOk;
}
EXPORT int cuDeviceGetAttribute(int *value, int attribute, int) {
  *value = attribute == 75   ? control.settings.major
           : attribute == 76 ? control.settings.minor
           : attribute == 97 ? 232448
                             : 1;
  return kOk;
}
EXPORT int cuDevicePrimaryCtxRetain(void **context, int) {
  ++control.counts.liveContexts;
  return *context = &fake, kOk;
}
EXPORT int cuDevicePrimaryCtxRelease_v2(int) { return --control.counts.liveContexts, kOk; }
EXPORT int cuCtxSetCurrent(void *) {
  std::lock_guard lock(mutex);
  return fake.fault;
}
EXPORT int cuMemGetInfo_v2(size_t *free, size_t *total) {
  *free = control.settings.freeBytes - fake.used, *total = control.settings.totalBytes;
  return fake.fault;
}

EXPORT int cuMemAlloc_v2(uint64_t *start, size_t size) {
  if (fake.fault)
    return fake.fault;
  if (size > control.settings.freeBytes - fake.used)
    return kNoMemory;
  void *memory = mmap(nullptr, wholePages(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return kNoMemory;
  memset(memory, 0xcd, size);
  mprotect(memory, wholePages(size), PROT_NONE);
  fake.memory[ *start = uint64_t(uintptr_t(memory))] = size;
  fake.used += size;
  ++control.counts.liveMemory;
  return kOk;
}
EXPORT int cuMemFree_v2(uint64_t start) {
  auto found = fake.memory.find(start);
  if (found == fake.memory.end())
    return misuse();
  work();
  fake.used -= found->second;
  munmap(reinterpret_cast<void *>(uintptr_t(start)), wholePages(found->second));
  fake.memory.erase(found);
  --control.counts.liveMemory;
  return fake.fault;
}
EXPORT int cuMemHostAlloc(void **memory, size_t size, unsigned) {
  if (control.settings.refusePinned)
    return kNoMemory;
  *memory = std::aligned_alloc(4096, (size + 4095) / 4096 * 4096);
  fake.pinned.insert(*memory);
  fake.locked[uintptr_t(*memory)] = size;
  ++control.counts.livePinned;
  return fake.fault;
}
EXPORT int cuMemFreeHost(void *memory) {
  if (!fake.pinned.erase(memory))
    return misuse();
  work();
  fake.locked.erase(uintptr_t(memory));
  std::free(memory);
  --control.counts.livePinned;
  return fake.fault;
}
EXPORT int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t size, void *) {
  std::lock_guard lock(mutex);
  if (!inside(fake.locked, from, size) || !onDevice(to, size))
    return misuse();
  if (control.settings.refuseCopyAfter >= 0 && control.settings.refuseCopyAfter-- == 0)
    return control.settings.refuseCopyAfter = 0, kInvalid;
  ++control.counts.toDevice;
  return give([=] { return memcpy(reinterpret_cast<void *>(uintptr_t(to)), from, size), kOk; });
}
EXPORT int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t size, void *) {
  if (!inside(fake.locked, to, size) || !onDevice(from, size))
    return misuse();
  ++control.counts.toHost;
  control.counts.toHostBytes += int64_t(size);
  return give([=] { return memcpy(to, reinterpret_cast<void *>(uintptr_t(from)), size), kOk; });
}
EXPORT int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t size, void *) {
  if (!onDevice(to, size) || !onDevice(from, size))
    return misuse();
  return give([=] {
    return memcpy(reinterpret_cast<void *>(uintptr_t(to)), reinterpret_cast<void *>(uintptr_t(from)), size), kOk;
  });
}
EXPORT int cuMemsetD8Async(uint64_t start, unsigned char value, size_t size, void *) {
  if (!onDevice(start, size))
    return misuse();
  return give([=] { return memset(reinterpret_cast<void *>(uintptr_t(start)), value, size), kOk; });
}

EXPORT int cuStreamCreate(void **stream, unsigned) {
  fake.streams.insert(*stream = new int);
  ++control.counts.liveStreams;
  return fake.fault;
}
EXPORT int cuStreamDestroy_v2(void *stream) {
  --control.counts.liveStreams;
  if (!fake.streams.erase(stream))
    return misuse();
  return delete static_cast<int *>(stream), fake.fault;
}
EXPORT int cuEventCreate(void **event, unsigned) {
  fake.events.insert(*event = new Event);
  ++control.counts.liveEvents;
  return fake.fault;
}
EXPORT int cuEventDestroy_v2(void *event) {
  if (!fake.events.erase(event))
    return misuse(kBadHandle);
  work();
  --control.counts.liveEvents;
  return delete static_cast<Event *>(event), fake.fault;
}
EXPORT int cuEventRecord(void *event, void *) {
  std::lock_guard lock(mutex);
  if (!fake.events.count(event) || fake.capturing)
    return misuse(kBadHandle);
  auto *record = static_cast<Event *>(event);
  *record = {true, false, 0, 0};
  return give([=] {
    record->passed = true;
    record->time = ++fake.clock;
    return int(kOk);
  });
}
EXPORT int cuEventQuery(void *event) {
  std::lock_guard lock(mutex);
  if (!fake.events.count(event))
    return misuse(kBadHandle);
  auto *record = static_cast<Event *>(event);
  if (fake.fault || record->passed)
    return fake.fault;
  if (record->recorded && ++record->asked > control.settings.asksBeforeReady)
    work();
  return fake.fault ? fake.fault : record->passed ? int(kOk) : int(kNotReady);
}
EXPORT int cuEventElapsedTime(float *milliseconds, void *first, void *last) {
  auto *a = static_cast<Event *>(first), *b = static_cast<Event *>(last);
  if (!a->passed || !b->passed)
    return kNotReady;
  *milliseconds = float(b->time - a->time);
  return fake.fault;
}

EXPORT int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values) {
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == 5 && control.settings.loadResult)
      strcpy(static_cast<char *>(values[i]), "line 7: an instruction that is none");
  if (control.settings.loadResult)
    return control.settings.loadResult;
  control.counts.cubins += memcmp(image,
                                  "\x7f"
                                  "ELF",
                                  4) == 0;
  auto *loaded = new Module{static_cast<const char *>(image), {}, {}};
  loaded->kernels = kernelsOf(loaded->text);
  fake.modules.insert(*module = loaded);
  ++control.counts.liveModules;
  return fake.fault;
}
EXPORT int cuModuleUnload(void *module) {
  if (!fake.modules.erase(module))
    return misuse(kBadHandle);
  --control.counts.liveModules;
  return delete static_cast<Module *>(module), fake.fault;
}
EXPORT int cuModuleGetFunction(void **function, void *module, const char *name) {
  auto *loaded = static_cast<Module *>(module);
  std::string head = ".entry " + std::string(name) + "(";
  size_t start = loaded->text.find(head);
  std::map<std::string, Kernel> &kernels = fake.kernels.count(name) ? fake.kernels : loaded->kernels;
  if (start == std::string::npos || (!kernels.count(name) && !control.settings.idleKernels))
    return kNotFound;
  start += head.size();
  Function &found = loaded->functions[name];
  Kernel idle = [](const void *, int64_t) { return int(kOk); };
  found = {kernels.count(name) ? kernels[name] : idle,
           parametersIn(loaded->text.substr(start, loaded->text.find(')', start) - start))};
  return *function = &found, fake.fault;
}
EXPORT int cuFuncGetAttribute(int *value, int, void *) { return *value = control.settings.maxThreads, fake.fault; }
EXPORT int cuFuncSetAttribute(void *, int, int) { return fake.fault; }
#ifndef ADZE_FAKE_WITHOUT_GRAPHS
EXPORT int cuFuncGetParamInfo(void *function, size_t index, size_t *offset, size_t *size) {
  const std::vector<size_t> &parameters = static_cast<Function *>(function)->parameters;
  if (index >= parameters.size())
    return kInvalid;
  *offset = 0;
  for (size_t i = 0; i < index; ++i)
    *offset += parameters[i];
  return *size = parameters[index], fake.fault;
}
#endif
EXPORT int cuLaunchKernel(void *function, unsigned blocks, unsigned y, unsigned z, unsigned threads, unsigned, unsigned,
                          unsigned, void *, void **parameters, void **extra) {
  if (control.settings.launchResult)
    return control.settings.launchResult;
  if (blocks == 0 || y != 1 || z != 1 || threads == 0 || parameters)
    return misuse();
  std::vector<uint8_t> block;
  if (extra) {
    auto *start = static_cast<uint8_t *>(extra[1]);
    block.assign(start, start + *static_cast<size_t *>(extra[3]));
  }
  ++control.counts.launches;
  Kernel run = static_cast<Function *>(function)->run;
  return give([=] { return run(block.data(), blocks); });
}

EXPORT int cuStreamBeginCapture_v2(void *, int mode) {
  if (fake.capturing || mode != 1)
    return misuse();
  fake.capturing = std::make_unique<Graph>();
  return fake.fault;
}
EXPORT int cuStreamEndCapture(void *, void **graph) {
  std::unique_ptr<Graph> captured = std::move(fake.capturing);
  if (!captured)
    return misuse();
  if (control.settings.captureResult)
    return *graph = nullptr, control.settings.captureResult;
  ++control.counts.captures, ++control.counts.liveGraphs;
  fake.graphs.insert(captured.get());
  return *graph = captured.release(), fake.fault;
}
EXPORT int cuGraphInstantiateWithFlags(void **graph, void *from, unsigned long long) {
  auto *made = new Graph(*static_cast<Graph *>(from));
  fake.graphs.insert(made);
  ++control.counts.liveGraphs;
  return *graph = made, fake.fault;
}
EXPORT int cuGraphDestroy(void *graph) {
  if (!fake.graphs.erase(graph))
    return misuse(kBadHandle);
  --control.counts.liveGraphs;
  return delete static_cast<Graph *>(graph), fake.fault;
}
#ifndef ADZE_FAKE_WITHOUT_GRAPHS
EXPORT int cuGraphExecDestroy(void *graph) { return cuGraphDestroy(graph); }
EXPORT int cuGraphLaunch(void *graph, void *) {
  if (!fake.graphs.count(graph))
    return misuse(kBadHandle);
  ++control.counts.graphLaunches;
  for (const Operation &operation : static_cast<Graph *>(graph)->operations)
    if (int result = give(operation))
      return result;
  return kOk;
}
#endif
