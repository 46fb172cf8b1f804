// The Hugging Face door: which files there are, and what each is for.
#include "Config.h"

#include "adze/Import/Doors.h"
#include "adze/Import/Safetensors.h"
#include "adze/Import/ShardIndex.h"
#include "adze/Support/Hash.h"
#include "adze/Support/RootedFolder.h"
#include "adze/Text/TokenizerImport.h"

namespace adze::import {
namespace {

// Each a few times the largest published file of its kind (docs/Security.md).
constexpr uint64_t configLimit = 4u << 20, textLimit = 16u << 20, tokenizerLimit = 64u << 20;
constexpr const char *singleFile = "model.safetensors", *indexFile = "model.safetensors.index.json";

// The text of a file, which becomes a source of the model.
Expected<std::string> readDocument(Checkpoint &checkpoint, const RootedFolder &folder, const char *name,
                                   uint64_t limit) {
  Expected<std::string> text = folder.readText(name, limit);
  if (text)
    checkpoint.documents.push_back({name, text->size(), hashText(*text)});
  return text;
}

// The same for a file that may be absent (then empty).
Expected<std::string> optionalText(Checkpoint &checkpoint, const RootedFolder &folder, const char *name,
                                   uint64_t limit) {
  Expected<std::string> text = readDocument(checkpoint, folder, name, limit);
  if (!text && text.status().code() == ErrorCode::NotFound)
    return std::string();
  return text;
}

Expected<Json> requiredJson(Checkpoint &checkpoint, const RootedFolder &folder, const char *name, uint64_t limit) {
  Expected<std::string> text = readDocument(checkpoint, folder, name, limit);
  if (!text)
    return text.takeStatus();
  return parseJson(*text, folder.path() + "/" + name);
}

const EncodingInfo *encodingOf(const std::string &type) {
  return encodingByName(type == "F32" ? "f32" : type == "F16" ? "f16" : type == "BF16" ? "bf16" : "");
}

// Old checkpoints carry the rotary table, which is a function of the configuration and made from that.
bool ignoredTensor(std::string_view name) { return name.ends_with(".self_attn.rotary_emb.inv_freq"); }

Status addShard(Checkpoint &checkpoint, const RootedFolder &folder, const std::string &name) {
  Expected<MappedFile> map = folder.map(name);
  if (!map)
    return map.takeStatus();
  std::string path = folder.path() + "/" + name;
  Expected<std::vector<SafetensorsEntry>> entries = readSafetensors(map->bytes(), path);
  if (!entries)
    return entries.takeStatus();
  size_t number = checkpoint.files.size();
  checkpoint.files.push_back({name, std::move(*map)});
  for (SafetensorsEntry &entry : *entries) {
    if (ignoredTensor(entry.name))
      continue;
    const EncodingInfo *encoding = encodingOf(entry.type);
    if (!encoding)
      return unsupported(path + ": tensor '" + entry.name + "' has dtype " + entry.type +
                         "; a model's tensors are F32, F16 or BF16");
    StoredTensor tensor{number, entry.offset, entry.bytes, encoding, entry.shape};
    if (!checkpoint.tensors.emplace(entry.name, std::move(tensor)).second)
      return invalidInput(path + ": tensor '" + entry.name + "' is in another file of the model as well");
  }
  return Status::success();
}

// The index says which file holds which tensor; files and index must say the same.
Status addShards(Checkpoint &checkpoint, const RootedFolder &folder) {
  std::string path = folder.path() + "/" + indexFile;
  Expected<std::string> text = readDocument(checkpoint, folder, indexFile, shardIndexLimit);
  if (!text)
    return text.takeStatus();
  Expected<ShardIndex> index = readShardIndex(*text, path);
  if (!index)
    return index.takeStatus();
  for (const std::string &name : index->files)
    if (Status s = addShard(checkpoint, folder, name); !s.ok())
      return s.withContext(path);
  for (auto &[tensor, file] : index->fileOfTensor) {
    if (ignoredTensor(tensor))
      continue;
    auto found = checkpoint.tensors.find(tensor);
    if (found == checkpoint.tensors.end() || checkpoint.files[found->second.file].name != file)
      return invalidInput(path + ": tensor '" + tensor + "' is not in " + file + " where the index puts it");
  }
  for (auto &[tensor, stored] : checkpoint.tensors)
    if (!index->fileOfTensor.contains(tensor))
      return invalidInput(path + ": tensor '" + tensor + "' of " + checkpoint.files[stored.file].name +
                          " is not in the index");
  return Status::success();
}

Status readTokenizer(Checkpoint &checkpoint, const RootedFolder &folder) {
  Expected<std::string> tokenizer = readDocument(checkpoint, folder, "tokenizer.json", tokenizerLimit);
  if (!tokenizer) {
    if (tokenizer.status().code() == ErrorCode::NotFound && folder.contains("tokenizer.model"))
      return unsupported(folder.path() +
                         ": there is a tokenizer.model but no tokenizer.json. Load and save the tokenizer "
                         "with transformers' fast tokenizer to get one");
    return tokenizer.takeStatus();
  }
  std::string texts[3];
  const char *names[3] = {"tokenizer_config.json", "special_tokens_map.json", "chat_template.jinja"};
  for (int i = 0; i < 3; ++i) {
    Expected<std::string> text = optionalText(checkpoint, folder, names[i], textLimit);
    if (!text)
      return text.takeStatus();
    texts[i] = std::move(*text);
  }
  Expected<TokenizerTable> table = readTokenizerJson({*tokenizer, texts[0], texts[1], texts[2], folder.path()});
  if (!table)
    return table.takeStatus();
  checkpoint.tokenizer = std::move(*table);
  return Status::success();
}

} // namespace

Expected<Checkpoint> openHuggingFace(const std::string &path) {
  Expected<RootedFolder> folder = RootedFolder::open(path);
  if (!folder)
    return folder.takeStatus();
  Checkpoint checkpoint;
  checkpoint.folder = folder->path();
  checkpoint.where = folder->path() + "/config.json";
  if (!folder->contains("config.json") && folder->contains("adapter_config.json"))
    return unsupported(folder->path() +
                       ": an adapter (adapter_config.json), not a model. Merge it into its base model first");
  Expected<Json> config = requiredJson(checkpoint, *folder, "config.json", configLimit);
  if (!config)
    return config.takeStatus();
  if (Status s = readConfig(*config, checkpoint.where, checkpoint.config, checkpoint.generation); !s.ok())
    return s;
  checkpoint.config.name = folder->path();
  while (checkpoint.config.name.ends_with('/'))
    checkpoint.config.name.pop_back();
  checkpoint.config.name = checkpoint.config.name.substr(checkpoint.config.name.rfind('/') + 1);

  if (folder->contains("generation_config.json")) {
    Expected<Json> generation = requiredJson(checkpoint, *folder, "generation_config.json", configLimit);
    if (!generation)
      return generation.takeStatus();
    if (Status s = readGenerationConfig(*generation, folder->path() + "/generation_config.json", checkpoint.generation);
        !s.ok())
      return s;
  }
  bool single = folder->contains(singleFile), several = folder->contains(indexFile);
  if (single && several)
    return invalidInput(folder->path() + ": both " + singleFile + " and " + indexFile +
                        " are there; remove the one that is not the model");
  checkpoint.weightFile = folder->path() + "/" + (several ? indexFile : singleFile);
  if (!single && !several && folder->contains("pytorch_model.bin"))
    return unsupported(folder->path() + ": the weights are in pytorch_model.bin, which can run code when it is read. "
                                        "Convert them to safetensors");
  if (Status s = several ? addShards(checkpoint, *folder) : addShard(checkpoint, *folder, singleFile); !s.ok())
    return s;
  if (Status s = readTokenizer(checkpoint, *folder); !s.ok())
    return s;
  for (const char *name : {"LICENSE", "LICENSE.txt", "LICENSE.md", "LICENCE"})
    if (checkpoint.licence.empty() && folder->contains(name)) {
      Expected<std::string> text = readDocument(checkpoint, *folder, name, configLimit);
      if (!text)
        return text.takeStatus();
      checkpoint.licence = std::move(*text);
    }
  if (Status s = finishGeneration(checkpoint); !s.ok())
    return s;
  return checkpoint;
}

} // namespace adze::import
