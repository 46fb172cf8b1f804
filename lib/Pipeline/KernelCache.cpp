#include "adze/Pipeline/KernelCache.h"

#include "adze/Support/Hash.h"
#include "adze/Support/MappedFile.h"
#include "adze/Support/Mutant.h"
#include "adze/Support/ScratchOutput.h"

#include "llvm/Config/llvm-config.h"

#include <filesystem>
#include <unistd.h>

namespace adze {

static constexpr size_t kHashDigits = 32;

Expected<KernelCache> KernelCache::open(const std::string &folder) {
  KernelCache cache;
  if (folder.empty() || mutantsBuilt())
    return cache;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder, error))
    return invalidInput("--kernel-cache=" + folder + ": the folder cannot be made: " +
                        (error ? error.message() : "a file of that name is in the way"));
  auto self = MappedFile::open("/proc/self/exe");
  if (!self)
    return self.status();
  cache.folder = folder;
  cache.program = hashBytes(self->bytes());
  return cache;
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
  if (!enabled())
    return std::nullopt;
  auto file = MappedFile::open(folder + "/" + key);
  if (!file || file->size() <= kHashDigits)
    return std::nullopt;
  std::string_view object = file->text().substr(kHashDigits);
  if (hashText(object) != file->text().substr(0, kHashDigits))
    return std::nullopt;
  return std::string(object);
}

Status KernelCache::keep(const std::string &key, const std::string &object) const {
  if (!enabled())
    return Status::success();
  // Not flushed: an entry that a crash cuts short fails its hash.
  std::string path = folder + "/" + key, unfinished = path + ".partial-" + std::to_string(getpid());
  if (Status status = writeFile(unfinished, hashText(object) + object); !status.ok())
    return status;
  std::error_code error;
  std::filesystem::rename(unfinished, path, error);
  return error ? invalidInput(path + ": cannot be written: " + error.message()) : Status::success();
}

} // namespace adze
