// Runs every file of the named folders (and every named file) through the fuzz target, in sorted order: the way in
// which ordinary builds keep what fuzzing once found, and the promise of docs/Security.md that a hostile file of up to
// 1 KiB takes no more than a second and 100 MB. Arguments that start with '-' are libFuzzer's and are ignored.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/resource.h>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern "C" int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));

namespace {

constexpr size_t kSmallBytes = 1024;
constexpr double kSeconds = 1;
constexpr long kKilobytes = 100'000;

double cpuSeconds(const rusage &usage) {
  return double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

rusage usageNow() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage;
}

} // namespace

int main(int argc, char **argv) {
  namespace fs = std::filesystem;
  if (LLVMFuzzerInitialize)
    LLVMFuzzerInitialize(&argc, &argv);
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] == '-')
      continue;
    if (!fs::is_directory(argv[i])) {
      files.push_back(argv[i]);
      continue;
    }
    for (const fs::directory_entry &entry : fs::recursive_directory_iterator(argv[i]))
      if (entry.is_regular_file())
        files.push_back(entry.path().string());
  }
  if (files.empty()) {
    std::fprintf(stderr, "no corpus files were found; name a folder with at least one\n");
    return 1;
  }
  std::sort(files.begin(), files.end());
  // What a target makes once (a context, tables) is not the input's.
  LLVMFuzzerTestOneInput(nullptr, 0);
  int over = 0;
  for (const std::string &file : files) {
    std::ifstream stream(file, std::ios::binary);
    std::string content(std::istreambuf_iterator<char>(stream), {});
    std::printf("%s\n", file.c_str());
    std::fflush(stdout);
    rusage before = usageNow();
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(content.data()), content.size());
    rusage after = usageNow();
    // The peak only grows, so it can only be charged to an input that raised it.
    double seconds = cpuSeconds(after) - cpuSeconds(before);
    long kilobytes = after.ru_maxrss - before.ru_maxrss;
    if (content.size() <= kSmallBytes && (seconds > kSeconds || kilobytes > kKilobytes)) {
      std::fprintf(stderr, "%s: %zu bytes took %.2f s and %ld kB; at most %.0f s and %ld kB are promised\n",
                   file.c_str(), content.size(), seconds, kilobytes, kSeconds, kKilobytes);
      ++over;
    }
  }
  std::printf("%zu inputs\n", files.size());
  return over != 0;
}
