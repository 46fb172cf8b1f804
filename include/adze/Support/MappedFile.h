// MappedFile.h: a whole file as read-only memory.
//
// The mapping is private and read-only; pages come from the page cache on first touch and may be dropped by the system,
// so a file of any size costs no memory that it does not use. A file that another process truncates while it is mapped
// raises SIGBUS on a touch behind the new end; MappedFile cannot prevent that.
//
// Owns the mapping (move-only). Reading from several threads is safe.
#ifndef ADZE_SUPPORT_MAPPEDFILE_H
#define ADZE_SUPPORT_MAPPEDFILE_H

#include "adze/Support/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace adze {

class MappedFile {
public:
  MappedFile() = default;
  MappedFile(MappedFile &&other) noexcept;
  MappedFile &operator=(MappedFile &&other) noexcept;
  ~MappedFile();

  // Maps the file at `path`, links followed: for a path that the user typed. Files found by name below a folder go
  // through RootedFolder. Refuses what is not a regular file. An empty file maps to an empty span.
  static Expected<MappedFile> open(const std::string &path);
  // Maps an open descriptor, which stays the caller's; `path` is used for messages.
  static Expected<MappedFile> fromDescriptor(int descriptor, std::string path);

  std::span<const uint8_t> bytes() const { return {start, length}; }
  const uint8_t *data() const { return start; }
  uint64_t size() const { return length; }
  std::string_view text() const { return {reinterpret_cast<const char *>(start), length}; }
  const std::string &path() const { return name; }

  // Tells the system that [offset, offset + size) was read and will not be needed again soon (compiling streams weights
  // once), or will be needed now. Hints only; any range is accepted.
  void dropRange(uint64_t offset, uint64_t size) const;
  void willNeedRange(uint64_t offset, uint64_t size) const;

private:
  const uint8_t *start = nullptr;
  uint64_t length = 0;
  std::string name;
};

} // namespace adze

#endif // ADZE_SUPPORT_MAPPEDFILE_H
