// config.json: any text is refused with a message, or gives sizes that obey their rules and finite frequencies.
#include "Config.h"
#include "adze/Import/Family.h"

#include <cmath>
#include <cstdlib>

using namespace adze;
using namespace adze::import;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Expected<Json> json = parseJson(std::string_view(reinterpret_cast<const char *>(data), size), "config.json");
  if (!json)
    return json.status().message().empty() ? std::abort(), 0 : 0;
  ModelConfig config;
  GenerationDefaults generation;
  if (Status read = readConfig(*json, "config.json", config, generation); !read.ok())
    return read.message().empty() ? std::abort(), 0 : 0;
  // What the builder of the step function takes for granted.
  if (config.layers < 1 || config.layers > 1024 || int64_t(config.windows.size()) != config.layers ||
      config.heads % config.kvHeads != 0 || config.headDim % 2 != 0 || !familyByHfModelType(config.family))
    std::abort();
  for (float frequency : inverseFrequencies(config.rope, config.headDim))
    if (!std::isfinite(frequency) || frequency < 0)
      std::abort();
  return 0;
}
