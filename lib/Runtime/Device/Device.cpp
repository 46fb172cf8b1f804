// Buffers and byte counts, the same for every device.
#include "adze/Runtime/Device/Device.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <utility>

using namespace adze;

DeviceBuffer::DeviceBuffer(DeviceBuffer &&other) noexcept
    : owner(std::exchange(other.owner, nullptr)), start(std::exchange(other.start, nullptr)),
      bytes(std::exchange(other.bytes, 0)) {}

DeviceBuffer &DeviceBuffer::operator=(DeviceBuffer &&other) noexcept {
  if (this != &other) {
    release();
    owner = std::exchange(other.owner, nullptr);
    start = std::exchange(other.start, nullptr);
    bytes = std::exchange(other.bytes, 0);
  }
  return *this;
}

void DeviceBuffer::release() {
  if (!owner)
    return;
  owner->freeBytes(start, bytes);
  owner->allocated -= bytes;
  owner = nullptr;
  start = nullptr;
  bytes = 0;
}

Expected<DeviceBuffer> Device::allocate(int64_t size, std::string_view what, std::string_view option) {
  if (Status status = fault(); !status.ok())
    return status;
  int64_t rounded = roundUp(size);
  if (rounded == 0)
    return DeviceBuffer();
  uint8_t *start = rounded > 0 ? allocateBytes(rounded) : nullptr;
  if (Status status = fault(); !start && !status.ok())
    return status;
  if (!start)
    return resourceExhausted(
        fmt::format("{} bytes for {} are not to be had on {} ({} bytes are in use); make {} smaller", size, what,
                    name(), allocated, option));
  allocated += rounded;
  peak = std::max(peak, allocated);
  return DeviceBuffer(this, start, rounded);
}

HostWindow::HostWindow(HostWindow &&other) noexcept
    : owner(std::exchange(other.owner, nullptr)), host(std::exchange(other.host, nullptr)),
      start(std::exchange(other.start, nullptr)), bytes(std::exchange(other.bytes, 0)) {}

HostWindow &HostWindow::operator=(HostWindow &&other) noexcept {
  if (this != &other) {
    close();
    owner = std::exchange(other.owner, nullptr);
    host = std::exchange(other.host, nullptr);
    start = std::exchange(other.start, nullptr);
    bytes = std::exchange(other.bytes, 0);
  }
  return *this;
}

void HostWindow::close() {
  if (owner)
    owner->closeHostBytes(host, bytes);
  owner = nullptr;
  host = start = nullptr;
  bytes = 0;
}

Expected<HostWindow> Device::openWindow(const DeviceBuffer &buffer, int64_t offset, int64_t bytes,
                                        std::string_view what) {
  assert(offset >= 0 && bytes >= 0 && offset + bytes <= buffer.size() && "a window lies inside its buffer");
  if (Status status = fault(); !status.ok())
    return status;
  if (bytes == 0)
    return HostWindow();
  uint8_t *host = openHostBytes(buffer.data() + offset, bytes);
  if (!host)
    return resourceExhausted(fmt::format("{} bytes of page-locked host memory for {} are not to be had for {}; end "
                                         "other programs, or raise the limit of locked memory (ulimit -l)",
                                         bytes, what, name()));
  return HostWindow(this, host, buffer.data() + offset, bytes);
}

DeviceBuffer Device::viewOf(std::span<const uint8_t> bytes) {
  // Nobody writes through a view: upload() says so, and the mapping behind it is read-only.
  return DeviceBuffer(nullptr, const_cast<uint8_t *>(bytes.data()), int64_t(bytes.size()));
}

Expected<DeviceBuffer> Device::upload(std::span<const uint8_t> bytes, std::string_view, std::string_view) {
  return viewOf(bytes);
}

Status Device::fill(const DeviceBuffer &buffer, uint8_t value) {
  if (buffer.data())
    std::memset(buffer.data(), value, size_t(buffer.size()));
  return Status();
}

Status Device::read(const void *from, std::span<uint8_t> to) {
  if (!to.empty())
    std::memcpy(to.data(), from, to.size());
  return Status();
}

Status Device::write(void *to, std::span<const uint8_t> from) {
  if (!from.empty())
    std::memcpy(to, from.data(), from.size());
  return Status();
}

Expected<double> Device::copy(void *to, const void *from, int64_t bytes) {
  auto start = std::chrono::steady_clock::now();
  if (bytes > 0)
    std::memcpy(to, from, size_t(bytes));
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

Status Device::load(const AdzeProgram &, const KernelImage &image) {
  if (!image.code.architecture.empty())
    return unsupported(fmt::format("the model was compiled for the GPU architecture {} and {} is none; run it on a GPU "
                                   "(--device cuda), or compile it for a CPU",
                                   image.code.architecture, name()));
  return Status();
}
