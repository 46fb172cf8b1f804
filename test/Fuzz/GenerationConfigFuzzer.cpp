// generation_config.json: any text is refused with a message or read; reading it twice gives the same defaults.
#include "Config.h"

#include <cstdlib>

using namespace adze;
using namespace adze::import;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *name = "generation_config.json";
  Expected<Json> json = parseJson(std::string_view(reinterpret_cast<const char *>(data), size), name);
  if (!json)
    return json.status().message().empty() ? std::abort(), 0 : 0;
  Checkpoint first, second;
  first.config.vocabulary = second.config.vocabulary = 1000;
  for (Checkpoint *checkpoint : {&first, &second}) {
    Status read = readGenerationConfig(*json, name, checkpoint->generation);
    if (read.ok())
      read = finishGeneration(*checkpoint);
    if (!read.ok())
      return read.message().empty() ? std::abort(), 0 : 0;
  }
  // Everything that the sampler divides by or indexes with is in its range now.
  const GenerationDefaults &g = first.generation;
  if (!(g.temperature > 0) || g.topK < 0 || !(g.topP > 0 && g.topP <= 1) || !(g.repetitionPenalty > 0))
    std::abort();
  for (int32_t id : g.endTokens)
    if (id < 0 || id >= 1000)
      std::abort();
  if (g.endTokens != second.generation.endTokens || g.temperature != second.generation.temperature)
    std::abort();
  return 0;
}
