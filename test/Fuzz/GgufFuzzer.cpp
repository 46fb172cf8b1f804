// A GGUF header: any bytes are refused with a message, or every tensor lies inside the file.
#include "adze/Import/GgufFile.h"
#include "adze/Support/CheckedReader.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  adze::Expected<adze::import::GgufFile> file = adze::import::readGguf({data, size}, "x.gguf");
  if (!file)
    return file.status().message().empty() ? std::abort(), 0 : 0;
  for (const adze::import::GgufTensor &tensor : file->tensors)
    if (!adze::rangeFits(tensor.offset, tensor.bytes, size))
      std::abort();
  for (const auto &[key, value] : file->metadata) {
    (void)value.integer();
    (void)value.number();
    (void)value.integers();
    (void)value.floats();
    (void)value.describe();
  }
  return 0;
}
