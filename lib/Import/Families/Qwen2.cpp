// Qwen2 and Qwen2.5: the plain decoder with biases on q, k and v, which no key announces. GGUF keeps the rows in order.
#include "adze/Import/Family.h"

namespace adze::import {

const Family &qwen2Family() {
  using enum Role;
  using enum Extent;
  static const auto rows = decoderRowsAnd(std::array{
      TensorRow{QueryBias, "layers.*.attention.q.bias", "model.layers.*.self_attn.q_proj.bias", "blk.*.attn_q.bias",
                Queries, None},
      TensorRow{KeyBias, "layers.*.attention.k.bias", "model.layers.*.self_attn.k_proj.bias", "blk.*.attn_k.bias", Keys,
                None},
      TensorRow{ValueBias, "layers.*.attention.v.bias", "model.layers.*.self_attn.v_proj.bias", "blk.*.attn_v.bias",
                Keys, None},
  });
  static const Family family{
      .name = "qwen2",
      .hfModelType = "qwen2",
      .hfArchitecture = "Qwen2ForCausalLM",
      .ggufArchitecture = "qwen2",
      .tensors = rows,
      .windowRule = WindowRule::UpperLayers,
  };
  return family;
}

} // namespace adze::import
