// ScratchOutput.h: an output that appears whole or not at all.
//
// A file or a folder is written beside its final place under a scratch name, flushed to disk, and renamed on commit().
// The destructor removes it when commit() was not reached, and so does a signal once installScratchSignalHandler() was
// called (SIGINT, SIGTERM, SIGHUP: remove every live scratch output, then die of the same signal, so that a shell sees
// 130, 143 or 129). A full disk therefore leaves nothing behind.
//
// Limits: at most 16 scratch outputs at a time and paths of at most 4000 bytes, because the signal handler may not
// allocate. Methods of one object are for one thread at a time; different objects are independent.
#ifndef ADZE_SUPPORT_SCRATCHOUTPUT_H
#define ADZE_SUPPORT_SCRATCHOUTPUT_H

#include "adze/Support/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace adze {

// What to do when the final name exists already.
enum class Overwrite { Refuse, Replace };

// Whether commit() waits until the bytes are on disk. Without it a crash of the machine may leave a file cut short
// under its final name: for what is checked when it is read.
enum class Durability { Flushed, NotFlushed };

class ScratchOutput {
public:
  // Makes PATH.partial-PID-N (a file or a folder) beside `path`. With Refuse an existing `path` is InvalidInput that
  // names --force; with Replace the old one goes only when commit() succeeds. A folder is replaced only by a folder, a
  // file only by a file, and a folder only when it is empty or holds the file `marker`: --force on a home folder must
  // not erase it.
  static Expected<ScratchOutput> file(const std::string &path, Overwrite overwrite);
  static Expected<ScratchOutput> folder(const std::string &path, Overwrite overwrite, std::string_view marker);
  ScratchOutput(ScratchOutput &&other) noexcept;
  ScratchOutput &operator=(ScratchOutput &&other) noexcept;
  ~ScratchOutput();

  // Where to write now: the scratch file or folder.
  const std::string &scratchPath() const { return scratch; }
  const std::string &finalPath() const { return destination; }

  // Flushes everything written to disk, then renames to the final name. At most once.
  Status commit(Durability durability = Durability::Flushed);
  // Removes the scratch output now.
  void discard();

private:
  ScratchOutput(std::string scratch, std::string destination, Overwrite overwrite, bool isFolder, int slot)
      : scratch(std::move(scratch)), destination(std::move(destination)), overwrite(overwrite), isFolder(isFolder),
        slot(slot) {}
  static Expected<ScratchOutput> make(std::string path, Overwrite overwrite, bool isFolder);

  std::string scratch, destination;
  Overwrite overwrite = Overwrite::Refuse;
  bool isFolder = false;
  int slot = -1;
};

// A file inside a scratch folder, written front to back in large pieces. Errors (a full disk) are reported by the write
// that meets them; close() reports the rest.
class FileWriter {
public:
  static Expected<FileWriter> create(const std::string &path);
  FileWriter(FileWriter &&other) noexcept;
  FileWriter &operator=(FileWriter &&other) noexcept;
  ~FileWriter();

  Status write(std::span<const uint8_t> bytes);
  Status write(std::string_view text);
  // Zero bytes up to the next multiple of `unit`.
  Status padTo(uint64_t unit);
  uint64_t offset() const { return position; }
  Status close();

private:
  FileWriter(int descriptor, std::string path) : descriptor(descriptor), name(std::move(path)) {}
  int descriptor = -1;
  std::string name;
  uint64_t position = 0;
};

// Writes `text` as the whole file.
Status writeFile(const std::string &path, std::string_view text);

// Free bytes on the file system that holds `path` (or its nearest existing parent).
Expected<uint64_t> freeDiskBytes(const std::string &path);

// Called once by a tool's main. A signal that the program was started with as ignored (nohup) stays ignored.
void installScratchSignalHandler();

} // namespace adze

#endif // ADZE_SUPPORT_SCRATCHOUTPUT_H
