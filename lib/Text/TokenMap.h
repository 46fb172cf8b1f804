// TokenMap.h: the hash tables of the encoder, built in milliseconds when a vocabulary loads.
//
// Open addressing with linear probing over flat arrays, at most half full. Immutable after building.
#ifndef ADZE_TEXT_TOKENMAP_H
#define ADZE_TEXT_TOKENMAP_H

#include "adze/Format/TokenizerTable.h"

#include <bit>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace adze {

inline constexpr uint32_t noToken = UINT32_MAX;

inline uint64_t mixBits(uint64_t x) {
  x ^= x >> 32;
  x *= 0x9E3779B97F4A7C15u;
  return x ^ x >> 29;
}

// Token bytes to id. Of two tokens with the same bytes the first inserted is kept.
class TokenMap {
public:
  explicit TokenMap(const TokenizerTable *table = nullptr, size_t expected = 0)
      : table(table), slots(std::bit_ceil(expected * 2 + 2), noToken) {}

  void insert(uint32_t id) {
    std::string_view bytes = table->token(id);
    size_t slot = slotOf(bytes);
    if (slots[slot] == noToken)
      slots[slot] = id;
  }
  uint32_t find(std::string_view bytes) const { return slots[slotOf(bytes)]; }

private:
  size_t slotOf(std::string_view bytes) const {
    size_t mask = slots.size() - 1, slot = std::hash<std::string_view>()(bytes) & mask;
    while (slots[slot] != noToken && table->token(slots[slot]) != bytes)
      slot = (slot + 1) & mask;
    return slot;
  }
  const TokenizerTable *table;
  std::vector<uint32_t> slots;
};

// Two neighbouring tokens to what they merge into.
class MergeMap {
public:
  struct Entry {
    uint32_t left = noToken, right = noToken, rank = 0, result = 0;
  };
  explicit MergeMap(size_t expected = 0) : entries(std::bit_ceil(expected * 2 + 2)) {}

  // Of two merges of one pair the first inserted is kept.
  void insert(uint32_t left, uint32_t right, uint32_t rank, uint32_t result) {
    Entry &entry = entries[slotOf(left, right)];
    if (entry.left == noToken)
      entry = {left, right, rank, result};
  }
  const Entry *find(uint32_t left, uint32_t right) const {
    const Entry &entry = entries[slotOf(left, right)];
    return entry.left == noToken ? nullptr : &entry;
  }

private:
  size_t slotOf(uint32_t left, uint32_t right) const {
    size_t mask = entries.size() - 1, slot = mixBits(uint64_t(left) << 32 | right) & mask;
    while (entries[slot].left != noToken && (entries[slot].left != left || entries[slot].right != right))
      slot = (slot + 1) & mask;
    return slot;
  }
  std::vector<Entry> entries;
};

} // namespace adze

#endif // ADZE_TEXT_TOKENMAP_H
