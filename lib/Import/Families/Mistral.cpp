// Mistral: the plain decoder with a sliding window in every layer.
//
// transformers takes a window of 4096 where config.json has no sliding_window key, and none where it is null. GGUF
// files of Mistral carry the architecture "llama"; only a file that also states attention.sliding_window is this
// family.
#include "adze/Import/Family.h"

namespace adze::import {

const Family &mistralFamily() {
  static const Family family{
      .name = "mistral",
      .hfModelType = "mistral",
      .hfArchitecture = "MistralForCausalLM",
      .ggufArchitecture = "llama",
      .ggufNeedsWindow = true,
      .tensors = plainDecoder(),
      .interleavedInGguf = true,
      .defaultWindow = 4096,
      .windowRule = WindowRule::EveryLayer,
  };
  return family;
}

} // namespace adze::import
