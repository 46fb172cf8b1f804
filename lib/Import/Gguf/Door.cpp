// The GGUF door: metadata to configuration, tokenizer and licence; tensors as they lie.
#include "Metadata.h"

#include "adze/Import/Doors.h"

#include <cstring>

namespace adze::import {
namespace {

constexpr const char *ropeDivisors = "rope_freqs.weight";

Status readTensors(Checkpoint &checkpoint, const GgufFile &file, const std::string &path) {
  for (const GgufTensor &tensor : file.tensors) {
    StoredTensor stored{0, tensor.offset, tensor.bytes, tensor.encoding, tensor.shape};
    if (tensor.name != ropeDivisors) {
      checkpoint.tensors.emplace(tensor.name, std::move(stored));
      continue;
    }
    // A small table that becomes part of the inverse frequencies.
    if (tensor.encoding->encoding != TensorEncoding::F32 || tensor.shape.size() != 1 || tensor.shape[0] > 4096)
      return invalidInput(path + ": tensor '" + ropeDivisors + "' is not a short vector of f32");
    std::span<const uint8_t> bytes = checkpoint.bytes(stored);
    checkpoint.config.rope.divisors.resize(size_t(tensor.shape[0]));
    std::memcpy(checkpoint.config.rope.divisors.data(), bytes.data(), bytes.size());
  }
  return Status::success();
}

} // namespace

Expected<Checkpoint> openGguf(const std::string &path) {
  Expected<MappedFile> map = MappedFile::open(path);
  if (!map)
    return map.takeStatus();
  Expected<GgufFile> file = readGguf(map->bytes(), path);
  if (!file)
    return file.takeStatus();
  Checkpoint checkpoint;
  checkpoint.gguf = true;
  checkpoint.where = checkpoint.weightFile = path;
  size_t slash = path.rfind('/');
  checkpoint.folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  checkpoint.files.push_back({slash == std::string::npos ? path : path.substr(slash + 1), std::move(*map)});

  MetadataReader keys(*file, path);
  Expected<std::string_view> type = keys.string("general.type");
  if (!type)
    return type.takeStatus();
  if (!type->empty() && *type != "model")
    return keys.refuse("general.type", "model");
  if (keys.has("split.count")) {
    Expected<std::optional<int64_t>> parts = keys.integer("split.count");
    if (!parts)
      return parts.takeStatus();
    if (**parts > 1)
      return keys.refuse("split.count", "1: merge the parts into one file first");
    keys.take("split.no");
    keys.take("split.tensors.count");
  }
  Expected<std::optional<int64_t>> version = keys.integer("general.quantization_version");
  if (!version)
    return version.takeStatus();
  if (*version && **version != 2)
    return keys.refuse("general.quantization_version", "2");
  if (Status s = readTensors(checkpoint, *file, path); !s.ok())
    return s;
  if (Status s = readGgufConfig(keys, *file, checkpoint.config); !s.ok())
    return s;
  for (auto [key, target] :
       {std::pair{"general.name", &checkpoint.config.name}, {"general.license", &checkpoint.licence}}) {
    Expected<std::string_view> text = keys.string(key);
    if (!text)
      return text.takeStatus();
    *target = *text;
  }
  if (checkpoint.config.name.empty())
    checkpoint.config.name = checkpoint.files[0].name;
  if (Status s = readGgufGeneration(keys, checkpoint.generation); !s.ok())
    return s;
  Expected<TokenizerTable> tokenizer = readGgufTokenizer(keys);
  if (!tokenizer)
    return tokenizer.takeStatus();
  checkpoint.tokenizer = std::move(*tokenizer);
  if (Status s = keys.finish(); !s.ok())
    return s;
  if (Status s = finishGeneration(checkpoint); !s.ok())
    return s;
  return checkpoint;
}

} // namespace adze::import
