// Buffers and byte counts, the same for every device.
#include "adze/Runtime/Device/Device.h"

#include <algorithm>
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
  int64_t rounded = roundUp(size);
  if (rounded == 0)
    return DeviceBuffer();
  uint8_t *start = rounded > 0 ? allocateBytes(rounded) : nullptr;
  if (!start)
    return resourceExhausted(
        fmt::format("{} bytes for {} are not to be had on {} ({} bytes are in use); make {} smaller", size, what,
                    name(), allocated, option));
  allocated += rounded;
  peak = std::max(peak, allocated);
  return DeviceBuffer(this, start, rounded);
}
