// ShardIndex.h: model.safetensors.index.json, which says which file of a model holds which tensor.
//
// The text is JSON with an object `weight_map` of strings; whatever else it has (metadata, total_size) is a note of the
// writer. Names of files are kept as they stand: they are opened through RootedFolder, which lets none leave the
// model's folder. Failures are InvalidInput and name the file and the tensor.
#ifndef ADZE_IMPORT_SHARDINDEX_H
#define ADZE_IMPORT_SHARDINDEX_H

#include "adze/Support/Status.h"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace adze::import {

struct ShardIndex {
  std::map<std::string, std::string, std::less<>> fileOfTensor; // never empty
  std::set<std::string> files;                                  // each once
};

// The longest index that is read, in bytes: twice that of the largest published models.
inline constexpr uint64_t shardIndexLimit = 32u << 20;
// Files that one index may name.
inline constexpr size_t shardLimit = 4096;

// `file` is the name that messages use.
Expected<ShardIndex> readShardIndex(std::string_view text, const std::string &file);

} // namespace adze::import
#endif
