// What the C interface refuses, how it says so, and how it reads structs of older and newer programs.
#include "AdzeApiFixture.h"

#include <cmath>
#include <cstring>

using namespace adze;

TEST_F(AdzeApi, NamesWhatIsWrongWithARequest) {
  open();
  struct Case {
    const char *part;
    void (*change)(AdzeRequest &);
  };
  const Case cases[] = {
      {"invalid-input: exactly one of tokens, text and messages is needed; given: none",
       [](AdzeRequest &r) { r.text = {nullptr, 0}; }},
      {"given: tokens text",
       [](AdzeRequest &r) {
         static const int32_t id = 1;
         r.tokens = &id;
       }},
      {"message_count is 0",
       [](AdzeRequest &r) {
         static const AdzeMessage m = {};
         r.text = {nullptr, 0};
         r.messages = &m;
       }},
      {"the role of message 0 has 3 bytes and its data is NULL",
       [](AdzeRequest &r) {
         static const AdzeMessage m = {{nullptr, 3}, {"a", 1}};
         r.text = {nullptr, 0}, r.messages = &m, r.message_count = 1;
       }},
      {"choose is 2; accepted: ADZE_CHOOSE_GREEDY (0)", [](AdzeRequest &r) { r.choose = 2; }},
      {"ignore_end_tokens is -1; accepted: 0 and 1", [](AdzeRequest &r) { r.ignore_end_tokens = -1; }},
      {"max-tokens is -2", [](AdzeRequest &r) { r.max_tokens = -2; }},
      {"temperature is nan", [](AdzeRequest &r) { r.choose = ADZE_CHOOSE_SAMPLE, r.temperature = NAN; }},
      {"top-p is 1.5", [](AdzeRequest &r) { r.top_p = 1.5; }},
      {"logprobs", [](AdzeRequest &r) { r.top_logprobs = 1000; }},
      {"stop_count is 2 and stop is NULL", [](AdzeRequest &r) { r.stop_count = 2; }},
      {"stop text 0 has 4 bytes and its data is NULL",
       [](AdzeRequest &r) {
         static const AdzeText t = {nullptr, 4};
         r.stop = &t, r.stop_count = 1;
       }},
      {"UTF-8", [](AdzeRequest &r) { r.text = {"a\xe2z", 3}; }},
      {"token 1 of the prompt is id -1",
       [](AdzeRequest &r) {
         static const int32_t ids[] = {1, -1};
         r.text = {nullptr, 0}, r.tokens = ids, r.token_count = 2;
       }},
      {"the prompt holds no token",
       [](AdzeRequest &r) {
         static const int32_t id = 1;
         r.text = {nullptr, 0}, r.tokens = &id, r.token_count = 0;
       }},
  };
  for (const Case &c : cases) {
    AdzeRequest wanted = textRequest("abc");
    c.change(wanted);
    EXPECT_HAS(refusal(wanted), c.part);
  }
  AdzeAnswer *answer = submit(textRequest("abc"));
  runAll();
  EXPECT_EQ(take(answer).text, "xyz") << "the engine lives";
}

TEST_F(AdzeApi, NamesAMessageThatIsNotUtf8) {
  open();
  AdzeMessage message = {adze_text("user"), {"\xed\xa0\x80", 3}}; // half a surrogate pair
  AdzeRequest wanted = request();
  wanted.messages = &message;
  wanted.message_count = 1;
  EXPECT_HAS(refusal(wanted), "UTF-8");
}

TEST_F(AdzeApi, SaysThatAModelHasNoTemplateOrABrokenOne) {
  AdzeMessage message = {adze_text("user"), adze_text("abc")};
  for (const auto &[source, part] : {std::pair("", "no chat template"), std::pair("{% for %}", "template")}) {
    adze_engine_free(engine);
    engine = nullptr;
    model.tokenizer.chatTemplate = source;
    open();
    AdzeRequest wanted = request();
    wanted.messages = &message;
    wanted.message_count = 1;
    EXPECT_HAS(refusal(wanted), part);
    AdzeAnswer *answer = submit(textRequest("abc"));
    runAll();
    EXPECT_EQ(take(answer).text, "xyz") << "text needs no template";
  }
}

// B29: a template is a program of somebody else; its budget ends it, and other requests go on.
TEST_F(AdzeApi, EndsATemplateThatRunsTooLong) {
  model.tokenizer.chatTemplate = "{% for a in range(10000) %}{% for b in range(10000) %}{% for c in range(10000) %}x"
                                 "{% endfor %}{% endfor %}{% endfor %}";
  open();
  AdzeMessage message = {adze_text("user"), adze_text("abc")};
  AdzeRequest wanted = request();
  wanted.messages = &message;
  wanted.message_count = 1;
  AdzeAnswer *neighbour = submit(textRequest("abc"));
  EXPECT_HAS(refusal(wanted), "resource-exhausted: ");
  EXPECT_HAS(refusal(wanted), "steps");
  runAll();
  EXPECT_EQ(take(neighbour).text, "xyz");
}

TEST_F(AdzeApi, SaysThatAnArtifactHasNoWeights) {
  model.leaveWeightsOut();
  model.write(path);
  Reported error;
  AdzeEngine *none = nullptr;
  EXPECT_EQ(adze_engine_open(path.c_str(), nullptr, &none, error.place()), ADZE_INVALID_INPUT);
  EXPECT_HAS(error.text(), "weights.bin is not there: the artifact was compiled without weights");
}

TEST_F(AdzeApi, SaysWhyAnEngineDoesNotOpen) {
  Reported error;
  AdzeEngine *none = nullptr;
  EXPECT_EQ(adze_engine_open(path.c_str(), nullptr, &none, error.place()), ADZE_NOT_FOUND);
  EXPECT_HAS(error.text(), path);
  model.write(path);
  AdzeEngineOptions options;
  adze_engine_options_init(&options, sizeof options);
  options.context = 1 << 20;
  EXPECT_EQ(adze_engine_open(path.c_str(), &options, &none, error.place()), ADZE_INVALID_INPUT);
  EXPECT_HAS(error.text(), "--context is 1048576");
  adze_engine_options_init(&options, sizeof options);
  options.queue_length = -1;
  EXPECT_EQ(adze_engine_open(path.c_str(), &options, &none, error.place()), ADZE_INVALID_INPUT);
  EXPECT_HAS(error.text(), "the length of the queue is -1; accepted: 1 to");
  adze_engine_options_init(&options, sizeof options);
  options.pin = 2;
  EXPECT_EQ(adze_engine_open(path.c_str(), &options, &none, error.place()), ADZE_INVALID_INPUT);
  EXPECT_HAS(error.text(), "pin is 2; accepted: 0 and 1");
  EXPECT_EQ(none, nullptr);
}

TEST_F(AdzeApi, RefusesMoreThanTheQueueHolds) {
  AdzeEngineOptions options;
  adze_engine_options_init(&options, sizeof options);
  options.queue_length = 2;
  open(&options);
  AdzeAnswer *answers[] = {submit(textRequest("abc")), submit(textRequest("abc"))};
  EXPECT_HAS(refusal(textRequest("abc")), "resource-exhausted: 2 requests are waiting already");
  runAll();
  for (AdzeAnswer *answer : answers)
    EXPECT_EQ(take(answer).text, "xyz");
}

TEST_F(AdzeApi, TakesNullWhereAnObjectIsNeededAsAnError) {
  open();
  Reported error;
  AdzeRequest wanted = textRequest("abc");
  AdzeAnswer *answer = nullptr;
  AdzeEngineOptions limits;
  int32_t more;
  EXPECT_EQ(adze_engine_open(nullptr, nullptr, &engine, error.place()), ADZE_INVALID_INPUT);
  EXPECT_EQ(adze_engine_open(path.c_str(), nullptr, nullptr, error.place()), ADZE_INVALID_INPUT);
  EXPECT_EQ(adze_engine_submit(nullptr, &wanted, &answer, error.place()), ADZE_INVALID_INPUT);
  EXPECT_EQ(adze_engine_submit(engine, nullptr, &answer, error.place()), ADZE_INVALID_INPUT);
  EXPECT_EQ(adze_engine_submit(engine, &wanted, nullptr, error.place()), ADZE_INVALID_INPUT);
  EXPECT_EQ(adze_engine_step(nullptr, &more, error.place()), ADZE_INVALID_INPUT);
  EXPECT_EQ(adze_engine_step(engine, nullptr, error.place()), ADZE_INVALID_INPUT);
  EXPECT_EQ(adze_engine_limits(nullptr, &limits, sizeof limits, error.place()), ADZE_INVALID_INPUT);
  EXPECT_EQ(adze_request_init(engine, nullptr, sizeof wanted, error.place()), ADZE_INVALID_INPUT);
  EXPECT_EQ(adze_answer_poll(nullptr, nullptr, sizeof(AdzeEvent), error.place()), ADZE_INVALID_INPUT);
  EXPECT_HAS(error.text(), "NULL");
  adze_engine_options_init(nullptr, sizeof limits);
  adze_engine_free(nullptr);
  adze_answer_free(nullptr);
  adze_error_free(nullptr);
  EXPECT_EQ(adze_error_code(nullptr), ADZE_OK);
  EXPECT_STREQ(adze_error_message(nullptr), "");
}

TEST_F(AdzeApi, SpellsEveryCode) {
  EXPECT_STREQ(adze_code_name(ADZE_OK), "ok");
  for (ErrorCode code : {ErrorCode::InvalidInput, ErrorCode::NotFound, ErrorCode::Unsupported,
                         ErrorCode::ResourceExhausted, ErrorCode::Cancelled, ErrorCode::Internal, ErrorCode::Io})
    EXPECT_EQ(adze_code_name(int32_t(code) + 1), errorCodeName(code)) << "the order of Adze.h is that of Status.h";
  EXPECT_STREQ(adze_code_name(99), "unknown");
  EXPECT_EQ(adze_api_version(), uint32_t(ADZE_API_VERSION));
  EXPECT_STRNE(adze_version(), "");
}

// What a program built with the header of a later library hands over: ours and more behind it.
template <class T> struct Later {
  T known;
  int64_t added;
};

TEST_F(AdzeApi, ReadsStructsOfNewerProgramsWhileTheyUseNothingUnknown) {
  open();
  Later<AdzeRequest> later;
  std::memset(&later, 0xff, sizeof later);
  ASSERT_EQ(adze_request_init(engine, &later.known, sizeof later, nullptr), ADZE_OK);
  EXPECT_EQ(later.known.struct_size, sizeof later);
  EXPECT_EQ(later.added, 0) << "what the library does not know is 0, which means as before";
  later.known.text = adze_text("abc");
  AdzeAnswer *answer = submit(later.known);
  runAll();
  EXPECT_EQ(take(answer).text, "xyz");
  later.added = 1;
  EXPECT_HAS(refusal(later.known), "unsupported: AdzeRequest uses a field at byte 160");
}

TEST_F(AdzeApi, RefusesASizeThatNothingEverHad) {
  open();
  AdzeRequest wanted = textRequest("abc");
  for (size_t size : {size_t(0), sizeof wanted - 1, size_t(1) << 40}) {
    wanted.struct_size = size;
    EXPECT_HAS(refusal(wanted), "the size of AdzeRequest is given as " + std::to_string(size));
  }
  AdzeAnswer *answer = submit(textRequest("abc"));
  runAll();
  AdzeEvent event;
  EXPECT_EQ(adze_answer_poll(answer, &event, 8, nullptr), ADZE_INVALID_INPUT);
  Result result = take(answer);
  EXPECT_EQ(result.text, "xyz") << "a wrong size loses no event";
  AdzeEngineOptions options;
  adze_engine_options_init(&options, 3);
  Reported error;
  AdzeEngine *none = nullptr;
  EXPECT_EQ(adze_engine_open(path.c_str(), &options, &none, error.place()), ADZE_INVALID_INPUT);
  EXPECT_HAS(error.text(), "the size of AdzeEngineOptions is given as 3");
}
