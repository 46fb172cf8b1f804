// KvBlockAllocator.h: who owns which page of the KV pool.
//
// Pages live in handles, and only handles change counts: a KvBlock holds one reference to one page, a KvReservation
// holds a promise of pages not yet taken. Every way for a request to end (answered, cancelled, failed) is the same
// destructor, so an idle engine has free() == total() by construction. Reservations are what makes admission safe: a
// request is let in only with a promise for every page it can ever need, and taking a promised page cannot fail.
//
// The allocator knows numbers only, not memory: page p lies at p * page_bytes of the pool. It outlives its handles.
// One thread at a time (the engine's).
#ifndef ADZE_RUNTIME_KVCACHE_KVBLOCKALLOCATOR_H
#define ADZE_RUNTIME_KVCACHE_KVBLOCKALLOCATOR_H

#include "adze/Support/Status.h"

#include <cstdint>
#include <vector>

namespace adze {

class KvBlockAllocator;

/// One reference to one page. Move-only; share() makes a second reference on purpose.
class KvBlock {
public:
  KvBlock() = default;
  KvBlock(KvBlock &&other) noexcept : owner(other.owner), number(other.number) { other.owner = nullptr; }
  KvBlock &operator=(KvBlock &&other) noexcept;
  ~KvBlock() { release(); }

  bool holds() const { return owner != nullptr; }
  int32_t page() const { return number; }
  /// References to this page, this one included.
  int32_t references() const;
  KvBlock share() const;

private:
  friend class KvReservation;
  KvBlock(KvBlockAllocator *owner, int32_t number) : owner(owner), number(number) {}
  void release();

  KvBlockAllocator *owner = nullptr;
  int32_t number = -1;
};

/// A promise of pages. Move-only; what is not taken returns when it ends.
class KvReservation {
public:
  KvReservation() = default;
  KvReservation(KvReservation &&other) noexcept : owner(other.owner), left(other.left) {
    other.owner = nullptr;
    other.left = 0;
  }
  KvReservation &operator=(KvReservation &&other) noexcept;
  ~KvReservation() { release(); }

  int64_t remaining() const { return left; }
  /// Turns one promised page into a held one; remaining() > 0.
  KvBlock take();

private:
  friend class KvBlockAllocator;
  KvReservation(KvBlockAllocator *owner, int64_t left) : owner(owner), left(left) {}
  void release();

  KvBlockAllocator *owner = nullptr;
  int64_t left = 0;
};

/// Which page an empty pool hands out first. Results never depend on it; tests run both.
enum class HandOut { Forward, Reverse };

class KvBlockAllocator {
public:
  explicit KvBlockAllocator(int64_t total, HandOut order = HandOut::Forward);
  KvBlockAllocator(const KvBlockAllocator &) = delete;
  KvBlockAllocator &operator=(const KvBlockAllocator &) = delete;
  ~KvBlockAllocator();

  int64_t total() const { return int64_t(references.size()); }
  /// Pages that no handle holds.
  int64_t free() const { return int64_t(freePages.size()); }
  /// Free pages that are not promised either.
  int64_t available() const { return free() - promised; }
  /// The most pages ever held at once.
  int64_t peakHeld() const { return peak; }

  /// A promise of `pages` pages, or ResourceExhausted with the counts.
  Expected<KvReservation> reserve(int64_t pages);

private:
  friend class KvBlock;
  friend class KvReservation;
  int32_t pop();
  void drop(int32_t page);

  std::vector<int32_t> references; // per page
  std::vector<int32_t> freePages;  // the last one is handed out next
  int64_t promised = 0;
  int64_t peak = 0;
};

} // namespace adze
#endif
