#include "adze/Support/ScratchOutput.h"

#include "adze/Support/RemoveTree.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace adze {
namespace fs = std::filesystem;
namespace {

// What the signal handler removes. Fixed storage, because a handler may neither allocate nor lock; `live` is published
// after the path is written, before there is anything at it, and withdrawn before the slot is given away.
struct LiveSlot {
  std::atomic<bool> claimed{false};
  std::atomic<bool> live{false};
  char path[4096];
};
constexpr int slotCount = 16;
LiveSlot slots[slotCount];
std::atomic<bool> dying{false};

int claimSlot(const std::string &path) {
  for (int i = 0; i < slotCount; ++i) {
    bool expected = false;
    if (!slots[i].claimed.compare_exchange_strong(expected, true))
      continue;
    std::memcpy(slots[i].path, path.c_str(), path.size() + 1);
    slots[i].live.store(true, std::memory_order_release);
    return i;
  }
  return -1;
}

void releaseSlot(int slot) {
  if (slot < 0)
    return;
  slots[slot].live.store(false, std::memory_order_release);
  slots[slot].claimed.store(false, std::memory_order_release);
}

void removeLive() {
  for (LiveSlot &slot : slots)
    if (slot.live.load(std::memory_order_acquire))
      removeTree(slot.path);
}

void removeAndDie(int number) {
  dying.store(true);
  removeLive();
  // Another thread, or the linker, may have been about to make a name while these were removed. No thread of this
  // program makes a second one (see make), and the linker fails without its folder.
  timespec moment = {0, 5'000'000};
  nanosleep(&moment, nullptr);
  removeLive();
  signal(number, SIG_DFL);
  raise(number);
  // The signal is blocked until this handler returns, and then ends the program.
}

// Flushes one file or folder to disk.
Status flush(const std::string &path) {
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return systemError(errno, fmt::format("cannot open '{}' to flush it", path));
  int failed = fsync(descriptor);
  int error = errno;
  ::close(descriptor);
  // Some file systems have no flush for folders; the rename is then as safe as they make it.
  if (failed != 0 && error != EINVAL)
    return systemError(error, fmt::format("cannot write '{}' to disk", path));
  return Status::success();
}

Status flushTree(const std::string &path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    fs::recursive_directory_iterator entry(path, error), end;
    for (; !error && entry != end; entry.increment(error))
      if (!entry->is_symlink(error))
        if (Status status = flush(entry->path().string()); !status.ok())
          return status;
  }
  if (error)
    return systemError(error.value(), fmt::format("cannot list '{}'", path));
  return flush(path);
}

std::string parentOf(const std::string &path) {
  std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

bool exists(const std::string &path) {
  struct stat info;
  return lstat(path.c_str(), &info) == 0;
}

int renameWith(const std::string &from, const std::string &to, unsigned flags) {
  return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags));
}
constexpr unsigned noReplace = 1, exchange = 2;

} // namespace

void installScratchSignalHandler() {
  struct sigaction action = {};
  action.sa_handler = removeAndDie;
  sigemptyset(&action.sa_mask);
  for (int number : {SIGINT, SIGTERM, SIGHUP})
    sigaddset(&action.sa_mask, number);
  for (int number : {SIGINT, SIGTERM, SIGHUP}) {
    // What the caller had ignored (nohup, a shell's background job) stays ignored.
    struct sigaction inherited = {};
    if (sigaction(number, nullptr, &inherited) == 0 && inherited.sa_handler == SIG_IGN)
      continue;
    sigaction(number, &action, nullptr);
  }
}

Expected<ScratchOutput> ScratchOutput::make(std::string path, Overwrite overwrite, bool isFolder) {
  while (path.size() > 1 && path.back() == '/')
    path.pop_back();
  if (path.empty())
    return invalidInput("the output's name is empty");
  if (path.size() > 4000)
    return invalidInput(fmt::format("the output's name has {} bytes; at most 4000 are accepted", path.size()));
  static std::atomic<unsigned> counter{0};
  std::string scratch = fmt::format("{}.partial-{}-{}", path, getpid(), counter++);
  int slot = claimSlot(scratch);
  if (slot < 0)
    return resourceExhausted(fmt::format("more than {} outputs are being written at a time", slotCount));
  int made =
      isFolder ? mkdir(scratch.c_str(), 0777) : ::open(scratch.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (made < 0) {
    int error = errno;
    releaseSlot(slot);
    return systemError(error, fmt::format("cannot make the {} '{}'", isFolder ? "folder" : "file", scratch));
  }
  if (!isFolder)
    ::close(made);
  while (dying.load())
    pause();
  return ScratchOutput(std::move(scratch), std::move(path), overwrite, isFolder, slot);
}

Expected<ScratchOutput> ScratchOutput::file(const std::string &path, Overwrite overwrite) {
  std::error_code ignored;
  if (exists(path)) {
    if (fs::is_directory(path, ignored))
      return invalidInput(fmt::format("'{}' is a folder; name a file", path));
    if (overwrite == Overwrite::Refuse)
      return invalidInput(fmt::format("'{}' exists already; use --force to replace it", path));
  }
  return make(path, overwrite, false);
}

Expected<ScratchOutput> ScratchOutput::folder(const std::string &path, Overwrite overwrite, std::string_view marker) {
  std::error_code ignored;
  if (exists(path)) {
    if (overwrite == Overwrite::Refuse)
      return invalidInput(fmt::format("'{}' exists already; use --force to replace it", path));
    if (!fs::is_directory(path, ignored))
      return invalidInput(fmt::format("'{}' is a file; a folder is written here, so it is not replaced", path));
    if (!fs::is_empty(path, ignored) && !exists(path + "/" + std::string(marker)))
      return invalidInput(fmt::format("'{}' is a folder without '{}', so it was not written by this command and is not "
                                      "replaced; choose another name or remove it",
                                      path, marker));
  }
  return make(path, overwrite, true);
}

ScratchOutput::ScratchOutput(ScratchOutput &&other) noexcept
    : scratch(std::move(other.scratch)), destination(std::move(other.destination)), overwrite(other.overwrite),
      isFolder(other.isFolder), slot(std::exchange(other.slot, -1)) {}

ScratchOutput &ScratchOutput::operator=(ScratchOutput &&other) noexcept {
  std::swap(scratch, other.scratch);
  std::swap(destination, other.destination);
  std::swap(overwrite, other.overwrite);
  std::swap(isFolder, other.isFolder);
  std::swap(slot, other.slot);
  return *this;
}

ScratchOutput::~ScratchOutput() { discard(); }

void ScratchOutput::discard() {
  if (slot < 0)
    return;
  removeTree(scratch.c_str());
  releaseSlot(std::exchange(slot, -1));
}

Status ScratchOutput::commit(Durability durability) {
  if (slot < 0)
    return internalError(fmt::format("the output '{}' was committed or discarded before", destination));
  const bool flushed = durability == Durability::Flushed;
  if (flushed)
    if (Status status = flushTree(scratch); !status.ok())
      return status;
  if (overwrite == Overwrite::Replace && exists(destination)) {
    // One step where the file system can swap two names: a reader sees the old or the new one, never none.
    if (renameWith(scratch, destination, exchange) == 0) {
      discard();
      return flushed ? flush(parentOf(destination)) : Status::success();
    }
    if (isFolder)
      removeTree(destination.c_str());
  }
  int failed = overwrite == Overwrite::Refuse ? renameWith(scratch, destination, noReplace) : -1;
  if (failed != 0 && overwrite == Overwrite::Refuse && errno == EEXIST)
    return invalidInput(
        fmt::format("'{}' appeared while it was being written; use --force to replace it", destination));
  if (failed != 0 && ::rename(scratch.c_str(), destination.c_str()) != 0)
    return systemError(errno, fmt::format("cannot rename '{}' to '{}'", scratch, destination));
  releaseSlot(std::exchange(slot, -1));
  return flushed ? flush(parentOf(destination)) : Status::success();
}

Expected<uint64_t> freeDiskBytes(const std::string &path) {
  std::string place = path.empty() ? "." : path;
  while (!exists(place) && place != "." && place != "/")
    place = parentOf(place);
  struct statvfs info;
  if (statvfs(place.c_str(), &info) != 0)
    return systemError(errno, fmt::format("cannot read the free space of '{}'", place));
  return static_cast<uint64_t>(info.f_bavail) * info.f_frsize;
}

} // namespace adze
