#include "adze/Support/ThreadPool.h"

#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace adze;

// Counts how often each index is run; plain ints on purpose, so that a race is one for tsan as well.
static void expectExactlyOnce(ThreadPool &pool, int64_t count, int64_t grain) {
  std::vector<int> runs(static_cast<size_t>(count));
  pool.run(
      count,
      [&](int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i)
          ++runs[static_cast<size_t>(i)];
      },
      grain);
  for (int64_t i = 0; i < count; ++i)
    ASSERT_EQ(runs[static_cast<size_t>(i)], 1) << "index " << i << " of " << count << ", grain " << grain;
}

TEST(ThreadPool, RunsEveryIndexExactlyOnce) {
  for (unsigned threads : {1u, 2u, 3u, 8u}) {
    ThreadPool pool({threads});
    EXPECT_EQ(pool.threads(), threads);
    for (int64_t count : {1, 2, 3, 7, 64, 1000, 100003})
      for (int64_t grain : {1, 5, 64, 1000000})
        expectExactlyOnce(pool, count, grain);
  }
}

TEST(ThreadPool, GivesRangesInsideTheCount) {
  ThreadPool pool({4});
  std::atomic<bool> bad{false};
  pool.run(12345, [&](int64_t first, int64_t last) {
    if (first < 0 || first >= last || last > 12345)
      bad = true;
  });
  EXPECT_FALSE(bad);
}

TEST(ThreadPool, DoesNothingForNoWork) {
  ThreadPool pool({2});
  bool called = false;
  pool.run(0, [&](int64_t, int64_t) { called = true; });
  pool.run(-5, [&](int64_t, int64_t) { called = true; });
  EXPECT_FALSE(called);
}

TEST(ThreadPool, SurvivesManySmallJobsInARow) {
  ThreadPool pool({4});
  int64_t total = 0;
  std::vector<int64_t> part(8);
  for (int round = 0; round < 20000; ++round) {
    pool.run(8, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i)
        part[static_cast<size_t>(i)] = round + i;
    });
    for (int64_t value : part)
      total += value;
  }
  EXPECT_EQ(total, 8ll * 20000 * 19999 / 2 + 20000ll * 28);
}

TEST(ThreadPool, WakesWorkersThatHaveGoneToSleep) {
  ThreadPool pool({3});
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    expectExactlyOnce(pool, 100, 1);
  }
}

TEST(ThreadPool, UsesSeveralThreadsForLongWork) {
  ThreadPool pool({2});
  std::atomic<int> together{0};
  std::atomic<bool> met{false};
  // Both threads must be inside at one time for this to end early; a pool of one would wait for the whole limit.
  pool.run(2, [&](int64_t, int64_t) {
    ++together;
    for (int i = 0; i < 5000 && !met; ++i) {
      if (together.load() == 2)
        met = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  EXPECT_TRUE(met);
}

TEST(ThreadPool, RunsNestedWorkOnTheSameThread) {
  ThreadPool pool({3});
  std::atomic<int64_t> sum{0};
  std::atomic<bool> moved{false};
  pool.run(10, [&](int64_t first, int64_t last) {
    std::thread::id self = std::this_thread::get_id();
    for (int64_t i = first; i < last; ++i)
      pool.run(10, [&](int64_t innerFirst, int64_t innerLast) {
        if (std::this_thread::get_id() != self)
          moved = true;
        sum += innerLast - innerFirst;
      });
  });
  EXPECT_EQ(sum, 100);
  EXPECT_FALSE(moved);
}

TEST(ThreadPool, TakesCallersOneAfterTheOther) {
  ThreadPool pool({2});
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round)
        expectExactlyOnce(pool, 50, 1);
    });
  for (std::thread &caller : callers)
    caller.join();
}

TEST(ThreadPool, StartsAndEndsWithoutWork) {
  for (int round = 0; round < 50; ++round)
    ThreadPool pool({4});
}

TEST(ThreadPool, UsesNoProcessorTimeWhenIdle) {
  ThreadPool pool({2});
  expectExactlyOnce(pool, 100, 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  auto used = [] {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000ll + usage.ru_utime.tv_usec +
           usage.ru_stime.tv_usec;
  };
  long long before = used();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(used() - before, 50000) << "microseconds of processor time in 200 ms of idling";
}

TEST(AllowedCores, IsAtLeastOneAndAtMostTheMachine) {
  EXPECT_GE(allowedCores(), 1u);
  EXPECT_LE(allowedCores(), std::max(1u, std::thread::hardware_concurrency()));
}
