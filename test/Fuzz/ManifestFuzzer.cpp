// An artifact's manifest.json: any text is refused with a message or read; what was read is written and read again.
#include "adze/Format/Manifest.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  adze::Expected<adze::Manifest> manifest = adze::readManifest(text, "manifest.json", adze::ManifestHash::Ignore);
  if (!manifest) {
    if (manifest.status().message().empty())
      std::abort();
    return 0;
  }
  std::string written = adze::writeManifest(*manifest);
  adze::Expected<adze::Manifest> again = adze::readManifest(written, "manifest.json");
  if (!again || adze::writeManifest(*again) != written)
    std::abort();
  return 0;
}
