// The small-file JSON parser: any text is refused with a message or read; what was read is written and read again.
#include "adze/Support/Json.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  adze::Expected<adze::Json> value =
      adze::parseJson(std::string_view(reinterpret_cast<const char *>(data), size), "x.json");
  if (!value)
    return value.status().message().empty() ? std::abort(), 0 : 0;
  adze::Expected<adze::Json> again = adze::parseJson(adze::writeJson(*value), "x.json");
  if (!again || *again != *value)
    std::abort();
  return 0;
}
