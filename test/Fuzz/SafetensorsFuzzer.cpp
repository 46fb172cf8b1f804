// A safetensors header: any bytes are refused with a message, or every tensor lies inside the file.
#include "adze/Import/Safetensors.h"
#include "adze/Support/CheckedReader.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  adze::Expected<std::vector<adze::import::SafetensorsEntry>> entries =
      adze::import::readSafetensors({data, size}, "x.safetensors");
  if (!entries)
    return entries.status().message().empty() ? std::abort(), 0 : 0;
  for (const adze::import::SafetensorsEntry &entry : *entries)
    if (!adze::rangeFits(entry.offset, entry.bytes, size))
      std::abort();
  return 0;
}
