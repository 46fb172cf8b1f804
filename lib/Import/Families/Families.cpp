// The list of families and the rows that they share.
#include "adze/Import/Family.h"

namespace adze::import {

const Family &llamaFamily();
const Family &mistralFamily();
const Family &qwen2Family();
const Family &qwen3Family();

std::span<const Family *const> allFamilies() {
  static const Family *const families[] = {&llamaFamily(), &mistralFamily(), &qwen2Family(), &qwen3Family()};
  return families;
}

const Family *familyByHfModelType(std::string_view modelType) {
  for (const Family *family : allFamilies())
    if (family->hfModelType == modelType)
      return family;
  return nullptr;
}

const Family *familyByGguf(std::string_view architecture, bool hasWindow) {
  const Family *found = nullptr;
  for (const Family *family : allFamilies())
    if (family->ggufArchitecture == architecture && (!found || family->ggufNeedsWindow == hasWindow))
      found = family;
  return found;
}

std::string familyNames(bool gguf) {
  std::string names, last;
  for (const Family *family : allFamilies()) {
    std::string name(gguf ? family->ggufArchitecture : family->hfModelType);
    if (name != last)
      names += (names.empty() ? "" : ", ") + name;
    last = name;
  }
  return names;
}

std::span<const TensorRow, plainDecoderRows> plainDecoder() {
  using enum Role;
  using enum Extent;
  static constexpr TensorRow rows[plainDecoderRows] = {
      {Embedding, "embedding", "model.embed_tokens.weight", "token_embd.weight", Vocabulary, Hidden},
      {AttentionNorm, "layers.*.attention.norm", "model.layers.*.input_layernorm.weight", "blk.*.attn_norm.weight",
       Hidden, None},
      {Query, "layers.*.attention.q", "model.layers.*.self_attn.q_proj.weight", "blk.*.attn_q.weight", Queries, Hidden,
       Presence::Always, true},
      {Key, "layers.*.attention.k", "model.layers.*.self_attn.k_proj.weight", "blk.*.attn_k.weight", Keys, Hidden,
       Presence::Always, true},
      {Value, "layers.*.attention.v", "model.layers.*.self_attn.v_proj.weight", "blk.*.attn_v.weight", Keys, Hidden},
      {AttentionOutput, "layers.*.attention.output", "model.layers.*.self_attn.o_proj.weight",
       "blk.*.attn_output.weight", Hidden, Queries},
      {FeedForwardNorm, "layers.*.feed_forward.norm", "model.layers.*.post_attention_layernorm.weight",
       "blk.*.ffn_norm.weight", Hidden, None},
      {Gate, "layers.*.feed_forward.gate", "model.layers.*.mlp.gate_proj.weight", "blk.*.ffn_gate.weight", FeedForward,
       Hidden},
      {Up, "layers.*.feed_forward.up", "model.layers.*.mlp.up_proj.weight", "blk.*.ffn_up.weight", FeedForward, Hidden},
      {Down, "layers.*.feed_forward.down", "model.layers.*.mlp.down_proj.weight", "blk.*.ffn_down.weight", Hidden,
       FeedForward},
      {OutputNorm, "output.norm", "model.norm.weight", "output_norm.weight", Hidden, None},
      {Head, "head", "lm_head.weight", "output.weight", Vocabulary, Hidden, Presence::HeadRule},
  };
  return rows;
}

std::string nameInLayer(std::string_view pattern, int64_t layer) {
  size_t star = pattern.find('*');
  if (star == std::string_view::npos)
    return std::string(pattern);
  return std::string(pattern.substr(0, star)) + std::to_string(layer) + std::string(pattern.substr(star + 1));
}

} // namespace adze::import
