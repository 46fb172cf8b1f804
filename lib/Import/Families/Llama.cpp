// Llama 2 and 3.x, and what is built like them (SmolLM2): the plain decoder.
//
// GGUF interleaves the rows of q and k (and of their biases). attention_bias and mlp_bias exist in the configuration
// but are off in the published models; a GGUF file says it by holding the tensors.
#include "adze/Import/Family.h"

namespace adze::import {

const Family &llamaFamily() {
  using enum Role;
  using enum Extent;
  constexpr auto ifAttention = Presence::IfAttentionBias, ifFeedForward = Presence::IfFeedForwardBias;
  static const auto rows = decoderRowsAnd(std::array{
      TensorRow{QueryBias, "layers.*.attention.q.bias", "model.layers.*.self_attn.q_proj.bias", "blk.*.attn_q.bias",
                Queries, None, ifAttention, true},
      TensorRow{KeyBias, "layers.*.attention.k.bias", "model.layers.*.self_attn.k_proj.bias", "blk.*.attn_k.bias", Keys,
                None, ifAttention, true},
      TensorRow{ValueBias, "layers.*.attention.v.bias", "model.layers.*.self_attn.v_proj.bias", "blk.*.attn_v.bias",
                Keys, None, ifAttention},
      TensorRow{AttentionOutputBias, "layers.*.attention.output.bias", "model.layers.*.self_attn.o_proj.bias",
                "blk.*.attn_output.bias", Hidden, None, ifAttention},
      TensorRow{GateBias, "layers.*.feed_forward.gate.bias", "model.layers.*.mlp.gate_proj.bias", "blk.*.ffn_gate.bias",
                FeedForward, None, ifFeedForward},
      TensorRow{UpBias, "layers.*.feed_forward.up.bias", "model.layers.*.mlp.up_proj.bias", "blk.*.ffn_up.bias",
                FeedForward, None, ifFeedForward},
      TensorRow{DownBias, "layers.*.feed_forward.down.bias", "model.layers.*.mlp.down_proj.bias", "blk.*.ffn_down.bias",
                Hidden, None, ifFeedForward},
  });
  static const Family family{
      .name = "llama",
      .hfModelType = "llama",
      .hfArchitecture = "LlamaForCausalLM",
      .ggufArchitecture = "llama",
      .tensors = rows,
      .interleavedInGguf = true,
      .hasAttentionBiasKey = true,
      .hasFeedForwardBiasKey = true,
  };
  return family;
}

} // namespace adze::import
