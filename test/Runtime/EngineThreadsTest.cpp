// One thread steps, others submit and cancel: what the thread sanitizer watches.
#include "FakeArtifact.h"

#include <atomic>
#include <thread>

using namespace adze;

TEST(EngineThreads, SubmitAndCancelWhileTheEngineSteps) {
  FakeModel model;
  EngineOptions options;
  options.limits.requests = 4;
  options.limits.stepTokens = 32;
  FakeEngine bench(model, options, 2);
  struct Counter : AnswerSink {
    std::atomic<int> *ended;
    void finished(RequestId, const AnswerEnd &) override { ended->fetch_add(1); }
  };
  std::atomic<int> ended = 0, submitted = 0;
  std::atomic<bool> done = false;
  constexpr int kThreads = 3, kEach = 40;

  std::vector<std::thread> clients;
  for (int t = 0; t < kThreads; ++t)
    clients.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        AnswerRequest request;
        request.prompt = somePrompt(3 + i % 20, t);
        request.maxTokens = 6;
        auto sink = std::make_shared<Counter>();
        sink->ended = &ended;
        request.sink = sink;
        Expected<RequestId> id = bench.engine->submit(std::move(request));
        ASSERT_TRUE(id.ok());
        ++submitted;
        if (i % 3 == 0)
          bench.engine->cancel(*id);
        if (i % 7 == 0)
          std::this_thread::yield();
        (void)bench.engine->idle();
      }
    });
  std::thread loop([&] {
    while (!done || !bench.engine->idle())
      bench.engine->step();
  });
  for (std::thread &client : clients)
    client.join();
  done = true;
  loop.join();
  EXPECT_EQ(ended.load(), kThreads * kEach);
  EXPECT_EQ(bench.engine->blocks().free(), bench.engine->blocks().total());
}

TEST(EngineThreads, TwoEnginesShareAnArtifactAndADeviceEach) {
  FakeModel model;
  std::shared_ptr<const Artifact> artifact = model.artifact();
  std::vector<int32_t> results[2];
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      CpuDevice device({1, false});
      Expected<std::unique_ptr<Engine>> engine = Engine::create(artifact, device, std::nullopt, {});
      ASSERT_TRUE(engine.ok());
      AnswerRequest request;
      request.prompt = somePrompt(20, 1);
      request.maxTokens = 30;
      request.ignoreEndTokens = true;
      auto sink = std::make_shared<Collector>();
      request.sink = sink;
      ASSERT_TRUE((*engine)->submit(request).ok());
      (*engine)->runUntilIdle();
      results[t] = sink->tokens;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0].size(), 30u);
}
