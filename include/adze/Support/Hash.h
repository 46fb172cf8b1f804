// Hash.h: XXH3-128 of bytes, as 32 lower-case hex digits.
//
// It guards against damage (a truncated or flipped section of an artifact), not against an attacker: see
// docs/Security.md. The digits are the canonical big-endian form, equal to what `xxh128sum` prints. hashBytes is a pure
// function; a StreamHash is for one thread.
#ifndef ADZE_SUPPORT_HASH_H
#define ADZE_SUPPORT_HASH_H

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace adze {

std::string hashBytes(std::span<const uint8_t> bytes);
std::string hashText(std::string_view text);

// The same hash of bytes that arrive in pieces; cutting them differently never changes it.
class StreamHash {
public:
  StreamHash();
  StreamHash(StreamHash &&) noexcept;
  StreamHash &operator=(StreamHash &&) noexcept;
  ~StreamHash();

  void update(std::span<const uint8_t> bytes);
  void update(std::string_view text);
  // The hash of everything so far; more may follow.
  std::string hex() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace adze

#endif // ADZE_SUPPORT_HASH_H
