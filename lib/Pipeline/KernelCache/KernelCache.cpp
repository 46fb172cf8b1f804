#include "adze/Pipeline/KernelCache.h"

#include "adze/Support/Hash.h"
#include "adze/Support/MappedFile.h"
#include "adze/Support/Mutant.h"
#include "adze/Support/ScratchOutput.h"

#include "llvm/Config/llvm-config.h"

#include <filesystem>

namespace adze {

static constexpr size_t kHashDigits = 32;

Expected<KernelCache> KernelCache::open(const std::string &folder) {
  KernelCache cache;
  if (folder.empty())
    return cache;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder, error))
    return invalidInput("--kernel-cache=" + folder + ": the folder cannot be made: " +
                        (error ? error.message() : "a file of that name is in the way"));
  if (mutantsBuilt())
    return cache;
  auto self = MappedFile::open("/proc/self/exe");
  if (!self)
    return self.status();
  cache.folder = folder;
  cache.program = hashBytes(self->bytes());
  return cache;
}

Expected<std::string> KernelCache::findOrMake(const std::function<std::string()> &text, std::string_view pipeline,
                                              const std::function<Expected<std::string>()> &make) const {
  if (folder.empty())
    return make();
  std::string key = keyOf(text(), pipeline);
  if (auto object = find(key))
    return *object;
  auto object = make();
  if (object)
    if (Status status = keep(key, *object); !status.ok())
      return status;
  return object;
}

std::string KernelCache::keyOf(std::string_view kernel, std::string_view pipeline) const {
  StreamHash hash;
  for (std::string_view part : {std::string_view(program), std::string_view(LLVM_VERSION_STRING), pipeline, kernel}) {
    hash.update(part);
    hash.update(std::string_view("\0", 1));
  }
  return hash.hex();
}

std::optional<std::string> KernelCache::find(const std::string &key) const {
  auto file = MappedFile::open(folder + "/" + key);
  if (!file || file->size() <= kHashDigits)
    return std::nullopt;
  std::string_view object = file->text().substr(kHashDigits);
  if (hashText(object) != file->text().substr(0, kHashDigits))
    return std::nullopt;
  return std::string(object);
}

Status KernelCache::keep(const std::string &key, const std::string &object) const {
  // One at a time, since few outputs may be live at once.
  std::lock_guard<std::mutex> lock(*writing);
  auto entry = ScratchOutput::file(folder + "/" + key, Overwrite::Replace);
  if (!entry)
    return entry.takeStatus().withContext("--kernel-cache");
  if (Status status = writeFile(entry->scratchPath(), hashText(object) + object); !status.ok())
    return status;
  // Not flushed: an entry that a crash cuts short fails its hash.
  return entry->commit(Durability::NotFlushed);
}

} // namespace adze
