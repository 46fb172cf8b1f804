// Qwen3: the plain decoder with a norm over each head of q and k before the rotation, and a head width that is stated
// (128 where config.json leaves it unsaid), not hidden / heads. GGUF keeps the rows in order.
#include "adze/Import/Family.h"

namespace adze::import {

const Family &qwen3Family() {
  using enum Role;
  using enum Extent;
  constexpr auto ifAttention = Presence::IfAttentionBias;
  static const auto rows = decoderRowsAnd(std::array{
      TensorRow{QueryNorm, "layers.*.attention.q.norm", "model.layers.*.self_attn.q_norm.weight",
                "blk.*.attn_q_norm.weight", HeadDim, None},
      TensorRow{KeyNorm, "layers.*.attention.k.norm", "model.layers.*.self_attn.k_norm.weight",
                "blk.*.attn_k_norm.weight", HeadDim, None},
      TensorRow{QueryBias, "layers.*.attention.q.bias", "model.layers.*.self_attn.q_proj.bias", "blk.*.attn_q.bias",
                Queries, None, ifAttention},
      TensorRow{KeyBias, "layers.*.attention.k.bias", "model.layers.*.self_attn.k_proj.bias", "blk.*.attn_k.bias", Keys,
                None, ifAttention},
      TensorRow{ValueBias, "layers.*.attention.v.bias", "model.layers.*.self_attn.v_proj.bias", "blk.*.attn_v.bias",
                Keys, None, ifAttention},
      TensorRow{AttentionOutputBias, "layers.*.attention.output.bias", "model.layers.*.self_attn.o_proj.bias",
                "blk.*.attn_output.bias", Hidden, None, ifAttention},
  });
  static const Family family{
      .name = "qwen3",
      .hfModelType = "qwen3",
      .hfArchitecture = "Qwen3ForCausalLM",
      .ggufArchitecture = "qwen3",
      .tensors = rows,
      .defaultHeadDim = 128,
      .windowRule = WindowRule::UpperLayers,
      .hasAttentionBiasKey = true,
  };
  return family;
}

} // namespace adze::import
