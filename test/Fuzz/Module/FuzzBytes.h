// FuzzBytes.h: what a fuzz input decides, read byte by byte; an input that has ended decides 0.
#ifndef ADZE_TEST_FUZZ_MODULE_FUZZBYTES_H
#define ADZE_TEST_FUZZ_MODULE_FUZZBYTES_H

#include <cstddef>
#include <cstdint>

namespace adze::fuzz {

class FuzzBytes {
public:
  FuzzBytes(const uint8_t *data, size_t size) : at(data), end(data + size) {}

  bool ended() const { return at == end; }
  uint8_t byte() { return at == end ? 0 : *at++; }
  /// A number below `count` (0 for none): one byte where that is enough, else two.
  size_t below(size_t count) {
    if (count < 2)
      return 0;
    size_t value = byte();
    if (count > 256)
      value = value << 8 | byte();
    return value % count;
  }

private:
  const uint8_t *at, *end;
};

} // namespace adze::fuzz

#endif
