// The C interface, through libadze alone: requests of each kind, what polls find, cancellation, threads.
#include "AdzeApiFixture.h"

#include <atomic>
#include <cmath>
#include <thread>

using namespace adze;

extern "C" int64_t answer_in_c(const char *artifact, const int32_t *prompt, size_t count, int32_t *tokens,
                               size_t capacity);

TEST_F(AdzeApi, AnswersAProgramInC) {
  model.write(path);
  std::vector<int32_t> prompt = bytesOf("abc"), tokens(2);
  ASSERT_EQ(answer_in_c(path.c_str(), prompt.data(), prompt.size(), tokens.data(), tokens.size()), 2);
  EXPECT_EQ(tokens, bytesOf("xy"));
  EXPECT_EQ(answer_in_c("/nowhere", prompt.data(), prompt.size(), tokens.data(), tokens.size()), -ADZE_NOT_FOUND);
}

TEST_F(AdzeApi, TakesTokensTextAndMessages) {
  open();
  std::vector<int32_t> ids = bytesOf("abc");
  AdzeRequest tokens = request(), chat = request();
  tokens.tokens = ids.data();
  tokens.token_count = ids.size();
  AdzeMessage messages[] = {{adze_text("system"), adze_text("s")}, {adze_text("user"), adze_text("abc")}};
  chat.messages = messages;
  chat.message_count = 2;
  AdzeAnswer *answers[] = {submit(tokens), submit(textRequest("abc")), submit(chat)};
  runAll();
  int64_t promptTokens[] = {3, 3, 18}; // [system]s[user]abc
  for (int i = 0; i < 3; ++i) {
    Result result = take(answers[i]);
    EXPECT_EQ(result.text, "xyz");
    EXPECT_EQ(result.tokens, (std::vector<int32_t>{'x', 'y', 'z', FAKE_END}));
    EXPECT_EQ(result.end.end, ADZE_END_STOP);
    EXPECT_EQ(result.end.prompt_tokens, promptTokens[i]);
    EXPECT_EQ(result.end.output_tokens, 4);
    EXPECT_GT(result.end.seconds, 0);
    EXPECT_LE(result.end.first_seconds, result.end.seconds);
  }
}

TEST_F(AdzeApi, CopiesARequestDuringTheCall) {
  open();
  std::string text = "abc", stop = "z";
  AdzeText stops[] = {{stop.data(), stop.size()}};
  AdzeRequest wanted = textRequest(text.c_str());
  wanted.stop = stops;
  wanted.stop_count = 1;
  AdzeAnswer *answer = submit(wanted);
  text.assign("???"), stop.assign("x"), stops[0] = {nullptr, 0};
  runAll();
  EXPECT_EQ(take(answer).text, "xy");
}

TEST_F(AdzeApi, ReportsLogprobsWhereTheyAreAskedFor) {
  open();
  AdzeRequest wanted = textRequest("abc");
  wanted.top_logprobs = 2;
  AdzeAnswer *answer = submit(wanted), *plain = submit(textRequest("abc"));
  runAll();
  AdzeEvent event;
  ASSERT_EQ(adze_answer_poll(answer, &event, sizeof event, nullptr), ADZE_OK);
  EXPECT_EQ(event.kind, ADZE_EVENT_TOKEN);
  EXPECT_EQ(event.position, 3);
  EXPECT_EQ(event.chosen.token, 'x');
  EXPECT_NEAR(event.chosen.logprob, 0, 1e-9) << "the script's token is far above all others";
  EXPECT_STREQ(event.chosen.text.data, "x");
  ASSERT_EQ(event.best_count, 2u);
  EXPECT_EQ(event.best[0].token, 'x');
  EXPECT_LT(event.best[1].logprob, event.best[0].logprob);
  EXPECT_EQ(std::string(event.best[1].text.data, event.best[1].text.size).size(), event.best[1].text.size);
  ASSERT_EQ(adze_answer_poll(plain, &event, sizeof event, nullptr), ADZE_OK);
  EXPECT_EQ(event.best, nullptr);
  EXPECT_EQ(event.chosen.logprob, 0);
  adze_answer_free(answer);
  adze_answer_free(plain);
}

TEST_F(AdzeApi, PollsWithoutWaitingAndRepeatsTheEnd) {
  open();
  AdzeAnswer *answer = submit(textRequest("abc"));
  AdzeEvent event;
  ASSERT_EQ(adze_answer_poll(answer, &event, sizeof event, nullptr), ADZE_OK);
  EXPECT_EQ(event.kind, ADZE_EVENT_NONE);
  runAll();
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(adze_answer_poll(answer, &event, sizeof event, nullptr), ADZE_OK);
    EXPECT_EQ(event.kind, ADZE_EVENT_TOKEN);
  }
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(adze_answer_poll(answer, &event, sizeof event, nullptr), ADZE_OK);
    EXPECT_EQ(event.kind, ADZE_EVENT_END);
    EXPECT_EQ(event.output_tokens, 4);
  }
  adze_answer_free(answer);
}

TEST_F(AdzeApi, StartsFromTheParametersOfTheModel) {
  model.manifest.generation.sample = true;
  model.manifest.generation.temperature = 0.7;
  model.manifest.generation.topK = 20;
  open();
  AdzeRequest given = request();
  EXPECT_EQ(given.struct_size, sizeof given);
  EXPECT_EQ(given.choose, ADZE_CHOOSE_SAMPLE);
  EXPECT_EQ(given.temperature, 0.7);
  EXPECT_EQ(given.top_k, 20);
  EXPECT_EQ(given.top_p, 1);
  EXPECT_EQ(given.max_tokens, -1);
  EXPECT_EQ(given.top_logprobs, -1);
  EXPECT_EQ(given.tokens, nullptr);
}

TEST_F(AdzeApi, DrawsTheSameForTheSameSeed) {
  open();
  auto drawn = [&](uint64_t seed) {
    std::vector<int32_t> ids = {1, 2, 3};
    AdzeRequest wanted = request();
    wanted.tokens = ids.data();
    wanted.token_count = ids.size();
    wanted.choose = ADZE_CHOOSE_SAMPLE;
    wanted.temperature = 1.5;
    wanted.seed = seed;
    wanted.max_tokens = 20;
    wanted.ignore_end_tokens = 1;
    AdzeAnswer *answer = submit(wanted);
    runAll();
    return take(answer).tokens;
  };
  EXPECT_EQ(drawn(7), drawn(7));
  EXPECT_NE(drawn(7), drawn(8));
}

TEST_F(AdzeApi, CancelsOneRequestAndNotItsNeighbour) {
  open();
  std::vector<int32_t> ids = somePrompt(5, 1);
  AdzeRequest wanted = request();
  wanted.tokens = ids.data();
  wanted.token_count = ids.size();
  wanted.max_tokens = 30;
  wanted.ignore_end_tokens = 1;
  AdzeAnswer *alone = submit(wanted);
  runAll();
  Result expected = take(alone);
  AdzeAnswer *kept = submit(wanted), *dropped = submit(wanted), *freed = submit(wanted);
  int32_t more;
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(adze_engine_step(engine, &more, nullptr), ADZE_OK);
  adze_answer_cancel(dropped);
  adze_answer_free(freed);
  runAll();
  Result stopped = take(dropped);
  EXPECT_EQ(stopped.end.end, ADZE_END_CANCELLED);
  EXPECT_EQ(stopped.tokens.size(), 3u);
  EXPECT_EQ(take(kept).tokens, expected.tokens);
  adze_answer_cancel(nullptr);
}

TEST_F(AdzeApi, EndsOpenRequestsWhenTheEngineIsFreed) {
  open();
  AdzeAnswer *waiting = submit(textRequest("abc")), *freed = submit(textRequest("abc"));
  adze_engine_free(engine);
  engine = nullptr;
  adze_answer_cancel(waiting);
  Result result = take(waiting);
  EXPECT_EQ(result.end.end, ADZE_END_CANCELLED);
  EXPECT_TRUE(result.tokens.empty());
  adze_answer_free(freed);
}

TEST_F(AdzeApi, GivesAFailedRequestItsError) {
  open();
  int32_t ids[] = {'a', FAKE_POISON};
  AdzeRequest wanted = request();
  wanted.tokens = ids;
  wanted.token_count = 2;
  AdzeAnswer *failing = submit(wanted), *neighbour = submit(textRequest("abc"));
  runAll();
  Result failed = take(failing);
  EXPECT_EQ(failed.end.end, ADZE_END_ERROR);
  EXPECT_EQ(failed.end.error_code, ADZE_INTERNAL);
  EXPECT_HAS(failed.error, "the logit of token 5 for position 2 is nan");
  EXPECT_EQ(take(neighbour).text, "xyz");
}

TEST_F(AdzeApi, TellsTheLimitsThatItHas) {
  AdzeEngineOptions options, limits;
  adze_engine_options_init(&options, sizeof options);
  options.context = 64;
  options.requests = 3;
  options.threads = 2;
  open(&options);
  ASSERT_EQ(adze_engine_limits(engine, &limits, sizeof limits, nullptr), ADZE_OK);
  EXPECT_EQ(limits.context, 64);
  EXPECT_EQ(limits.requests, 3);
  EXPECT_EQ(limits.logit_rows, 3);
  EXPECT_EQ(limits.step_tokens, 64);
  EXPECT_EQ(limits.kv_memory, 3 * 64 / FAKE_PAGE * FAKE_PAGE_BYTES);
  EXPECT_EQ(limits.queue_length, 1024);
  EXPECT_EQ(limits.threads, 2u);
}

TEST_F(AdzeApi, SubmitsCancelsAndPollsWhileAnotherThreadSteps) {
  AdzeEngineOptions options;
  adze_engine_options_init(&options, sizeof options);
  options.requests = 4;
  options.threads = 2;
  open(&options);
  std::atomic<int> clients = 3, ended = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        std::vector<int32_t> ids = somePrompt(3 + i, t);
        AdzeRequest wanted = request();
        wanted.tokens = ids.data();
        wanted.token_count = ids.size();
        wanted.max_tokens = 5;
        AdzeAnswer *answer = submit(wanted);
        if (i % 3 == 0)
          adze_answer_cancel(answer);
        AdzeEvent event{};
        while (i % 5 && event.kind != ADZE_EVENT_END) {
          ASSERT_EQ(adze_answer_poll(answer, &event, sizeof event, nullptr), ADZE_OK);
          if (event.kind == ADZE_EVENT_NONE)
            std::this_thread::yield();
        }
        adze_answer_free(answer);
        ++ended;
      }
      --clients;
    });
  for (int s = 0; s < 2; ++s) // two steppers: the second waits for the first
    threads.emplace_back([&] {
      for (int32_t more = 1; clients || more;)
        ASSERT_EQ(adze_engine_step(engine, &more, nullptr), ADZE_OK);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(ended, 60);
}
