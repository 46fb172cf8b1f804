#include "adze/Support/Hash.h"

#include <xxhash.h>

namespace adze {

static std::string hexDigits(XXH128_hash_t hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(32);
  for (unsigned char byte : canonical.digest) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

std::string hashBytes(std::span<const uint8_t> bytes) { return hexDigits(XXH3_128bits(bytes.data(), bytes.size())); }

std::string hashText(std::string_view text) { return hexDigits(XXH3_128bits(text.data(), text.size())); }

struct StreamHash::State {
  XXH3_state_t *stream = XXH3_createState();
  State() { XXH3_128bits_reset(stream); }
  ~State() { XXH3_freeState(stream); }
};

StreamHash::StreamHash() : state(std::make_unique<State>()) {}
StreamHash::StreamHash(StreamHash &&) noexcept = default;
StreamHash &StreamHash::operator=(StreamHash &&) noexcept = default;
StreamHash::~StreamHash() = default;

void StreamHash::update(std::span<const uint8_t> bytes) {
  XXH3_128bits_update(state->stream, bytes.data(), bytes.size());
}
void StreamHash::update(std::string_view text) { XXH3_128bits_update(state->stream, text.data(), text.size()); }

std::string StreamHash::hex() const { return hexDigits(XXH3_128bits_digest(state->stream)); }

} // namespace adze
