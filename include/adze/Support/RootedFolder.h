// RootedFolder.h: opens files below one folder and nowhere else.
//
// A checkpoint folder or an artifact may come from anywhere, and the names inside it (an index's shard names, ONNX
// locations) are input. Every name is resolved below the folder by the kernel (openat2 with RESOLVE_BENEATH) or, where
// the kernel lacks it, by a walk that opens one component at a time and refuses links. Absolute names, "..", an empty
// name, NUL bytes, device files and links that leave the folder are refused, naming the folder and the name.
//
// One exception, for Hugging Face hub caches: in a folder  CACHE/snapshots/REVISION  a file may be a link into
// CACHE/blobs (`../../blobs/HASH`), also from a subfolder of the snapshot. The link must have exactly that form and its
// target must be a regular file, not another link.
//
// The object holds one descriptor. All const methods are safe from several threads.
#ifndef ADZE_SUPPORT_ROOTEDFOLDER_H
#define ADZE_SUPPORT_ROOTEDFOLDER_H

#include "adze/Support/MappedFile.h"
#include "adze/Support/Status.h"

#include <string>
#include <string_view>
#include <vector>

namespace adze {

class RootedFolder {
public:
  // The folder that the user named; this path itself may be a link.
  static Expected<RootedFolder> open(const std::string &path);
  RootedFolder(RootedFolder &&other) noexcept;
  RootedFolder &operator=(RootedFolder &&other) noexcept;
  ~RootedFolder();

  const std::string &path() const { return name; }

  // True for a regular file that map() would open; a refused name is false as well.
  bool contains(std::string_view file) const;
  // Maps a regular file. NotFound names the folder; a refused name is InvalidInput.
  Expected<MappedFile> map(std::string_view file) const;
  // The file's text, at most `limit` bytes; a longer file is refused by name, before any of it is read.
  Expected<std::string> readText(std::string_view file, uint64_t limit) const;
  // Names directly inside the folder, sorted, without "." and "..".
  Expected<std::vector<std::string>> list() const;

private:
  RootedFolder(int descriptor, std::string path) : folder(descriptor), name(std::move(path)) {}
  // An open descriptor that the caller closes.
  Expected<int> openFile(std::string_view file) const;
  Expected<int> openHubLink(std::string_view file) const;

  int folder = -1;
  std::string name;
};

} // namespace adze

#endif // ADZE_SUPPORT_ROOTEDFOLDER_H
