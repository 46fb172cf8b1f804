// Philox.h: the counter-based random numbers of token choice (Salmon et al., SC 2011: Philox4x32-10).
//
// A counter-based generator has no state: the number for (seed, position) is a function of the two, so it is the same
// whatever else is in the batch, whatever was drawn before, and after a request was put aside and taken up again.
#ifndef ADZE_RUNTIME_ENGINE_PHILOX_H
#define ADZE_RUNTIME_ENGINE_PHILOX_H

#include <array>
#include <cstdint>

namespace adze {

/// Philox4x32 with ten rounds.
inline std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t product0 = uint64_t(0xD2511F53u) * counter[0];
    uint64_t product1 = uint64_t(0xCD9E8D57u) * counter[2];
    counter = {uint32_t(product1 >> 32) ^ counter[1] ^ key[0], uint32_t(product1),
               uint32_t(product0 >> 32) ^ counter[3] ^ key[1], uint32_t(product0)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

/// The uniform number in [0, 1) with 53 bits for the token at `position` (counted from 0 in prompt + output).
inline double uniformAt(uint64_t seed, uint64_t position) {
  auto word = philox4x32({uint32_t(position), uint32_t(position >> 32), 0, 0}, {uint32_t(seed), uint32_t(seed >> 32)});
  uint64_t bits = (uint64_t(word[0]) << 21) ^ (uint64_t(word[1]) >> 11);
  return double(bits & ((uint64_t(1) << 53) - 1)) * 0x1p-53;
}

} // namespace adze
#endif
