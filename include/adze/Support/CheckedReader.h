// CheckedReader.h: the only way to touch the bytes of a file that somebody else wrote.
//
// A cursor over a span with 64-bit little-endian reads. Every read is checked against the end before it happens, sizes
// are compared by subtraction so that no sum can wrap, and nothing is allocated from a count that the file states: a
// caller asks bytes(n) or checks remaining() first. A failure names the file, the offset and what was being read, and
// leaves the cursor where it was.
//
// Views returned by bytes() and string() point into the span and live as long as it does. Not thread-safe; copy the
// reader to read from two places.
#ifndef ADZE_SUPPORT_CHECKEDREADER_H
#define ADZE_SUPPORT_CHECKEDREADER_H

#include "adze/Support/Status.h"

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace adze {

// The product or sum, or nothing where it does not fit the type.
template <std::unsigned_integral T> std::optional<T> checkedMul(T a, T b) {
  T result;
  if (__builtin_mul_overflow(a, b, &result))
    return std::nullopt;
  return result;
}
template <std::unsigned_integral T> std::optional<T> checkedAdd(T a, T b) {
  T result;
  if (__builtin_add_overflow(a, b, &result))
    return std::nullopt;
  return result;
}
// True when [offset, offset + size) lies inside [0, total), without forming the sum.
constexpr bool rangeFits(uint64_t offset, uint64_t size, uint64_t total) {
  return offset <= total && size <= total - offset;
}
// `value` rounded up to a multiple of `unit`; nothing for unit 0 or where it does not fit.
std::optional<uint64_t> checkedAlignUp(uint64_t value, uint64_t unit);

class CheckedReader {
public:
  // `file` is the name that messages use.
  CheckedReader(std::span<const uint8_t> bytes, std::string file) : content(bytes), name(std::move(file)) {}

  uint64_t offset() const { return position; }
  uint64_t size() const { return content.size(); }
  uint64_t remaining() const { return content.size() - position; }
  bool atEnd() const { return position == content.size(); }
  const std::string &file() const { return name; }

  // Moves to an absolute offset; the end itself is legal.
  Status seek(uint64_t offset, std::string_view what = "a position");
  Status skip(uint64_t count, std::string_view what = "bytes to skip");
  // Moves to the next multiple of `unit` counted from the start of the span.
  Status align(uint64_t unit, std::string_view what = "padding");

  Expected<uint8_t> u8(std::string_view what = "a byte") { return number<uint8_t>(what); }
  Expected<uint16_t> u16(std::string_view what = "a 16-bit number") { return number<uint16_t>(what); }
  Expected<uint32_t> u32(std::string_view what = "a 32-bit number") { return number<uint32_t>(what); }
  Expected<uint64_t> u64(std::string_view what = "a 64-bit number") { return number<uint64_t>(what); }
  Expected<int8_t> i8(std::string_view what = "a byte") { return number<int8_t>(what); }
  Expected<int16_t> i16(std::string_view what = "a 16-bit number") { return number<int16_t>(what); }
  Expected<int32_t> i32(std::string_view what = "a 32-bit number") { return number<int32_t>(what); }
  Expected<int64_t> i64(std::string_view what = "a 64-bit number") { return number<int64_t>(what); }
  Expected<float> f32(std::string_view what = "a 32-bit float") { return number<float>(what); }
  Expected<double> f64(std::string_view what = "a 64-bit float") { return number<double>(what); }

  // The next `count` bytes, not copied.
  Expected<std::span<const uint8_t>> bytes(uint64_t count, std::string_view what = "bytes");
  // The next `count` elements of `elementBytes` each; the product is checked.
  Expected<std::span<const uint8_t>> array(uint64_t count, uint64_t elementBytes, std::string_view what = "an array");
  // The next `count` bytes as characters, whatever they hold.
  Expected<std::string_view> string(uint64_t count, std::string_view what = "a string");
  // A range at an absolute offset; the cursor does not move.
  Expected<std::span<const uint8_t>> range(uint64_t offset, uint64_t count, std::string_view what = "a range") const;

  // InvalidInput with the file name and the current offset in front: for a caller's own rules.
  Status fail(std::string_view message, std::source_location where = std::source_location::current()) const;

private:
  template <class T> Expected<T> number(std::string_view what) {
    Expected<std::span<const uint8_t>> raw = bytes(sizeof(T), what);
    if (!raw)
      return raw.takeStatus();
    static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "files are little-endian and so are the targets");
    T value;
    __builtin_memcpy(&value, raw->data(), sizeof(T));
    return value;
  }
  Status tooShort(uint64_t offset, uint64_t wanted, std::string_view what) const;

  std::span<const uint8_t> content;
  std::string name;
  uint64_t position = 0;
};

} // namespace adze

#endif // ADZE_SUPPORT_CHECKEDREADER_H
