// ImportTestFiles.h: files for the importer's tests: a scratch folder, tiny models from write-model, and edits of them.
#ifndef ADZE_TEST_IMPORT_IMPORTTESTFILES_H
#define ADZE_TEST_IMPORT_IMPORTTESTFILES_H

#include "adze/Support/Json.h"

#include <cstdint>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

namespace adze::import::test {

// A folder that goes when the object does.
class ScratchFolder {
public:
  ScratchFolder();
  ~ScratchFolder();
  std::string path(const std::string &name) const { return root + "/" + name; }

private:
  std::string root;
};

std::string readFile(const std::string &path);
void writeFile(const std::string &path, const std::string &bytes);

// Runs write-model; `flags` as in goldens/tiny-models.json. Gives `path` back.
std::string writeModel(const std::string &flags, const std::string &container, const std::string &path);

// Changes a JSON file in place.
void editJson(const std::string &path, const std::function<void(Json &)> &edit);
// The u32 value of a metadata key of a GGUF file, changed in place.
void setGgufU32(const std::string &path, const std::string &key, uint32_t value);
// The key's or tensor's name, changed in place to one of the same length.
void renameInGguf(const std::string &path, const std::string &from, const std::string &to);

// A test failure where its scope took more than a second of CPU time or 100 MB: what a refusal may cost, whatever sizes
// a file states.
class CheapScope {
public:
  CheapScope();
  ~CheapScope();

private:
  std::clock_t start;
  long peak;
};

// The message of importing `path`; "ok" where it succeeds. Refusals are cheap.
std::string importMessage(const std::string &path);

// A safetensors file of that header text and so many zero bytes of data.
std::string safetensorsBytes(const std::string &header, size_t dataBytes);

// Bytes of a GGUF file, put together piece by piece, right or wrong.
class GgufBytes {
public:
  GgufBytes(uint64_t tensors, uint64_t pairs, uint32_t version = 3) {
    bytes = "GGUF";
    integer(version, 4).integer(tensors, 8).integer(pairs, 8);
  }
  GgufBytes &integer(uint64_t value, int count) {
    for (int i = 0; i < count; ++i)
      bytes += char(value >> (8 * i));
    return *this;
  }
  GgufBytes &text(const std::string &value) { return integer(value.size(), 8).raw(value); }
  GgufBytes &raw(const std::string &value) {
    bytes += value;
    return *this;
  }
  GgufBytes &pairU32(const std::string &key, uint32_t value) { return text(key).integer(4, 4).integer(value, 4); }
  GgufBytes &tensor(const std::string &name, const std::vector<uint64_t> &dims, uint32_t type, uint64_t offset) {
    text(name).integer(dims.size(), 4);
    for (uint64_t dim : dims)
      integer(dim, 8);
    return integer(type, 4).integer(offset, 8);
  }
  GgufBytes &data(size_t count) {
    bytes.append((32 - bytes.size() % 32) % 32, '\0');
    bytes.append(count, '\0');
    return *this;
  }
  std::string bytes;
};

inline std::span<const uint8_t> span(const std::string &bytes) {
  return {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()};
}

} // namespace adze::import::test
#endif
