// device-benchmark [--bytes N] [--file PATH]: what a GPU's runtime costs, as JSON on standard output.
//
//   upload   a file in the page cache to the GPU, mapped anew each time, by several numbers of threads and sizes of
//            pieces, against one copy of the same size from page-locked memory, which is what the bus gives
//   launch   one step of 256 kernels that do nothing, launched one by one and as a graph
//
// Each figure is the median of its repetitions, with the smallest and the largest beside it.
#include "ConformanceKernels.h"

#include "adze/Runtime/Device/Cuda/CudaDevice.h"
#include "adze/Support/Json.h"
#include "adze/Support/MappedFile.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

using namespace adze;

namespace {
constexpr int kLaunches = 256;
int32_t emptyStep(const AdzeStep *, const AdzeServices *) { return 0; }
int32_t manyLaunches(const AdzeStep *step, const AdzeServices *services) {
  ConformanceArguments arguments{nullptr, nullptr, kPerBlock};
  int32_t code = 0;
  for (int i = 0; i < kLaunches && code == 0; ++i)
    code = services->launch(services->context, kDoNothing, &arguments);
  return code;
}
const AdzeProgram kEmpty = conformanceProgram(emptyStep);
const AdzeProgram kMany = conformanceProgram(manyLaunches);

[[noreturn]] void fail(const Status &status) {
  std::fprintf(stderr, "device-benchmark: error: %s\n", status.message().c_str());
  std::exit(1);
}
template <class T> T take(Expected<T> value) {
  if (!value)
    fail(value.status());
  return std::move(*value);
}
void take(const Status &status) {
  if (!status.ok())
    fail(status);
}

template <class Function> double seconds(Function &&function) {
  auto start = std::chrono::steady_clock::now();
  function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
Json summary(std::vector<double> values, const char *unit) {
  std::sort(values.begin(), values.end());
  return {{"median", values[values.size() / 2]},
          {"least", values.front()},
          {"most", values.back()},
          {"repetitions", values.size()},
          {"unit", unit}};
}

std::unique_ptr<CudaDevice> open(const CudaDeviceOptions &options) {
  std::unique_ptr<CudaDevice> device = take(CudaDevice::create(options));
  for (const AdzeProgram *program : {&kEmpty, &kMany})
    take(device->load(*program, conformanceImage()));
  return device;
}

// Bytes that no compression on the way could shrink.
void writeFile(const std::string &path, int64_t bytes) {
  std::FILE *file = std::fopen(path.c_str(), "wb");
  std::vector<uint64_t> block(1 << 17);
  uint64_t state = 88172645463325252u;
  for (int64_t written = 0; file && written < bytes; written += int64_t(block.size() * 8)) {
    for (uint64_t &word : block)
      state ^= state << 13, state ^= state >> 7, word = state ^= state << 17;
    size_t size = size_t(std::min<int64_t>(int64_t(block.size() * 8), bytes - written));
    if (std::fwrite(block.data(), 1, size, file) != size)
      fail(ioError("cannot write " + path));
  }
  if (!file || std::fclose(file) != 0)
    fail(ioError("cannot write " + path));
}

Json uploads(const std::string &path) {
  MappedFile file = take(MappedFile::open(path));
  constexpr int kTimes = 5;
  double giga = double(file.size()) * 1e-9;
  Json rows = Json::array();
  {
    std::unique_ptr<CudaDevice> device = open({});
    DeviceBuffer buffer = take(device->allocate(int64_t(file.size()), "a copy", "--bytes"));
    HostWindow window = take(device->openWindow(buffer, 0, int64_t(file.size()), "a copy"));
    std::memcpy(window.data(), file.data(), file.size());
    WindowRange all{&window, 0, window.size()};
    std::vector<double> rates;
    for (int i = 0; i < kTimes; ++i)
      rates.push_back(giga / seconds([&] { take(device->runStep(kEmpty, AdzeStep{}, {{&all, 1}, {}})); }));
    rows.push_back({{"way", "one copy from page-locked memory"}, {"rate", summary(rates, "GB/s")}});
  }
  // 0 threads: the device's own choice.
  for (unsigned threads : {0u, 1u, 4u, 8u, 12u, 16u})
    for (int64_t piece : {int64_t(1) << 20, int64_t(4) << 20, int64_t(16) << 20}) {
      CudaDeviceOptions options;
      options.uploadThreads = threads;
      options.uploadPiece = piece;
      std::unique_ptr<CudaDevice> device = open(options);
      std::vector<double> rates;
      for (int i = 0; i < kTimes; ++i) {
        MappedFile mapped = take(MappedFile::open(path));
        DeviceBuffer buffer = take(device->upload(mapped.bytes(), "the file", "--bytes"));
        rates.push_back(giga / device->uploadReport().seconds);
      }
      rows.push_back({{"way", "upload"}, {"threads", threads}, {"piece", piece}, {"rate", summary(rates, "GB/s")}});
    }
  return {{"bytes", file.size()}, {"ways", rows}};
}

Json launches() {
  Json rows = Json::array();
  for (size_t graphs : {size_t(0), size_t(64)}) {
    CudaDeviceOptions options;
    options.graphs = graphs;
    std::unique_ptr<CudaDevice> device = open(options);
    AdzeStep step{};
    step.tokens = step.requests = step.output_rows = 1;
    for (int i = 0; i < 20; ++i)
      take(device->runStep(kMany, step));
    std::vector<double> times, empty;
    for (int i = 0; i < 200; ++i) {
      times.push_back(1e6 * seconds([&] { take(device->runStep(kMany, step)); }));
      empty.push_back(1e6 * seconds([&] { take(device->runStep(kEmpty, step)); }));
    }
    rows.push_back({{"way", graphs ? "graph" : "one by one"},
                    {"launches", kLaunches},
                    {"step", summary(times, "us")},
                    {"empty_step", summary(empty, "us")}});
  }
  return rows;
}
} // namespace

int main(int argc, char **argv) {
  int64_t bytes = int64_t(4) << 30;
  std::string path = "/tmp/adze-device-benchmark." + std::to_string(getpid());
  bool own = true;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!std::strcmp(argv[i], "--bytes"))
      bytes = std::atoll(argv[i + 1]);
    else if (!std::strcmp(argv[i], "--file"))
      path = argv[i + 1], own = false;
  }
  std::string name = open({})->name();
  if (own)
    writeFile(path, bytes);
  Json result = {{"device", name}, {"launch", launches()}, {"upload", uploads(path)}};
  if (own)
    unlink(path.c_str());
  std::printf("%s", writeJson(result).c_str());
  return 0;
}
