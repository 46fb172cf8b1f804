#include "adze/Support/ScratchOutput.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace adze {

Expected<FileWriter> FileWriter::create(const std::string &path) {
  int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return systemError(errno, fmt::format("cannot make the file '{}'", path));
  return FileWriter(descriptor, path);
}

FileWriter::FileWriter(FileWriter &&other) noexcept
    : descriptor(std::exchange(other.descriptor, -1)), name(std::move(other.name)), position(other.position) {}

FileWriter &FileWriter::operator=(FileWriter &&other) noexcept {
  std::swap(descriptor, other.descriptor);
  std::swap(name, other.name);
  std::swap(position, other.position);
  return *this;
}

FileWriter::~FileWriter() {
  if (descriptor >= 0)
    ::close(descriptor);
}

Status FileWriter::write(std::span<const uint8_t> bytes) {
  if (descriptor < 0)
    return internalError(fmt::format("'{}' was closed before", name));
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor, bytes.data(), std::min<size_t>(bytes.size(), size_t(1) << 30));
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return systemError(errno, fmt::format("cannot write '{}' at offset {}", name, position));
    position += static_cast<uint64_t>(written);
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return Status::success();
}

Status FileWriter::write(std::string_view text) {
  return write(std::span(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
}

Status FileWriter::padTo(uint64_t unit) {
  static constexpr uint8_t zeros[256] = {};
  uint64_t missing = unit == 0 ? 0 : (unit - position % unit) % unit;
  while (missing > 0) {
    uint64_t piece = std::min<uint64_t>(missing, sizeof(zeros));
    if (Status status = write(std::span(zeros, piece)); !status.ok())
      return status;
    missing -= piece;
  }
  return Status::success();
}

Status FileWriter::close() {
  if (descriptor < 0)
    return Status::success();
  if (::close(std::exchange(descriptor, -1)) != 0)
    return systemError(errno, fmt::format("cannot finish '{}'", name));
  return Status::success();
}

Status writeFile(const std::string &path, std::string_view text) {
  Expected<FileWriter> writer = FileWriter::create(path);
  if (!writer)
    return writer.takeStatus();
  if (Status status = writer->write(text); !status.ok())
    return status;
  return writer->close();
}

} // namespace adze
