// Every limit of docs/Security.md on what the importers read, crossed once: the file is refused by name, with its size
// and the limit, before it is read. Files are sparse, so that they cost neither disk nor time.
#include "ImportTestFiles.h"

#include "adze/Import/GgufFile.h"
#include "adze/Import/Safetensors.h"
#include "adze/Import/ShardIndex.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <sys/mman.h>

namespace adze::import {
namespace {

using test::GgufBytes;
using test::importMessage;
using test::writeModel;
using testing::AllOf;
using testing::HasSubstr;

struct FileLimit {
  const char *file;
  uint64_t bytes;
};

class ReaderLimits : public testing::TestWithParam<FileLimit> {};

TEST_P(ReaderLimits, RefusesALongerFileByNameAndLimit) {
  test::ScratchFolder scratch;
  std::string folder = writeModel("--family llama --shards 2", "hf", scratch.path("m"));
  std::string path = folder + "/" + GetParam().file;
  if (!std::filesystem::exists(path))
    test::writeFile(path, "{}");
  std::filesystem::resize_file(path, GetParam().bytes + 1);
  EXPECT_THAT(importMessage(folder), AllOf(HasSubstr(path), HasSubstr(std::to_string(GetParam().bytes + 1) + " bytes"),
                                           HasSubstr("at most " + std::to_string(GetParam().bytes))));
}

INSTANTIATE_TEST_SUITE_P(
    HuggingFace, ReaderLimits,
    testing::Values(FileLimit{"config.json", 4u << 20}, FileLimit{"generation_config.json", 4u << 20},
                    FileLimit{"model.safetensors.index.json", 32u << 20}, FileLimit{"tokenizer.json", 64u << 20},
                    FileLimit{"tokenizer_config.json", 16u << 20}, FileLimit{"special_tokens_map.json", 16u << 20},
                    FileLimit{"chat_template.jinja", 16u << 20}, FileLimit{"LICENSE", 4u << 20}),
    [](const auto &info) {
      std::string name = info.param.file;
      std::replace_if(name.begin(), name.end(), [](char c) { return !isalnum(c); }, '_');
      return name;
    });

/// Zero bytes behind `start`, `size` in all, of which only the touched ones take memory.
class SparseBytes {
public:
  SparseBytes(const std::string &start, size_t size) : size(size) {
    memory = static_cast<uint8_t *>(
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    std::copy(start.begin(), start.end(), memory);
  }
  SparseBytes(const SparseBytes &) = delete;
  SparseBytes &operator=(const SparseBytes &) = delete;
  ~SparseBytes() { munmap(memory, size); }
  std::span<const uint8_t> bytes() const { return {memory, size}; }

private:
  uint8_t *memory;
  size_t size;
};

TEST(ReaderLimits, RefusesASafetensorsHeaderBeyondTheFormatsOwnLimit) {
  std::string start(8, '\0');
  uint64_t length = safetensorsHeaderLimit + 1;
  std::memcpy(start.data(), &length, 8);
  SparseBytes file(start, safetensorsHeaderLimit + 1000);
  auto entries = readSafetensors(file.bytes(), "m.safetensors");
  ASSERT_FALSE(entries.ok());
  EXPECT_THAT(entries.status().message(),
              AllOf(HasSubstr("the header length is 100000001"), HasSubstr("the format's limit is 100000000")));
}

TEST(ReaderLimits, RefusesAGgufHeaderThatIsLongerThanAnyModels) {
  // One string reaches over the limit; what follows it is not read any more.
  GgufBytes bytes(0, 2);
  bytes.text("general.name").integer(8, 4).integer(ggufHeaderLimit, 8);
  SparseBytes file(bytes.bytes, ggufHeaderLimit + 4096);
  auto read = readGguf(file.bytes(), "m.gguf");
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.status().message(),
              AllOf(HasSubstr("m.gguf"), HasSubstr("header"), HasSubstr(std::to_string(ggufHeaderLimit))));
}

TEST(ReaderLimits, RefusesAnIndexOfTooManyFiles) {
  std::string map;
  for (size_t i = 0; i <= shardLimit; ++i)
    map += (i ? ", " : "") + ("\"t" + std::to_string(i) + "\": \"f" + std::to_string(i) + "\"");
  auto index = readShardIndex("{\"weight_map\": {" + map + "}}", "index.json");
  ASSERT_FALSE(index.ok());
  EXPECT_THAT(index.status().message(),
              AllOf(HasSubstr("index.json"), HasSubstr("4097 files; up to 4096 are accepted")));
}

} // namespace
} // namespace adze::import
