// KvSequence.h: the pages of one request, and where each of its tokens lies.
//
// Made with a reservation for the longest that the request can become; pages are taken as tokens arrive, so requests
// that grow side by side interleave their pages. Move-only; its destructor gives everything back. One thread at a time.
#ifndef ADZE_RUNTIME_KVCACHE_KVSEQUENCE_H
#define ADZE_RUNTIME_KVCACHE_KVSEQUENCE_H

#include "adze/Runtime/KvCache/KvBlockAllocator.h"

#include <cassert>
#include <cstdint>
#include <vector>

namespace adze {

class KvSequence {
public:
  KvSequence() = default;
  KvSequence(KvReservation reservation, int64_t pageTokens)
      : promised(std::move(reservation)), pageTokens(pageTokens) {}

  /// Pages that `tokens` tokens need.
  static int64_t pagesFor(int64_t tokens, int64_t pageTokens) { return (tokens + pageTokens - 1) / pageTokens; }

  /// Makes room for `tokens` tokens in all; within what was reserved.
  void growTo(int64_t tokens) {
    while (int64_t(blocks.size()) * pageTokens < tokens)
      blocks.push_back(promised.take());
  }
  int64_t pageCount() const { return int64_t(blocks.size()); }
  int32_t page(int64_t index) const { return blocks[size_t(index)].page(); }
  /// Slot of the token at `position` in the pool: page * pageTokens + place. 64-bit, as pools outgrow 32.
  int64_t slot(int64_t position) const {
    assert(position / pageTokens < pageCount() && "no page for this position");
    return int64_t(page(position / pageTokens)) * pageTokens + position % pageTokens;
  }

private:
  KvReservation promised;
  std::vector<KvBlock> blocks;
  int64_t pageTokens = 1;
};

} // namespace adze
#endif
