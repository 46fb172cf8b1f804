// GenerationDefaults.h: how a model's makers ask that tokens be chosen, as the importer found it
// (generation_config.json or GGUF metadata) and the artifact carries it. The runtime prints what it uses and every
// value can be overridden.
#ifndef ADZE_FORMAT_GENERATIONDEFAULTS_H
#define ADZE_FORMAT_GENERATIONDEFAULTS_H

#include <cstdint>
#include <vector>

namespace adze {

struct GenerationDefaults {
  std::vector<int32_t> endTokens; // any of these ends an answer
  bool sample = false;            // do_sample: false means greedy unless the user asks otherwise
  double temperature = 1.0;       // > 0
  int64_t topK = 0;               // 0: off
  double topP = 1.0;              // 0 < p <= 1; 1: off
  double minP = 0.0;              // 0 <= p <= 1; 0: off
  double repetitionPenalty = 1.0; // > 0; 1: off
};

} // namespace adze
#endif
