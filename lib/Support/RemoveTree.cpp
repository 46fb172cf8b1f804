#include "adze/Support/RemoveTree.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace adze {
namespace {

// The kernel's record; the C library's readdir allocates and may not be used in a signal handler.
struct KernelEntry {
  uint64_t inode;
  int64_t next;
  uint16_t length;
  uint8_t type;
  char name[1];
};

void removeAt(int parent, const char *name, int depth);

void emptyFolder(int folder, int depth) {
  alignas(KernelEntry) char buffer[2048];
  // Removing entries while reading may skip some, so the folder is read again until a pass finds nothing.
  for (int pass = 0; pass < 100; ++pass) {
    bool found = false;
    lseek(folder, 0, SEEK_SET);
    for (;;) {
      long size = syscall(SYS_getdents64, folder, buffer, sizeof(buffer));
      if (size <= 0)
        break;
      for (long at = 0; at < size;) {
        auto *entry = reinterpret_cast<KernelEntry *>(buffer + at);
        at += entry->length;
        if (std::strcmp(entry->name, ".") == 0 || std::strcmp(entry->name, "..") == 0)
          continue;
        found = true;
        removeAt(folder, entry->name, depth + 1);
      }
    }
    if (!found)
      return;
  }
}

void removeAt(int parent, const char *name, int depth) {
  if (unlinkat(parent, name, 0) == 0 || depth > 8)
    return;
  int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0)
    return;
  // Somebody may still be writing into it: what appears meanwhile goes too.
  for (int attempt = 0; attempt < 100; ++attempt) {
    emptyFolder(folder, depth);
    if (unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno != ENOTEMPTY)
      break;
  }
  close(folder);
}

} // namespace

void removeTree(const char *path) { removeAt(AT_FDCWD, path, 0); }

} // namespace adze
