#include "adze/Support/RootedFolder.h"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace adze {
namespace {

constexpr int readFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

std::vector<std::string> components(std::string_view file) {
  std::vector<std::string> parts;
  while (!file.empty()) {
    size_t slash = std::min(file.find('/'), file.size());
    parts.emplace_back(file.substr(0, slash));
    file.remove_prefix(std::min(slash + 1, file.size()));
  }
  return parts;
}

// The rules that need no file system: an empty reason means that the name is acceptable.
std::string_view refusedName(std::string_view file) {
  if (file.empty())
    return "the name is empty";
  if (file.find('\0') != std::string_view::npos)
    return "the name holds a NUL byte";
  if (file.front() == '/')
    return "the name is absolute; only names below the folder are accepted";
  if (file.back() == '/')
    return "the name ends in '/'; a file is needed";
  for (const std::string &part : components(file)) {
    if (part == "..")
      return "the name climbs with '..'; only names below the folder are accepted";
    if (part == "." || part.empty())
      return "the name has an empty or '.' component; write it without";
  }
  return {};
}

// One component at a time, links refused: for kernels before 5.6 and sandboxes that forbid openat2.
int walkOpen(int folder, std::string_view file) {
  std::vector<std::string> parts = components(file);
  int current = folder;
  for (size_t i = 0; i < parts.size(); ++i) {
    bool last = i + 1 == parts.size();
    int next = openat(current, parts[i].c_str(), readFlags | O_NOFOLLOW | (last ? 0 : O_DIRECTORY));
    int error = errno;
    if (current != folder)
      ::close(current);
    if (next < 0) {
      errno = error;
      return -1;
    }
    current = next;
  }
  return current;
}

int openBeneath(int folder, const std::string &file, uint64_t resolve) {
  struct open_how how = {};
  how.flags = readFlags;
  how.resolve = resolve;
  int descriptor = -1;
  do
    descriptor = static_cast<int>(syscall(SYS_openat2, folder, file.c_str(), &how, sizeof(how)));
  while (descriptor < 0 && errno == EAGAIN); // a rename raced with the resolution
  if (descriptor < 0 && (errno == ENOSYS || errno == EPERM))
    return walkOpen(folder, file);
  return descriptor;
}

// Reads a link; empty when `file` is not one.
std::string readLink(int folder, const std::string &file) {
  char target[4096];
  ssize_t length = readlinkat(folder, file.c_str(), target, sizeof(target));
  if (length <= 0 || length == static_cast<ssize_t>(sizeof(target)))
    return {};
  return std::string(target, static_cast<size_t>(length));
}

} // namespace

Expected<RootedFolder> RootedFolder::open(const std::string &path) {
  int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0 && errno == ENOTDIR)
    return invalidInput(fmt::format("'{}' is not a folder", path));
  if (descriptor < 0)
    return systemError(errno, fmt::format("cannot open the folder '{}'", path));
  return RootedFolder(descriptor, path);
}

RootedFolder::RootedFolder(RootedFolder &&other) noexcept
    : folder(std::exchange(other.folder, -1)), name(std::move(other.name)) {}

RootedFolder &RootedFolder::operator=(RootedFolder &&other) noexcept {
  std::swap(folder, other.folder);
  std::swap(name, other.name);
  return *this;
}

RootedFolder::~RootedFolder() {
  if (folder >= 0)
    ::close(folder);
}

// A hub cache's snapshot links every file to CACHE/blobs/HASH. The link is taken apart by hand: exactly one "../" for
// each folder between the file and CACHE, then "blobs", then one plain name, which must not be a link itself. The
// folder really must lie at CACHE/snapshots/REVISION, seen from its open descriptor and not from the name that the user
// typed.
Expected<int> RootedFolder::openHubLink(std::string_view file) const {
  auto leaves = [&] {
    return invalidInput(
        fmt::format("'{}' in '{}' is a link that leaves the folder; only links inside it, and links of a "
                    "Hugging Face cache's snapshot into its blobs, are followed",
                    file, name));
  };
  std::string target = readLink(folder, std::string(file));
  std::string_view rest = target;
  size_t depth = components(file).size() + 1;
  for (size_t i = 0; i < depth; ++i) {
    if (!rest.starts_with("../"))
      return leaves();
    rest.remove_prefix(3);
  }
  if (!rest.starts_with("blobs/"))
    return leaves();
  rest.remove_prefix(6);
  if (!refusedName(rest).empty() || rest.find('/') != std::string_view::npos)
    return leaves();

  std::string self = readLink(AT_FDCWD, fmt::format("/proc/self/fd/{}", folder));
  std::vector<std::string> place = components(self);
  if (place.size() < 3 || place[place.size() - 2] != "snapshots")
    return leaves();
  int blobs = openat(folder, "../../blobs", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (blobs < 0)
    return leaves();
  int descriptor = openat(blobs, std::string(rest).c_str(), readFlags | O_NOFOLLOW);
  int error = errno;
  ::close(blobs);
  if (descriptor >= 0)
    return descriptor;
  if (error == ELOOP)
    return leaves();
  return systemError(error,
                     fmt::format("cannot open '{}' in '{}' (a link to '{}'); the cache is incomplete, download the "
                                 "model again",
                                 file, name, target));
}

Expected<int> RootedFolder::openFile(std::string_view file) const {
  if (std::string_view reason = refusedName(file); !reason.empty())
    return invalidInput(fmt::format("'{}' is refused in '{}': {}", file.substr(0, 200), name, reason));
  int descriptor = openBeneath(folder, std::string(file), RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS);
  if (descriptor >= 0)
    return descriptor;
  // EXDEV: the resolution left the folder. ELOOP: the walk met a link, or links form a circle.
  if (errno == EXDEV || errno == ELOOP)
    return openHubLink(file);
  int error = errno;
  return systemError(error, fmt::format("cannot open '{}' in '{}'", file, name));
}

bool RootedFolder::contains(std::string_view file) const {
  Expected<int> descriptor = openFile(file);
  if (!descriptor)
    return false;
  struct stat info;
  bool regular = fstat(*descriptor, &info) == 0 && S_ISREG(info.st_mode);
  ::close(*descriptor);
  return regular;
}

Expected<MappedFile> RootedFolder::map(std::string_view file) const {
  Expected<int> descriptor = openFile(file);
  if (!descriptor)
    return descriptor.takeStatus();
  std::string full = name;
  if (full.empty() || full.back() != '/')
    full += '/';
  Expected<MappedFile> mapped = MappedFile::fromDescriptor(*descriptor, full + std::string(file));
  ::close(*descriptor);
  return mapped;
}

Expected<std::string> RootedFolder::readText(std::string_view file, uint64_t limit) const {
  Expected<MappedFile> mapped = map(file);
  if (!mapped)
    return mapped.takeStatus();
  if (mapped->size() > limit)
    return resourceExhausted(
        fmt::format("'{}' has {} bytes; at most {} are accepted for this file", mapped->path(), mapped->size(), limit));
  return std::string(mapped->text());
}

Expected<std::vector<std::string>> RootedFolder::list() const {
  int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *stream = copy < 0 ? nullptr : fdopendir(copy);
  if (!stream) {
    int error = errno;
    if (copy >= 0)
      ::close(copy);
    return systemError(error, fmt::format("cannot list '{}'", name));
  }
  std::vector<std::string> names;
  while (const dirent *entry = readdir(stream)) {
    std::string_view found = entry->d_name;
    if (found != "." && found != "..")
      names.emplace_back(found);
  }
  closedir(stream);
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace adze
