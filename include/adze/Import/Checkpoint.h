// Checkpoint.h: what a door (Hugging Face folder, GGUF file) hands to the families: files, tensors, sizes, in one
// spelling.
//
// A door reads its container with a checked reader, turns its configuration into a ModelConfig and its tensor list into
// StoredTensors, and refuses by name whatever it does not understand. Tensors keep the door's own names here; the rows
// of a family know both spellings. Nothing is decoded and nothing is copied: bytes stay in the mapped files.
#ifndef ADZE_IMPORT_CHECKPOINT_H
#define ADZE_IMPORT_CHECKPOINT_H

#include "adze/Format/Encodings.h"
#include "adze/Format/GenerationDefaults.h"
#include "adze/Format/TokenizerTable.h"
#include "adze/Support/MappedFile.h"
#include "adze/Support/Status.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace adze::import {

// A tensor as it lies in a file: `shape` in logical order (rows first), `offset` of its first byte in file number
// `file`. The door has checked that the bytes lie in the file, fit the shape, and are nobody else's.
struct StoredTensor {
  size_t file = 0;
  uint64_t offset = 0, bytes = 0;
  const EncodingInfo *encoding = nullptr;
  std::vector<int64_t> shape;
};

struct SourceFile {
  std::string name; // relative to Checkpoint::folder
  MappedFile map;
};

// A file that was read and has no tensors: configuration, tokenizer, template, index, licence.
struct SourceDocument {
  std::string name; // relative to Checkpoint::folder
  uint64_t size = 0;
  std::string hash; // as llm.file has it
};

// How positions turn into angles; folded into one table of inverse frequencies
// (lib/Import/Families/InverseFrequencies).
struct RopeSettings {
  enum class Kind { Plain, Linear, Llama3 };
  Kind kind = Kind::Plain;
  double base = 10000;
  double factor = 1;                          // Linear, Llama3
  double lowFrequency = 1, highFrequency = 4; // Llama3
  double originalContext = 0;                 // Llama3
  std::vector<float> divisors;                // GGUF's rope_freqs.weight: one divisor for each frequency; may be empty
};

// Sizes and switches of a decoder, the same from every door. All sizes are checked by checkSizes.
struct ModelConfig {
  std::string family, name;
  int64_t layers = 0, hidden = 0, feedForward = 0, heads = 0, kvHeads = 0, headDim = 0, vocabulary = 0, context = 0;
  double epsilon = 0;
  RopeSettings rope;
  std::vector<int64_t> windows; // one per layer; 0: sees everything
  bool attentionBias = false;   // q, k, v and attention output have biases
  bool feedForwardBias = false; // gate, up and down have biases
  // Whether the head is the embedding. Nothing: the container has no such switch, a missing head is a tied one (GGUF).
  std::optional<bool> tied;
};

struct Checkpoint {
  std::string folder;     // where the files are
  std::string where;      // "FOLDER/config.json" or the GGUF file: for messages
  std::string weightFile; // file or index that lists the tensors: for messages
  bool gguf = false;      // which of a row's two names the tensors have
  std::vector<SourceFile> files;
  bool hashFiles = true;                 // whether llm.file says the hash of `files`, which reads them whole
  std::vector<SourceDocument> documents; // in the order in which they were read
  std::map<std::string, StoredTensor> tensors;
  ModelConfig config;
  TokenizerTable tokenizer;
  GenerationDefaults generation;
  std::string licence;

  std::span<const uint8_t> bytes(const StoredTensor &tensor) const {
    return files[tensor.file].map.bytes().subspan(tensor.offset, tensor.bytes);
  }
};

// The names under which a door's configuration states the sizes, for messages.
struct SizeKeys {
  std::string layers, hidden, feedForward, heads, kvHeads, headDim, vocabulary, context, epsilon, window, ropeBase;
};

// The rules between sizes that every kernel and the KV cache rely on; each failure names `where`, the key and the
// limit.
Status checkSizes(const ModelConfig &config, const SizeKeys &keys, const std::string &where);

// End tokens in range, sampling values in range, tokenizer no larger than the vocabulary; adds the tokenizer's own end
// tokens to generation.endTokens (ascending, each once).
Status finishGeneration(Checkpoint &checkpoint);

} // namespace adze::import
#endif
