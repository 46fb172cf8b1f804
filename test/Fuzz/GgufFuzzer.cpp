// A GGUF file: any bytes are refused with a message, or every tensor lies inside the file; then the whole door, which
// makes configuration, tokenizer and tensor list of it, refuses with a message or gives what obeys its rules.
#include "adze/Import/Doors.h"
#include "adze/Import/GgufFile.h"
#include "adze/Support/CheckedReader.h"

#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace adze;
using namespace adze::import;

// The door takes a path: one file in memory, written anew for each input.
static std::string fileWith(const uint8_t *data, size_t size) {
  static int descriptor = memfd_create("gguf", MFD_CLOEXEC);
  if (descriptor < 0 || ftruncate(descriptor, 0) != 0 || pwrite(descriptor, data, size, 0) != ssize_t(size))
    return "";
  return "/proc/self/fd/" + std::to_string(descriptor);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Expected<GgufFile> file = readGguf({data, size}, "x.gguf");
  if (!file)
    return file.status().message().empty() ? std::abort(), 0 : 0;
  for (const GgufTensor &tensor : file->tensors)
    if (!rangeFits(tensor.offset, tensor.bytes, size))
      std::abort();
  for (const auto &[key, value] : file->metadata) {
    (void)value.integer();
    (void)value.number();
    (void)value.integers();
    (void)value.floats();
    (void)value.describe();
  }
  std::string path = fileWith(data, size);
  if (path.empty())
    return 0;
  Expected<Checkpoint> checkpoint = openGguf(path);
  if (!checkpoint)
    return checkpoint.status().message().empty() ? std::abort(), 0 : 0;
  const ModelConfig &config = checkpoint->config;
  if (config.layers < 1 || int64_t(config.windows.size()) != config.layers || config.heads % config.kvHeads != 0 ||
      int64_t(checkpoint->tokenizer.size()) > config.vocabulary)
    std::abort();
  for (auto &[name, tensor] : checkpoint->tensors)
    if (!rangeFits(tensor.offset, tensor.bytes, size))
      std::abort();
  return 0;
}
