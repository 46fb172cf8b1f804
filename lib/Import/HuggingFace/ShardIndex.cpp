// Reading model.safetensors.index.json.
#include "adze/Import/ShardIndex.h"

#include "adze/Support/Json.h"

namespace adze::import {

Expected<ShardIndex> readShardIndex(std::string_view text, const std::string &file) {
  Expected<Json> json = parseJson(text, file);
  if (!json)
    return json.takeStatus();
  const Json *map = json->is_object() ? jsonFind(*json, "weight_map") : nullptr;
  if (!map || !map->is_object() || map->empty())
    return invalidInput(file + ": no 'weight_map' that says which file holds which tensor");
  ShardIndex index;
  for (auto &[tensor, name] : map->items()) {
    if (!name.is_string())
      return invalidInput(file + ": the file of tensor '" + tensor + "' is not a string");
    index.files.insert(name.get<std::string>());
    index.fileOfTensor.emplace(tensor, name.get<std::string>());
  }
  if (index.files.size() > shardLimit)
    return invalidInput(file + ": the weights are spread over " + std::to_string(index.files.size()) +
                        " files; up to " + std::to_string(shardLimit) +
                        " are accepted. Save the model in larger parts");
  return index;
}

} // namespace adze::import
