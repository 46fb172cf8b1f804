// Pages live in handles: every count follows from which handles exist.
#include "adze/Runtime/KvCache/KvBlockAllocator.h"
#include "adze/Runtime/KvCache/KvSequence.h"

#include <gtest/gtest.h>

using namespace adze;

TEST(KvBlockAllocator, ReturnsPagesWhenTheirHandlesEnd) {
  KvBlockAllocator allocator(4);
  {
    Expected<KvReservation> promise = allocator.reserve(3);
    ASSERT_TRUE(promise.ok());
    KvBlock a = promise->take(), b = promise->take();
    EXPECT_EQ(allocator.free(), 2);
    EXPECT_EQ(allocator.available(), 1);
    EXPECT_NE(a.page(), b.page());
  }
  EXPECT_EQ(allocator.free(), 4);
  EXPECT_EQ(allocator.available(), 4);
  EXPECT_EQ(allocator.peakHeld(), 2);
}

TEST(KvBlockAllocator, RefusesAPromiseThatItCouldNotKeep) {
  KvBlockAllocator allocator(4);
  Expected<KvReservation> first = allocator.reserve(3);
  ASSERT_TRUE(first.ok());
  Expected<KvReservation> second = allocator.reserve(2);
  EXPECT_FALSE(second.ok());
  EXPECT_EQ(second.status().code(), ErrorCode::ResourceExhausted);
  EXPECT_EQ(allocator.free(), 4) << "a promise holds no page yet";
}

TEST(KvBlockAllocator, KeepsASharedPageUntilItsLastReference) {
  KvBlockAllocator allocator(2);
  Expected<KvReservation> promise = allocator.reserve(1);
  KvBlock first = promise->take();
  KvBlock second = first.share();
  EXPECT_EQ(first.references(), 2);
  first = KvBlock();
  EXPECT_EQ(allocator.free(), 1);
  EXPECT_EQ(second.references(), 1);
  second = KvBlock();
  EXPECT_EQ(allocator.free(), 2);
}

TEST(KvBlockAllocator, MovesAHandleWithoutCountingTwice) {
  KvBlockAllocator allocator(2);
  Expected<KvReservation> promise = allocator.reserve(2);
  KvReservation moved = std::move(*promise);
  KvBlock a = moved.take();
  KvBlock b = std::move(a);
  EXPECT_FALSE(a.holds());
  EXPECT_EQ(b.references(), 1);
  EXPECT_EQ(allocator.free(), 1);
}

TEST(KvBlockAllocator, HandsOutInEitherOrder) {
  KvBlockAllocator forward(3), reverse(3, HandOut::Reverse);
  Expected<KvReservation> a = forward.reserve(3), b = reverse.reserve(3);
  std::vector<KvBlock> held;
  for (int32_t i = 0; i < 3; ++i) {
    held.push_back(a->take());
    EXPECT_EQ(held.back().page(), i);
    held.push_back(b->take());
    EXPECT_EQ(held.back().page(), 2 - i);
  }
}

TEST(KvSequence, PlacesEachPositionInItsPage) {
  KvBlockAllocator allocator(8, HandOut::Reverse);
  Expected<KvReservation> promise = allocator.reserve(3);
  KvSequence sequence(std::move(*promise), 16);
  sequence.growTo(17);
  EXPECT_EQ(sequence.pageCount(), 2);
  EXPECT_EQ(sequence.slot(0), 7 * 16);
  EXPECT_EQ(sequence.slot(15), 7 * 16 + 15);
  EXPECT_EQ(sequence.slot(16), 6 * 16);
  sequence.growTo(17);
  EXPECT_EQ(sequence.pageCount(), 2) << "growing to what is there takes nothing";
}

TEST(KvSequence, CountsPagesUpToTheLastToken) {
  EXPECT_EQ(KvSequence::pagesFor(0, 16), 0);
  EXPECT_EQ(KvSequence::pagesFor(16, 16), 1);
  EXPECT_EQ(KvSequence::pagesFor(17, 16), 2);
}
