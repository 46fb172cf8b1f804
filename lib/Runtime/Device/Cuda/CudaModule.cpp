// Loading code, checking it against its description, recording and launching.
#include "CudaModule.h"

#include <cstring>
#include <fmt/format.h>

using namespace adze;
using namespace adze::cuda;

namespace {
// "sm_90a" is number 90 and suffix 'a'. Number 0: not of this form.
struct Architecture {
  int number = 0;
  char suffix = 0;
};
Architecture parseArchitecture(std::string_view text) {
  Architecture result;
  if (text.substr(0, 3) != "sm_")
    return result;
  size_t i = 3;
  int number = 0;
  for (; i < text.size() && i < 7 && text[i] >= '0' && text[i] <= '9'; ++i)
    number = number * 10 + (text[i] - '0');
  if (i + 1 < text.size() || (i < text.size() && text[i] != 'a' && text[i] != 'f'))
    return result;
  result.number = number;
  result.suffix = i < text.size() ? text[i] : 0;
  return result;
}

// The driver's manual: code with 'a' runs on exactly that capability; a cubin on its own major number, from its minor
// up; PTX text on everything from its target up.
bool runsOn(Architecture code, bool isText, const CudaContext &gpu) {
  int capability = gpu.capability();
  if (code.suffix == 'a')
    return capability == code.number;
  if (code.suffix == 'f' || !isText)
    return capability / 10 == code.number / 10 && capability >= code.number;
  return capability >= code.number;
}
} // namespace

/// Whether the bytes are machine code and no text.
static bool isCubin(const KernelCode &code) {
  return code.bytes.size() >= 4 && std::memcmp(code.bytes.data(),
                                               "\x7f"
                                               "ELF",
                                               4) == 0;
}

/// Refuses code that is none, and code that this GPU or its driver does not take.
static Status checkCode(const KernelCode &code, const CudaContext &gpu) {
  Architecture architecture = parseArchitecture(code.architecture);
  if (architecture.number == 0 || code.bytes.size() < 4)
    return invalidInput(fmt::format("the artifact's GPU code is for '{}' and has {} bytes, which is no code for an "
                                    "NVIDIA GPU; compile the model again",
                                    code.architecture, code.bytes.size()));
  bool isText = !isCubin(code);
  if (isText && code.bytes.back() != 0)
    return invalidInput("the artifact's PTX text does not end in a zero byte; compile the model again");
  if (!runsOn(architecture, isText, gpu))
    return unsupported(fmt::format("the model was compiled for {} and {} is sm_{}; compile it for sm_{}, or choose "
                                   "another GPU (--device cuda:N)",
                                   code.architecture, gpu.text(), gpu.capability(), gpu.capability()));
  if (code.driver > gpu.driver->version)
    return unsupported(fmt::format("the model's code needs an NVIDIA driver for CUDA {} and this one is for CUDA {}; "
                                   "install a newer driver, or compile the model for the older one",
                                   versionText(int(code.driver)), versionText(gpu.driver->version)));
  return Status();
}

Expected<std::unique_ptr<CudaModule>> CudaModule::load(CudaContext &gpu, const AdzeProgram &program,
                                                       const KernelImage &image) {
  if (image.code.architecture.empty())
    return unsupported(
        fmt::format("the model was compiled for a CPU and cannot run on {}; run it with --device cpu, or "
                    "compile it for sm_{}",
                    gpu.text(), gpu.capability()));
  // Machine code loads at once; text is for the GPUs and drivers that it is not for.
  bool assembled = isCubin(image.cubin) && checkCode(image.cubin, gpu).ok();
  const KernelCode &code = assembled ? image.cubin : image.code;
  if (Status status = checkCode(code, gpu); !status.ok())
    return status;
  if (image.kernels.size() != program.kernel_count)
    return invalidInput(fmt::format("the artifact describes {} GPU kernels and its program has {}: the files are of "
                                    "different artifacts; compile the model again",
                                    image.kernels.size(), program.kernel_count));

  std::unique_ptr<CudaModule> loaded(new CudaModule(gpu));
  std::vector<char> log(16 << 10, '\0');
  int options[] = {kJitErrorLogBuffer, kJitErrorLogBufferBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(uintptr_t(log.size() - 1))};
  Result result = gpu.driver->moduleLoad(&loaded->module, code.bytes.data(), 2, options, values);
  if (result == kUnsupportedPtxVersion)
    return unsupported(
        fmt::format("the model's code is newer than the NVIDIA driver (for CUDA {}): {}; install a newer "
                    "driver",
                    versionText(gpu.driver->version), gpu.driver->describe(result)));
  if (Status status = gpu.check(result, "load the model's code"); !status.ok())
    return log[0] ? Status(status.code(), fmt::format("{}; the driver says: {}", status.message(), log.data()))
                  : status;
  for (uint32_t i = 0; i < program.kernel_count; ++i)
    if (Status status = loaded->find(image.kernels[i], program.kernels[i].name); !status.ok())
      return status;
  return loaded;
}

Status CudaModule::find(const KernelLaunch &launch, const char *kernel) {
  const DriverTable &driver = *gpu.driver;
  Entry entry{nullptr, launch};
  auto wrong = [&](std::string_view what, int64_t found, int64_t said) {
    return invalidInput(
        fmt::format("kernel {}: its code ({}) {} {} and the artifact says {}: the files are of different "
                    "artifacts; compile the model again",
                    kernel, launch.function, what, found, said));
  };
  Result result = driver.moduleGetFunction(&entry.function, module, launch.function.c_str());
  if (result == kNotFound)
    return invalidInput(fmt::format("kernel {}: the artifact's code has no function {}: the files are of different "
                                    "artifacts; compile the model again",
                                    kernel, launch.function));
  if (Status status = gpu.check(result, fmt::format("look up {}", launch.function)); !status.ok())
    return status;
  int most = 0;
  if (Status status = gpu.check(driver.functionGetAttribute(&most, kFunctionMaxThreads, entry.function),
                                fmt::format("describe {}", launch.function));
      !status.ok())
    return status;
  if (launch.threads < 1 || int64_t(launch.threads) > most)
    return wrong("takes at most as many threads as", most, launch.threads);
  if (driver.functionGetParamInfo) {
    // One parameter for each word of the block or one for all of it: to a launch both are the same bytes.
    size_t taken = 0;
    for (size_t number = 0, offset = 0, size = 0;; ++number, taken = offset + size) {
      result = driver.functionGetParamInfo(entry.function, number, &offset, &size);
      if (result == kInvalidValue) // that was the last one
        break;
      if (Status status = gpu.check(result, fmt::format("describe {}", launch.function)); !status.ok())
        return status;
    }
    if (taken != launch.argumentBytes)
      return wrong("takes an argument block of", int64_t(taken), launch.argumentBytes);
  }
  // Up to 48 KiB need no permission; asking for it always costs nothing and says at once what does not fit.
  if (launch.sharedBytes > 0) {
    int limit = 0;
    if (Status status = gpu.check(driver.deviceGetAttribute(&limit, kMaxSharedMemoryPerBlockOptin, gpu.device),
                                  "ask for its shared memory");
        !status.ok())
      return status;
    if (int64_t(launch.sharedBytes) > limit)
      return unsupported(fmt::format("kernel {} needs {} bytes of shared memory and {} has {} for one block; compile "
                                     "the model for this GPU",
                                     kernel, launch.sharedBytes, gpu.text(), limit));
    if (Status status =
            gpu.check(driver.functionSetAttribute(entry.function, kFunctionMaxDynamicShared, int(launch.sharedBytes)),
                      fmt::format("give {} its shared memory", launch.function));
        !status.ok())
      return status;
  }
  entries.push_back(std::move(entry));
  return Status();
}

CudaModule::~CudaModule() {
  if (module && !gpu.hung)
    gpu.driver->moduleUnload(module);
}

// The services of a step on a GPU: a launch is written down and nothing else happens.
struct CudaModule::Recorder {
  const CudaModule &module;
  const AdzeProgram &program;
  LaunchList &list;
  Status status;

  static int32_t launch(void *context, uint32_t kernel, const void *arguments) {
    auto &self = *static_cast<Recorder *>(context);
    if (kernel >= self.module.entries.size())
      return -1;
    int64_t blocks = self.program.kernels[kernel].blocks(arguments);
    if (blocks < 0 || blocks > INT32_MAX) {
      self.status = internalError(fmt::format("kernel {} asks for {} blocks; a GPU takes 0 to {}",
                                              self.program.kernels[kernel].name, blocks, INT32_MAX));
      return -2;
    }
    std::vector<uint8_t> &bytes = self.list.arguments;
    size_t start = (bytes.size() + 15) & ~size_t(15);
    uint32_t size = self.module.entries[kernel].launch.argumentBytes;
    bytes.resize(start + size);
    if (size)
      std::memcpy(bytes.data() + start, arguments, size);
    self.list.launches.push_back({kernel, uint32_t(blocks), uint32_t(start)});
    return 0;
  }
};

Status CudaModule::record(const AdzeProgram &program, const AdzeStep &step, LaunchList &list) const {
  list.tokens = step.tokens;
  list.requests = step.requests;
  list.rows = step.output_rows;
  list.launches.clear();
  list.arguments.clear();
  Recorder recorder{*this, program, list, Status()};
  AdzeServices services{ADZE_PROGRAM_VERSION, &recorder, &Recorder::launch};
  int32_t code = program.step(&step, &services);
  if (!recorder.status.ok())
    return recorder.status;
  if (code != 0)
    return internalError(fmt::format("the program stopped a step of {} tokens with code {}", step.tokens, code));
  return Status();
}

Status CudaModule::launch(const LaunchList &list, const CudaLaunch &launch) const {
  if (launch.blocks == 0) // nothing to do, and the driver refuses an empty grid
    return Status();
  const Entry &entry = entries[launch.kernel];
  size_t size = entry.launch.argumentBytes;
  void *block = const_cast<uint8_t *>(list.arguments.data() + launch.arguments); // the driver only reads it
  void *extra[] = {kLaunchParamBufferPointer, block, kLaunchParamBufferSize, &size, kLaunchParamEnd};
  Result result = gpu.driver->launchKernel(entry.function, launch.blocks, 1, 1, entry.launch.threads, 1, 1,
                                           entry.launch.sharedBytes, gpu.stream, nullptr, size ? extra : nullptr);
  if (result == kSuccess)
    return Status();
  return gpu.check(result, fmt::format("launch {} with {} blocks", entry.launch.function, launch.blocks));
}
