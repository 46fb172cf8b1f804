// The scheduler as a pure state machine: no device, no clock.
#include "adze/Runtime/Scheduler/Scheduler.h"

#include <gtest/gtest.h>
#include <map>

using namespace adze;

namespace {
// A scheduler and its pages. `step` plays the engine: it advances every span and gives each request that reached its
// end one more token until it is full.
struct Bench {
  Bench(SchedulerLimits limits, int64_t pages) : blocks(pages), scheduler(limits, blocks) {}

  void submit(RequestId id, int64_t prompt, int64_t output) {
    RequestShape shape{prompt, prompt, prompt + output, -1};
    ASSERT_TRUE(scheduler.check(shape).ok()) << scheduler.check(shape).message();
    scheduler.submit(id, shape);
    known[id] = prompt;
  }

  std::vector<ScheduledSpan> step() {
    scheduler.admit();
    std::vector<ScheduledSpan> spans = scheduler.planStep();
    for (const ScheduledSpan &span : spans) {
      scheduler.advance(span);
      if (span.first + span.count < known[span.request])
        continue;
      EXPECT_EQ(span.rows, 1) << "the last known token always gives logits";
      scheduler.append(span.request);
      ++known[span.request];
      if (scheduler.full(span.request)) {
        scheduler.finish(span.request);
        ended.push_back(span.request);
      }
    }
    return spans;
  }

  KvBlockAllocator blocks;
  Scheduler scheduler;
  std::map<RequestId, int64_t> known;
  std::vector<RequestId> ended;
};

SchedulerLimits small() {
  SchedulerLimits limits;
  limits.stepTokens = 16;
  limits.requests = 4;
  limits.logitRows = 4;
  limits.context = 256;
  limits.pageTokens = 16;
  return limits;
}

int64_t countOf(const std::vector<ScheduledSpan> &spans, RequestId id) {
  for (const ScheduledSpan &span : spans)
    if (span.request == id)
      return span.count;
  return 0;
}
} // namespace

TEST(Scheduler, CutsAPromptIntoPiecesOfTheStep) {
  Bench bench(small(), 16);
  bench.submit(1, 40, 2);
  EXPECT_EQ(countOf(bench.step(), 1), 16);
  EXPECT_EQ(countOf(bench.step(), 1), 16);
  EXPECT_EQ(countOf(bench.step(), 1), 8);
  EXPECT_EQ(countOf(bench.step(), 1), 1) << "then one token at a time";
  EXPECT_TRUE(bench.scheduler.idle());
  EXPECT_EQ(bench.blocks.free(), bench.blocks.total());
}

TEST(Scheduler, MixesDecodesWithAPrompt) {
  Bench bench(small(), 32);
  bench.submit(1, 4, 20);
  bench.step();
  bench.submit(2, 60, 4);
  std::vector<ScheduledSpan> spans = bench.step();
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(countOf(spans, 1), 1) << "the running answer goes on";
  EXPECT_EQ(countOf(spans, 2), 15) << "the prompt gets the rest";
}

TEST(Scheduler, SharesAStepBetweenPrompts) {
  Bench bench(small(), 64);
  bench.submit(1, 200, 1);
  bench.submit(2, 4, 1);
  bench.submit(3, 200, 1);
  std::vector<ScheduledSpan> spans = bench.step();
  EXPECT_EQ(countOf(spans, 2), 4) << "a short prompt is not held up by a long one";
  EXPECT_EQ(countOf(spans, 1) + countOf(spans, 3), 12);
  EXPECT_GE(countOf(spans, 3), 5);
}

TEST(Scheduler, ServesEveryoneWhenTheStepIsSmallerThanTheCrowd) {
  SchedulerLimits limits = small();
  limits.stepTokens = 1;
  Bench bench(limits, 64);
  for (RequestId id = 1; id <= 3; ++id)
    bench.submit(id, 1, 10);
  std::map<RequestId, int> turns;
  for (int i = 0; i < 9; ++i)
    for (const ScheduledSpan &span : bench.step())
      ++turns[span.request];
  EXPECT_EQ(turns[1], 3);
  EXPECT_EQ(turns[2], 3);
  EXPECT_EQ(turns[3], 3);
}

TEST(Scheduler, KeepsToTheLongestPieceAllowed) {
  SchedulerLimits limits = small();
  limits.prefillChunk = 7;
  Bench bench(limits, 16);
  bench.submit(1, 15, 1);
  EXPECT_EQ(countOf(bench.step(), 1), 7);
  EXPECT_EQ(countOf(bench.step(), 1), 7);
  EXPECT_EQ(countOf(bench.step(), 1), 1);
}

// A request larger than the whole pool but inside the context must not block the queue.
TEST(Scheduler, RefusesAtOnceWhatThePoolCouldNeverHold) {
  Bench bench(small(), 8); // 8 pages of 16 tokens
  Status status = bench.scheduler.check({200, 200, 210, -1});
  EXPECT_EQ(status.code(), ErrorCode::ResourceExhausted);
  EXPECT_NE(status.message().find("--kv-memory"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("8 pages"), std::string::npos) << status.message();
  bench.submit(2, 10, 4);
  for (int i = 0; i < 10 && !bench.scheduler.idle(); ++i)
    bench.step();
  EXPECT_EQ(bench.ended, std::vector<RequestId>{2});
}

TEST(Scheduler, RefusesAPromptThatLeavesNoRoom) {
  Bench bench(small(), 64);
  EXPECT_EQ(bench.scheduler.check({0, 0, 4, -1}).code(), ErrorCode::InvalidInput);
  Status status = bench.scheduler.check({256, 256, 257, -1});
  EXPECT_EQ(status.code(), ErrorCode::InvalidInput);
  EXPECT_NE(status.message().find("--context"), std::string::npos);
  EXPECT_TRUE(bench.scheduler.check({255, 255, 256, -1}).ok());
  EXPECT_TRUE(bench.scheduler.check({256, 256, 256, -1}).ok()) << "scoring a full context computes and chooses nothing";
}

TEST(Scheduler, AdmitsOnlyWhatCanFinish) {
  Bench bench(small(), 8);
  bench.submit(1, 16, 65); // 80 stored tokens: 5 pages
  bench.submit(2, 16, 49); // 64: 4 pages
  bench.step();
  EXPECT_EQ(bench.scheduler.runningCount(), 1) << "three pages are left and four are promised to nobody";
  EXPECT_EQ(bench.blocks.available(), 3);
  for (int i = 0; i < 300 && !bench.scheduler.idle(); ++i)
    bench.step();
  EXPECT_EQ(bench.ended, (std::vector<RequestId>{1, 2}));
}

TEST(Scheduler, LetsNobodyOvertakeInTheQueue) {
  Bench bench(small(), 8);
  bench.submit(1, 16, 65);
  bench.submit(2, 16, 65);
  bench.submit(3, 1, 1);
  bench.step();
  EXPECT_EQ(bench.scheduler.runningCount(), 1);
  EXPECT_EQ(bench.scheduler.waitingCount(), 2) << "the small one waits behind the large one that came before it";
}

TEST(Scheduler, GivesPagesBackWhenARequestEndsAtAnyPoint) {
  for (int endAfter = 0; endAfter < 8; ++endAfter) {
    Bench bench(small(), 16);
    bench.submit(1, 40, 8);
    bench.submit(2, 3, 3);
    for (int i = 0; i < endAfter; ++i)
      bench.step();
    bench.scheduler.finish(1);
    bench.scheduler.finish(1); // ending twice is harmless
    for (int i = 0; i < 20 && !bench.scheduler.idle(); ++i)
      bench.step();
    EXPECT_EQ(bench.blocks.free(), bench.blocks.total());
    EXPECT_EQ(bench.blocks.available(), bench.blocks.total());
  }
}

TEST(Scheduler, NeverAsksForMoreRowsThanTheStepHas) {
  Bench bench(small(), 64);
  RequestShape scoring{1, 100, 100, 0};
  ASSERT_TRUE(bench.scheduler.check(scoring).ok());
  bench.scheduler.submit(1, scoring);
  bench.scheduler.submit(2, {50, 50, 60, -1});
  bench.scheduler.admit();
  int64_t next = 0;
  for (int i = 0; i < 200 && next < 100; ++i) {
    int64_t rows = 0;
    for (const ScheduledSpan &span : bench.scheduler.planStep()) {
      rows += span.rows;
      if (span.request == 1) {
        EXPECT_EQ(span.rows, span.count) << "every token of a scored text gives logits";
        EXPECT_EQ(span.first, next);
        next = span.first + span.count;
      }
      bench.scheduler.advance(span);
    }
    EXPECT_LE(rows, 4);
  }
  EXPECT_EQ(next, 100);
  bench.scheduler.finish(1);
  bench.scheduler.finish(2);
}
