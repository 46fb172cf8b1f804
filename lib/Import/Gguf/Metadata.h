// Metadata.h: reads GGUF metadata whose every key must be accounted for.
#ifndef ADZE_LIB_IMPORT_GGUF_METADATA_H
#define ADZE_LIB_IMPORT_GGUF_METADATA_H

#include "../KeyAccount.h"

#include "adze/Import/Checkpoint.h"
#include "adze/Import/GgufFile.h"

namespace adze::import {

class MetadataReader : public KeyAccount<MetadataReader> {
public:
  MetadataReader(const GgufFile &file, std::string where) : KeyAccount(std::move(where)), file(file) {}

  bool has(std::string_view key) const { return file.metadata.find(key) != file.metadata.end(); }
  // The value or null; marks the key as consumed.
  const GgufValue *take(std::string_view key);

  Expected<std::optional<int64_t>> integer(std::string_view key);
  Expected<std::optional<double>> number(std::string_view key);
  Expected<std::optional<bool>> boolean(std::string_view key);
  // Empty where absent.
  Expected<std::string_view> string(std::string_view key);

  // "WHERE: key 'K' is FOUND; accepted is ACCEPTED".
  Status refuse(std::string_view key, std::string_view accepted) const;
  // Fails for a key that was not taken and that no row of the list of harmless ones explains.
  Status finish() const;

private:
  const GgufFile &file;
};

// The {architecture}.* keys.
Status readGgufConfig(MetadataReader &keys, const GgufFile &file, ModelConfig &config);
// The tokenizer.* keys.
Expected<TokenizerTable> readGgufTokenizer(MetadataReader &keys);
// The general.sampling.* keys and end tokens.
Status readGgufGeneration(MetadataReader &keys, GenerationDefaults &generation);

} // namespace adze::import
#endif
