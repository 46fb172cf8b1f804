#include "ImportTestFiles.h"

#include "adze/Import/Import.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

namespace adze::import::test {

ScratchFolder::ScratchFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "adze-import-XXXXXX").string();
  root = mkdtemp(pattern.data());
}
ScratchFolder::~ScratchFolder() { std::filesystem::remove_all(root); }

std::string readFile(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream.good()) << path;
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

void writeFile(const std::string &path, const std::string &bytes) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream << bytes;
  EXPECT_TRUE(stream.good()) << path;
}

std::string writeModel(const std::string &flags, const std::string &container, const std::string &path) {
  std::string command = std::string(ADZE_WRITE_MODEL) + " " + flags + " --container " + container + " -o " + path;
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  return path;
}

void editJson(const std::string &path, const std::function<void(Json &)> &edit) {
  Expected<Json> json = parseJson(readFile(path), path);
  ASSERT_TRUE(json.ok()) << json.status().message();
  edit(*json);
  writeFile(path, writeJson(*json));
}

void setGgufU32(const std::string &path, const std::string &key, uint32_t value) {
  std::string bytes = readFile(path);
  size_t place = bytes.find(key + std::string("\4\0\0\0", 4));
  ASSERT_NE(place, std::string::npos) << key;
  for (int i = 0; i < 4; ++i)
    bytes[place + key.size() + 4 + size_t(i)] = char(value >> (8 * i));
  writeFile(path, bytes);
}

void renameInGguf(const std::string &path, const std::string &from, const std::string &to) {
  ASSERT_EQ(from.size(), to.size());
  std::string bytes = readFile(path);
  std::string whole = std::string(1, char(from.size())) + std::string(7, '\0') + from; // with its length in front
  size_t place = bytes.find(whole);
  ASSERT_NE(place, std::string::npos) << from;
  bytes.replace(place + 8, from.size(), to);
  writeFile(path, bytes);
}

namespace {
// A build with the address sanitizer is several times slower and keeps freed memory for a while.
#if __has_feature(address_sanitizer)
constexpr int kAllowance = 10;
#else
constexpr int kAllowance = 1;
#endif

long peakKilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}
} // namespace

CheapScope::CheapScope() : start(std::clock()), peak(peakKilobytes()) {}
CheapScope::~CheapScope() {
  EXPECT_LT(double(std::clock() - start) / CLOCKS_PER_SEC, kAllowance * 1.0);
  EXPECT_LT(peakKilobytes() - peak, kAllowance * 100 * 1024) << "kilobytes more than before";
}

std::string importMessage(const std::string &path) {
  CheapScope cheap;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Expected<ImportedModel> model = importModel(path, context);
  return model ? "ok" : model.status().message();
}

std::string safetensorsBytes(const std::string &header, size_t dataBytes) {
  std::string bytes;
  for (int i = 0; i < 8; ++i)
    bytes += char(uint64_t(header.size()) >> (8 * i));
  return bytes + header + std::string(dataBytes, '\0');
}

} // namespace adze::import::test
