// TemporaryFolder.h: a folder of its own for one test, removed at the end.
#ifndef ADZE_TEST_SUPPORT_TEMPORARYFOLDER_H
#define ADZE_TEST_SUPPORT_TEMPORARYFOLDER_H

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace adze::test {

class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "adze-test-XXXXXX").string();
    root = mkdtemp(pattern.data());
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(root, ignored);
  }

  const std::string &path() const { return root; }
  std::string operator/(const std::string &name) const { return root + "/" + name; }
  // Writes a file below the folder, with the folders above it.
  std::string write(const std::string &name, const std::string &content) const {
    std::filesystem::path file = std::filesystem::path(root) / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
    return file.string();
  }
  void link(const std::string &target, const std::string &name) const {
    std::filesystem::path file = std::filesystem::path(root) / name;
    std::filesystem::create_directories(file.parent_path());
    std::filesystem::create_symlink(target, file);
  }

private:
  std::string root;
};

inline std::string readAll(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

} // namespace adze::test

#endif // ADZE_TEST_SUPPORT_TEMPORARYFOLDER_H
