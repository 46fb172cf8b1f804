// Family.h: what a model family is to the importers: one table, read by both doors.
//
// A family says which names its tensors have in either container, which shapes they must have, and the few switches by
// which one decoder differs from the next. lib/Import/Families/<Family>.cpp holds the table and nothing else; the doors
// read configurations through it (which keys mean what), DecoderBuilder makes the step function from it. Adding a
// family of this kind is one such file and one line in allFamilies(): docs/AddAModel.md.
#ifndef ADZE_IMPORT_FAMILY_H
#define ADZE_IMPORT_FAMILY_H

#include "adze/Import/Checkpoint.h"

#include <array>
#include <span>
#include <string_view>

namespace adze::import {

// What a tensor is for. The builder asks by role; a family's rows say what it is called.
enum class Role {
  Embedding,
  AttentionNorm,
  Query,
  Key,
  Value,
  AttentionOutput,
  QueryBias,
  KeyBias,
  ValueBias,
  AttentionOutputBias,
  QueryNorm,
  KeyNorm,
  FeedForwardNorm,
  Gate,
  Up,
  Down,
  GateBias,
  UpBias,
  DownBias,
  OutputNorm,
  Head
};

// The extents of a tensor, by the sizes of ModelConfig. Queries = heads * headDim, Keys = kvHeads * headDim.
enum class Extent { None, Hidden, Queries, Keys, HeadDim, FeedForward, Vocabulary };

enum class Presence {
  Always,
  IfAttentionBias,   // exactly where config.attentionBias
  IfFeedForwardBias, // exactly where config.feedForwardBias
  HeadRule           // B05: see headWeight in DecoderBuilder.cpp
};

// '*' in a name stands for the layer's number; a row with one is a tensor of every layer.
struct TensorRow {
  Role role;
  std::string_view symbol; // of the llm.weight; parts of a quantized one add .codes, .scales ...
  std::string_view hfName, ggufName;
  Extent rows, columns; // columns None: a vector
  Presence presence = Presence::Always;
  // In GGUF's llama architecture the rows of each head of q and k are interleaved: 2j + i holds row j + i * headDim
  // / 2.
  bool interleavedInGguf = false;
};

// How config.json states a sliding window.
enum class WindowRule {
  None,       // no such keys
  EveryLayer, // sliding_window, with the default where the key is absent; null: none
  UpperLayers // use_sliding_window, sliding_window, max_window_layers, layer_types
};

struct Family {
  std::string_view name;
  std::string_view hfModelType, hfArchitecture;
  std::string_view ggufArchitecture;
  bool ggufNeedsWindow = false; // shares its GGUF architecture: this family is the one with a window key
  std::span<const TensorRow> tensors;
  bool interleavedInGguf = false; // whether the interleavedInGguf marks of the rows apply
  // Defaults that the family's config.json leaves unsaid; 0: derived (head width = hidden / heads, no window).
  int64_t defaultHeadDim = 0, defaultWindow = 0;
  WindowRule windowRule = WindowRule::None;
  bool hasAttentionBiasKey = false; // config.json has attention_bias
  bool hasFeedForwardBiasKey = false;
  bool alwaysQkvBias = false; // q, k and v have biases whatever the config says (rows with Presence::Always)
};

std::span<const Family *const> allFamilies();
const Family *familyByHfModelType(std::string_view modelType);
const Family *familyByGguf(std::string_view architecture, bool hasWindow);
std::string familyNames(bool gguf); // accepted spellings, for messages

// Rows that nearly every decoder has: embedding, norms, projections, feed-forward, head; then optional biases.
inline constexpr size_t plainDecoderRows = 12;
std::span<const TensorRow, plainDecoderRows> plainDecoder();
// The rows of plainDecoder with `more` behind them.
template <size_t N> std::array<TensorRow, plainDecoderRows + N> decoderRowsAnd(const std::array<TensorRow, N> &more) {
  std::array<TensorRow, plainDecoderRows + N> rows;
  size_t i = 0;
  for (const TensorRow &row : plainDecoder())
    rows[i++] = row;
  for (const TensorRow &row : more)
    rows[i++] = row;
  return rows;
}

// The name of a row's tensor in layer `layer` (ignored for a row without '*').
std::string nameInLayer(std::string_view pattern, int64_t layer);

// The inverse frequencies headDim / 2 that the settings stand for, and nothing else scales an angle.
std::vector<float> inverseFrequencies(const RopeSettings &rope, int64_t headDim);

} // namespace adze::import
#endif
