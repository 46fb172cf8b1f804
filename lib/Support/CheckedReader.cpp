#include "adze/Support/CheckedReader.h"

#include <fmt/format.h>

namespace adze {

std::optional<uint64_t> checkedAlignUp(uint64_t value, uint64_t unit) {
  if (unit == 0)
    return std::nullopt;
  uint64_t rest = value % unit;
  return rest == 0 ? std::optional(value) : checkedAdd(value, unit - rest);
}

Status CheckedReader::tooShort(uint64_t offset, uint64_t wanted, std::string_view what) const {
  uint64_t left = offset <= content.size() ? content.size() - offset : 0;
  return invalidInput(
      fmt::format("'{}': {} at offset {} needs {} bytes, but only {} are left of {}; the file is damaged or "
                  "cut off",
                  name, what, offset, wanted, left, content.size()));
}

Status CheckedReader::seek(uint64_t offset, std::string_view what) {
  if (offset > content.size())
    return invalidInput(
        fmt::format("'{}': {} is at offset {}, behind the end of the file at {}; the file is damaged or "
                    "cut off",
                    name, what, offset, content.size()));
  position = offset;
  return Status::success();
}

Status CheckedReader::skip(uint64_t count, std::string_view what) {
  if (count > remaining())
    return tooShort(position, count, what);
  position += count;
  return Status::success();
}

Status CheckedReader::align(uint64_t unit, std::string_view what) {
  std::optional<uint64_t> target = checkedAlignUp(position, unit);
  if (!target)
    return fail(fmt::format("an alignment of {} is not possible for {}", unit, what));
  return seek(*target, what);
}

Expected<std::span<const uint8_t>> CheckedReader::bytes(uint64_t count, std::string_view what) {
  if (count > remaining())
    return tooShort(position, count, what);
  std::span<const uint8_t> result = content.subspan(position, count);
  position += count;
  return result;
}

Expected<std::span<const uint8_t>> CheckedReader::array(uint64_t count, uint64_t elementBytes, std::string_view what) {
  std::optional<uint64_t> total = checkedMul(count, elementBytes);
  if (!total)
    return fail(fmt::format("{} of {} elements of {} bytes does not fit 64 bits", what, count, elementBytes));
  return bytes(*total, what);
}

Expected<std::string_view> CheckedReader::string(uint64_t count, std::string_view what) {
  Expected<std::span<const uint8_t>> raw = bytes(count, what);
  if (!raw)
    return raw.takeStatus();
  return std::string_view(reinterpret_cast<const char *>(raw->data()), raw->size());
}

Expected<std::span<const uint8_t>> CheckedReader::range(uint64_t offset, uint64_t count, std::string_view what) const {
  if (!rangeFits(offset, count, content.size()))
    return tooShort(offset, count, what);
  return content.subspan(offset, count);
}

Status CheckedReader::fail(std::string_view message, std::source_location where) const {
  return invalidInput(fmt::format("'{}' at offset {}: {}", name, position, message), where);
}

} // namespace adze
