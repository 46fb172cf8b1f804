#include "adze/Support/MappedFile.h"

#include "adze/Support/CheckedReader.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace adze {

MappedFile::MappedFile(MappedFile &&other) noexcept
    : start(std::exchange(other.start, nullptr)), length(std::exchange(other.length, 0)), name(std::move(other.name)) {}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
  std::swap(start, other.start);
  std::swap(length, other.length);
  std::swap(name, other.name);
  return *this;
}

MappedFile::~MappedFile() {
  if (start)
    munmap(const_cast<uint8_t *>(start), length);
}

Expected<MappedFile> MappedFile::open(const std::string &path) {
  // O_NONBLOCK: opening a pipe that nobody writes must not hang; fromDescriptor refuses it afterwards.
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return systemError(errno, "cannot open '" + path + "'");
  Expected<MappedFile> mapped = fromDescriptor(descriptor, path);
  ::close(descriptor);
  return mapped;
}

Expected<MappedFile> MappedFile::fromDescriptor(int descriptor, std::string path) {
  struct stat info;
  if (fstat(descriptor, &info) != 0)
    return systemError(errno, "cannot read the size of '" + path + "'");
  if (S_ISDIR(info.st_mode))
    return invalidInput("'" + path + "' is a folder; a file is needed here");
  if (!S_ISREG(info.st_mode))
    return invalidInput("'" + path + "' is not a regular file; pipes and devices cannot be mapped");
  MappedFile file;
  file.name = std::move(path);
  file.length = static_cast<uint64_t>(info.st_size);
  if (file.length == 0)
    return file;
  void *address = mmap(nullptr, file.length, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (address == MAP_FAILED) {
    file.length = 0;
    return systemError(errno, "cannot map '" + file.name + "'");
  }
  file.start = static_cast<const uint8_t *>(address);
  return file;
}

// Advice must cover whole pages; a range is widened for "need" and narrowed for "drop".
static void advise(const uint8_t *start, uint64_t first, uint64_t last, int advice) {
  if (first < last)
    madvise(const_cast<uint8_t *>(start) + first, last - first, advice);
}

void MappedFile::dropRange(uint64_t offset, uint64_t size) const {
  if (!start || offset >= length)
    return;
  uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  uint64_t end = offset + std::min(size, length - offset);
  uint64_t last = end == length ? end : end / page * page;
  advise(start, (offset + page - 1) / page * page, last, MADV_DONTNEED);
}

void MappedFile::willNeedRange(uint64_t offset, uint64_t size) const {
  if (!start || offset >= length)
    return;
  uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  advise(start, offset / page * page, offset + std::min(size, length - offset), MADV_WILLNEED);
}

} // namespace adze
