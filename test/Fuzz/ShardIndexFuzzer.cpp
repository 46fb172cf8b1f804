// model.safetensors.index.json: any text is refused with a message, or each of its tensors is in one named file, and no
// name of a file leaves the model's folder.
#include "adze/Import/ShardIndex.h"
#include "adze/Support/RootedFolder.h"

#include <cstdlib>

using namespace adze;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Expected<RootedFolder> empty = RootedFolder::open("/proc/self/fdinfo");
  Expected<import::ShardIndex> index =
      import::readShardIndex(std::string_view(reinterpret_cast<const char *>(data), size), "index.json");
  if (!index)
    return index.status().message().empty() ? std::abort(), 0 : 0;
  if (index->fileOfTensor.empty() || index->files.empty() || index->files.size() > index->fileOfTensor.size())
    std::abort();
  for (auto &[tensor, file] : index->fileOfTensor)
    if (!index->files.count(file))
      std::abort();
  // Files that an index names are opened below the folder alone; whatever the name is, it gives a message.
  if (empty)
    for (const std::string &file : index->files)
      if (Expected<MappedFile> map = empty->map(file); !map && map.status().message().empty())
        std::abort();
  return 0;
}
