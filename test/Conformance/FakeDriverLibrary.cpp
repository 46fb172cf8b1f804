// Finding the library, and its kernels.
#include "FakeDriverLibrary.h"

#include "ConformanceKernels.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>

using namespace adze;

std::string adze::fakeDriverPath(FakeKind kind) {
  std::filesystem::path built = kind == FakeKind::Whole ? ADZE_FAKE_DRIVER : ADZE_FAKE_DRIVER_WITHOUT_GRAPHS;
  std::error_code ignored;
  if (std::filesystem::exists(built, ignored))
    return built.string();
  return (std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / "lib" / built.filename()).string();
}

FakeDriverControl &adze::freshFakeDriver(FakeKind kind) {
  std::string path = fakeDriverPath(kind);
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); // the same one that a device of this path loads
  auto get = library ? reinterpret_cast<FakeDriverControl *(*)()>(dlsym(library, "fakeDriverControl")) : nullptr;
  if (!get) {
    std::fprintf(stderr, "the fake driver %s cannot be loaded\n", path.c_str());
    std::abort();
  }
  FakeDriverControl &driver = *get();
  driver.reset();
  static const AdzeProgram program = conformanceProgram(nullptr);
  driver.addKernel("add_one", [](const void *a, int64_t n) { return program.kernels[kAddOne].entry(a, 0, n), 0; });
  driver.addKernel("sum_neighbours",
                   [](const void *a, int64_t n) { return program.kernels[kSumNeighbours].entry(a, 0, n), 0; });
  driver.addKernel("do_nothing", [](const void *, int64_t) { return 0; });
  driver.addKernel("trap", [](const void *, int64_t) { return 719; });
  driver.addKernel("write_to_null", [](const void *, int64_t) { return 700; });
  driver.addKernel("run_long", [](const void *, int64_t) { return FAKE_NEVER_ENDS; });
  return driver;
}

CudaDeviceOptions adze::fakeDriverOptions() {
  CudaDeviceOptions options;
  options.driver = fakeDriverPath();
  options.timeoutMilliseconds = 300;
  options.reserveBytes = 1 << 20;
  options.uploadPiece = 64 << 10;
  options.uploadThreads = 2;
  return options;
}
