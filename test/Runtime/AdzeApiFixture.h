// AdzeApiFixture.h: the toy model behind libadze, for tests of the C interface.
#ifndef ADZE_TEST_RUNTIME_ADZEAPIFIXTURE_H
#define ADZE_TEST_RUNTIME_ADZEAPIFIXTURE_H

#include "FakeArtifact.h"

#include "adze/Abi/Adze.h"

namespace adze {
// An error that must be there, as "code: message".
struct Reported {
  ~Reported() { adze_error_free(error); }
  AdzeError **place() {
    adze_error_free(error);
    error = nullptr;
    return &error;
  }
  std::string text() const {
    return std::string(adze_code_name(adze_error_code(error))) + ": " + adze_error_message(error);
  }
  AdzeError *error = nullptr;
};
#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

struct Result {
  std::vector<int32_t> tokens;
  std::string text;
  AdzeEvent end{};
  std::string error;
};

// The toy model answers "abc" with "xyz", then ends.
struct AdzeApi : testing::Test {
  AdzeApi() { model.answerAbcWithXyz(); }
  ~AdzeApi() override { adze_engine_free(engine); }

  void open(const AdzeEngineOptions *options = nullptr) {
    model.write(path);
    Reported error;
    ASSERT_EQ(adze_engine_open(path.c_str(), options, &engine, error.place()), ADZE_OK) << error.text();
  }
  AdzeRequest request() {
    AdzeRequest request;
    EXPECT_EQ(adze_request_init(engine, &request, sizeof request, nullptr), ADZE_OK);
    return request;
  }
  AdzeRequest textRequest(const char *text) {
    AdzeRequest result = request();
    result.text = adze_text(text);
    return result;
  }
  AdzeAnswer *submit(const AdzeRequest &request) {
    Reported error;
    AdzeAnswer *answer = nullptr;
    EXPECT_EQ(adze_engine_submit(engine, &request, &answer, error.place()), ADZE_OK) << error.text();
    return answer;
  }
  std::string refusal(const AdzeRequest &request) {
    Reported error;
    AdzeAnswer *answer = nullptr;
    EXPECT_NE(adze_engine_submit(engine, &request, &answer, error.place()), ADZE_OK);
    EXPECT_EQ(answer, nullptr);
    return error.text();
  }
  void runAll() {
    for (int32_t more = 1; more;)
      ASSERT_EQ(adze_engine_step(engine, &more, nullptr), ADZE_OK);
  }
  // Everything up to the end, which must have come; frees the answer.
  static Result take(AdzeAnswer *answer) {
    Result result;
    AdzeEvent event;
    while (adze_answer_poll(answer, &event, sizeof event, nullptr) == ADZE_OK && event.kind != ADZE_EVENT_NONE) {
      EXPECT_EQ(event.text.data[event.text.size], '\0');
      result.text.append(event.text.data, event.text.size);
      if (event.kind == ADZE_EVENT_END) {
        result.end = event;
        result.error.assign(event.error_message.data ? event.error_message.data : "", event.error_message.size);
        break;
      }
      result.tokens.push_back(event.token);
    }
    EXPECT_EQ(event.kind, ADZE_EVENT_END);
    adze_answer_free(answer);
    return result;
  }

  FakeModel model;
  std::string path = model.folder.file("model.adze");
  AdzeEngine *engine = nullptr;
};
} // namespace adze
#endif
