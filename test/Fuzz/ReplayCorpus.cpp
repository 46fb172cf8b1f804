// Runs every file of the named folders (and every named file) through the fuzz target, in sorted order: the way in
// which ordinary builds keep what fuzzing once found. Arguments that start with '-' are libFuzzer's and are ignored.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv) {
  namespace fs = std::filesystem;
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
  for (const std::string &file : files) {
    std::ifstream stream(file, std::ios::binary);
    std::string content(std::istreambuf_iterator<char>(stream), {});
    std::printf("%s\n", file.c_str());
    std::fflush(stdout);
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(content.data()), content.size());
  }
  std::printf("%zu inputs\n", files.size());
  return 0;
}
