// Counts and the free list. The list is last in, first out: a page that was just given back is the one whose lines are
// most likely still in a cache.
#include "adze/Runtime/KvCache/KvBlockAllocator.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <utility>

using namespace adze;

KvBlock &KvBlock::operator=(KvBlock &&other) noexcept {
  if (this != &other) {
    release();
    owner = std::exchange(other.owner, nullptr);
    number = other.number;
  }
  return *this;
}

int32_t KvBlock::references() const { return owner ? owner->references[size_t(number)] : 0; }

KvBlock KvBlock::share() const {
  assert(holds() && "share of an empty handle");
  ++owner->references[size_t(number)];
  return KvBlock(owner, number);
}

void KvBlock::release() {
  if (owner)
    std::exchange(owner, nullptr)->drop(number);
}

KvReservation &KvReservation::operator=(KvReservation &&other) noexcept {
  if (this != &other) {
    release();
    owner = std::exchange(other.owner, nullptr);
    left = std::exchange(other.left, 0);
  }
  return *this;
}

KvBlock KvReservation::take() {
  assert(owner && left > 0 && "more pages taken than promised");
  --left;
  --owner->promised;
  return KvBlock(owner, owner->pop());
}

void KvReservation::release() {
  if (owner)
    std::exchange(owner, nullptr)->promised -= std::exchange(left, 0);
}

KvBlockAllocator::KvBlockAllocator(int64_t total, HandOut order) : references(size_t(total), 0) {
  freePages.resize(size_t(total));
  for (int64_t i = 0; i < total; ++i)
    freePages[size_t(i)] = int32_t(order == HandOut::Forward ? total - 1 - i : i);
}

KvBlockAllocator::~KvBlockAllocator() {
  assert(free() == total() && promised == 0 && "a handle outlives its allocator");
}

Expected<KvReservation> KvBlockAllocator::reserve(int64_t pages) {
  if (pages > available())
    return resourceExhausted(
        fmt::format("{} KV pages wanted, {} of {} are free and not promised", pages, available(), total()));
  promised += pages;
  return KvReservation(this, pages);
}

int32_t KvBlockAllocator::pop() {
  int32_t page = freePages.back();
  freePages.pop_back();
  assert(references[size_t(page)] == 0);
  references[size_t(page)] = 1;
  peak = std::max(peak, total() - free());
  return page;
}

void KvBlockAllocator::drop(int32_t page) {
  if (--references[size_t(page)] == 0)
    freePages.push_back(page);
}
